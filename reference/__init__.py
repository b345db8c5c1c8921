"""The definition of the meaning of a query, in plain Python, and an engine on one machine.

A *bound* of a stream says that no later row of the stream has a rowtime below the bound; others
call it a watermark.
"""
