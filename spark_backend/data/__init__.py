"""Rows that enter Spark, and their storage."""
