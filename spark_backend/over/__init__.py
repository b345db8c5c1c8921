"""OVER on Spark."""
