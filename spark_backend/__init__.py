"""The same plans on Apache Spark: over whole tables, and micro-batch by micro-batch.

A *bound* of a stream says that no later row of the stream has a rowtime below the bound; others
call it a watermark.
"""
