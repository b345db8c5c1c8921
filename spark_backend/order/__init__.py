"""The order in which a streaming query's rows come: by their rowtime, explicit or implicit."""
