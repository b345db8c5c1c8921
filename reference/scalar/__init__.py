"""The meaning of expressions: arithmetic, casts, datetimes, text, statistics."""
