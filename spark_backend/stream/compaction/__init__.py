"""State compaction: partial aggregates stand for rows that are evicted."""
