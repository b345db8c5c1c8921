"""GROUP BY, set operations and ORDER BY over streams."""
