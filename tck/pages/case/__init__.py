"""A case of a report: the expectation, the answer of each engine, and both as data."""
