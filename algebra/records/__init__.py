"""Rows in files: CSV, JSON lines and Parquet; and the records that pipelines share."""
