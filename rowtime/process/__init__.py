"""The process of a database: its signals, and its forks."""
