"""What a query means before it is evaluated: types, catalog, expressions, plans, binding.

A *bound* says that no later row of a stream has a rowtime below it: what others call a watermark.
"""
