"""Rows of a result: read by the types of the case, compared, and shown side by side."""
