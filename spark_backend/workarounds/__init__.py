"""What works around a limit of Spark, with its version, its reason and its test."""
