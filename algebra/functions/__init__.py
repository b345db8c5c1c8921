"""Functions and operators on values: the arguments that they accept, and their result types."""
