"""The front door: the command line, which runs queries and pipelines on files and draws traces.

A *bound* says that no later row of a stream has a rowtime below it: what others call a watermark.
"""
