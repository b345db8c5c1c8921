"""Binding of queries: each clause of SELECT, and the plan that they make."""
