"""Rows as records of files: CSV, Parquet and JSON lines, and what runs standing statements."""
