"""The same plans on Apache Spark: over whole tables, and micro-batch by micro-batch.

A *bound* says that no later row of a stream has a rowtime below it: what others call a watermark.
"""
