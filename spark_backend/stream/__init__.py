"""Streaming queries on Spark, micro-batch by micro-batch.

The engine does not know who drives it (`spark_backend.stream.engine`):

    engine = Engine(query, contents)          # query: the Delta that `algebra.prepare` gives
    given = engine.step(rows, bounds)         # once for each micro-batch
    engine.close()

``contents`` (`spark_backend.contents.Contents`) holds tables, histories and the session's clock
``now``.  ``rows`` are the accepted rows of each stream that `Engine.streams` names, in order of
arrival, of values as they are inside; a late row has been dropped by its gate
(`spark_backend.entry.Gate`).  ``bounds`` says for each of them what is then known of later rows
(`algebra.progress.Bounds`): a bound for each ordered column, and whether the stream has ended.

``given.rows`` are rows by rowtime, within and across micro-batches, ``given.bound`` the bound in
milliseconds of all later ones, ``given.ended`` whether none will come, ``given.retained`` how many
input rows are kept.  Run-time errors are `SqlError`; after one the engine is not used again.

`spark_backend.stream.backend` drives it for the kit, with gates, late rows and standing statements.
"""
