"""Variants of cases: the same query with its input otherwise, and what must come of that."""
