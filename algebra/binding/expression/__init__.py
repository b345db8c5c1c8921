"""Binding of expressions, and of sub-queries in them."""
