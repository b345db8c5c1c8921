"""OVER on Spark: Spark's own windows, sliding frames in Python, and joins (S-505, S-506)."""
