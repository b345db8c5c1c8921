"""DuckDB: relational queries over tables and histories."""
