"""The order of a streaming query's rows: by their rowtime, explicit or implicit."""
