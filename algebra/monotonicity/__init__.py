"""Which columns and expressions advance with a stream, and how far they have come (S-401 to S-408).

A *bound* of a column says that no later row has a value before it; for the rowtime of a stream it
is what others call a watermark.
"""
