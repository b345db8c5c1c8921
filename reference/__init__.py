"""The definition of what a query means, in plain Python, and an engine on one machine.

A *bound* says that no later row of a stream has a rowtime below it: what others call a watermark.
"""
