"""State compaction: partial aggregates replace rows, which are then evicted."""
