"""Workarounds for limits of Spark: one module each, with version, reason and test."""
