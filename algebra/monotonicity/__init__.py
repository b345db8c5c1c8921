"""Columns and expressions that advance with a stream, and their bounds (S-401 to S-408).

A *bound* of a column says that no later row has a value before the bound.  The bound of a stream's
rowtime is called a watermark in other systems.
"""
