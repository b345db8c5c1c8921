"""Rows of a result: read by the types of the case, compared, and drawn beside one another."""
