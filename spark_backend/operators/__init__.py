"""Operators of the algebra on Spark, but for OVER."""
