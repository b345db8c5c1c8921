"""Unit tests of a user's own SQL: files that are read as cases."""
