"""What works around a limit of Spark: one module each, with version, reason and test."""
