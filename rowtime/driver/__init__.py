"""DB-API 2.0 (PEP 249) for a database of streams and tables, and what streams add to it."""
