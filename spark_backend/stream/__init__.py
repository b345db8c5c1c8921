"""Streaming queries on Spark, micro-batch by micro-batch.

The engine does not know who drives it (`spark_backend.stream.engine`):

    engine = Engine(query, contents)          # query: the Delta that `algebra.prepare` gives
    rows = admit(gate, arrived, checks).rows  # of each stream that `Engine.streams` names
    given = engine.step(rows, bounds)         # once for each micro-batch
    store.save(session, path)                 # each that `Engine.state` tells, beside given.rows
    engine.close()

``contents`` (`spark_backend.data.contents.Contents`) holds tables, histories and the session's
clock ``now``.  Rows are in a `spark_backend.data.row_buffer.RowBuffer`: a few as Python values,
many in a frame that stays in Spark (`spark_backend.stream.ingress.arrivals`).  They go through the
gate of their stream, one by one or in bulk (`spark_backend.stream.ingress.ingress_filter`), which
drops late rows.  ``bounds`` says for each stream what is then known of later rows
(`algebra.monotonicity.progress.Bounds`): a bound for each ordered column, and whether the stream
has ended.

``given.rows`` are rows by rowtime, within and across micro-batches, ``given.bound`` the bound in
milliseconds of all later ones, ``given.ended`` whether none will come, ``given.retained`` how many
input rows are kept.  Run-time errors are `SqlError`; of rows in a frame they come when it is read
(`spark_backend.runtime.failures.failures`).  After one the engine is not used again.

`spark_backend.stream.backend` drives it for the kit, with gates, late rows and standing statements;
`spark_backend.stream.pipeline.micro_batch` under Structured Streaming.
"""
