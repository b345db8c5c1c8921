"""A database of named streams and tables, with its running producers, statements and readers."""
