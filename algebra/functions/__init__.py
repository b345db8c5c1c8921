"""Functions and operators on values: what arguments they take, and what type they return."""
