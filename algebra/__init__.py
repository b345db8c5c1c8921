"""The meaning of a query before its evaluation: types, catalog, expressions, plans, binding.

A *bound* of a stream says that no later row of the stream has a rowtime below the bound.  Other
systems call it a watermark.
"""
