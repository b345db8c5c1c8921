"""Aggregates of approximate numbers, computed exactly and rounded once."""
