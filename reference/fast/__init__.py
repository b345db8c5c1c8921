"""Faster forms of definitions, each with the values of its definition."""
