"""Columns and expressions that advance with a stream, and their bounds (S-401 to S-408).

A *bound* of a column says that no later row has a value before the bound; for the rowtime of a
stream, others call it a watermark.
"""
