"""Joins of streams, with streams and with tables."""
