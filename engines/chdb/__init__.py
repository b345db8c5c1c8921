"""chDB: ClickHouse in a process of its own, relational queries over tables and histories."""
