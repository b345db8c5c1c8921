"""Which rows a micro-batch emits, and in what order."""
