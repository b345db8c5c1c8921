"""Standing statements as one Structured Streaming query, with its checkpoint."""
