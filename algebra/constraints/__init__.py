"""Exact linear reasoning about rows of a plan: ranges, and distances of columns (S-510)."""
