"""What is right: the exact semantics, in plain Python."""
