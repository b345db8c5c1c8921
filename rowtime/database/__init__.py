"""A database of named streams and tables, with the producers, statements and readers at work."""
