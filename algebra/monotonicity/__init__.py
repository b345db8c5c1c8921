"""Which expressions and columns are monotonic, and how far their bounds have advanced."""
