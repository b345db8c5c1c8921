"""Rows on their way into Spark, and kept there."""
