"""Which rows a micro-batch emits, and in what order: by rowtime, up to the bound (watermark)."""
