"""Which cases are selected, which are required, and how they are exported."""
