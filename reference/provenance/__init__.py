"""Which input rows an output row is made of, and what made it come out."""
