"""The rows that a micro-batch emits: in rowtime order, up to the bound (watermark)."""
