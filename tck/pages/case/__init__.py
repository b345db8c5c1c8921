"""The page of a case: its expectation, the answer of each engine, and both as data."""
