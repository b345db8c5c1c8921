"""Spark's own streaming SQL as an engine under test: queries as Spark's users write them."""
