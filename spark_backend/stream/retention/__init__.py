"""Which rows of each stream are retained for the micro-batches to come."""
