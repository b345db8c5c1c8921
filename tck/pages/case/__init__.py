"""A case of a report: what is expected of it, what each engine answered, and both as data."""
