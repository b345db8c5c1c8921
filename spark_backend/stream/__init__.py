"""Streaming queries on Spark, micro-batch by micro-batch.

The engine does not know who drives it (`spark_backend.stream.engine`):

    engine = Engine(query, contents)                    # the Delta that `algebra.prepare` returns
    rows = filter_rows(ingress, arrived, checks).rows   # for each stream in `Engine.streams`
    result = engine.step(rows, bounds)                  # once for each micro-batch
    store.save(session, path)                           # each in `Engine.state`, and result.rows
    engine.close()

``contents`` (`spark_backend.data.contents.Contents`) holds tables, histories and the session's
clock ``now``.  Rows are in a `spark_backend.data.row_buffer.RowBuffer`: a few as Python values,
many in a frame that stays in Spark (`spark_backend.stream.ingress.arrivals`).  They pass the
ingress of their stream, one by one or in bulk (`spark_backend.stream.ingress.ingress_filter`),
which drops late rows.  ``bounds`` has for each stream the bounds of later rows
(`algebra.monotonicity.progress.Bounds`), which others call watermarks: one for each ordered column,
and whether the stream has ended.

``result`` has these fields.  ``rows`` are the emitted rows, ordered by rowtime within and across
micro-batches.  ``bound`` is the bound of all later rows, in milliseconds; ``ended`` is true if
no row will follow.  ``retained`` is the number of input rows that are retained.

Run-time errors are `SqlError`; for rows in a frame they are raised when the frame is read
(`spark_backend.runtime.failures.failures`).  After an error the engine cannot be used.

`spark_backend.stream.pipeline.statements` drives one engine for each standing statement, with the
streams and tables that they feed.  Two modules drive the statements:
`spark_backend.stream.backend` for the kit, and `spark_backend.stream.pipeline.micro_batch` under
Structured Streaming.
"""
