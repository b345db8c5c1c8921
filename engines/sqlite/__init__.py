"""SQLite: relational queries over tables and histories."""
