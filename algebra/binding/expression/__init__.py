"""Binding of expressions."""
