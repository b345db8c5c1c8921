"""Variants of cases: the same query with another form of its input, and the expected rows."""
