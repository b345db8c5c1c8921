"""Expressions of the algebra as Spark columns."""
