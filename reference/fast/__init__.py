"""Faster forms of definitions; each returns the same values as its definition."""
