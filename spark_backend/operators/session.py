"""SESSION: each row with the start and the end of its session (S-902)."""

from dataclasses import replace

from pyspark.sql import Window as SparkWindow
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.expression import InputRef
from algebra.plan import Session, gap_of
from algebra.types import BIGINT, MAX_TIMESTAMP, TIMESTAMP
from grammar.codes import Code
from spark_backend.columns.expression import column_of
from spark_backend.operators.subqueries import with_names
from spark_backend.relation import Relation, column_name
from spark_backend.runtime.failures import fails
from spark_backend.translator import Translator


def session(node: Session, input: Relation, translator: Translator) -> Relation:
    """Each row with the first time of its session, and with the last one plus the gap.

    A row begins a session if no row of its key is less than the gap before it.  In the order of
    time, the latest row so far that begins a session is the first row of the session.  A row whose
    time is NULL is dropped; an end after the year 9999 is OVERFLOW.
    """
    rows, names = with_names(input, [*node.keys, node.time], translator)
    gap, carried = gap_of(node), (*input.columns, *input.hidden)
    time, begins, first = (translator.fresh(each) for each in "tbf")
    keys = [
        # A key that is a column keeps its name.  Spark then knows that the rows are partitioned by
        # this column, and a later GROUP BY with it needs no shuffle.
        column_name(each.index) if isinstance(each, InputRef) else translator.fresh("k")
        for each in node.keys
    ]
    made = [
        column_of(each, names).alias(key)
        for each, key in zip(node.keys, keys, strict=True)
        if not isinstance(each, InputRef)
    ]
    frame = rows.frame.select(*carried, *made, column_of(node.time, names).alias(time))
    frame = frame.filter(F.col(time).isNotNull())
    by = SparkWindow.partitionBy(*map(F.col, (*keys, *input.outer_columns)))
    in_order = by.orderBy(F.col(time).asc())
    before = F.lag(time).over(in_order)
    is_first = before.isNull() | (F.col(time) - before >= F.lit(gap))
    frame = frame.withColumn(begins, F.when(is_first, F.col(time)))
    frame = frame.withColumn(first, F.last(begins, ignorenulls=True).over(in_order))
    own = SparkWindow.partitionBy(*map(F.col, (*keys, *input.outer_columns, first)))
    last = F.max(time).over(own)
    too_late = fails(Code.OVERFLOW, f"a {TIMESTAMP} is out of range", BIGINT)
    end = F.when(last > F.lit(MAX_TIMESTAMP - gap), too_late).otherwise(last + F.lit(gap))
    width = len(input.types)
    edges = [F.col(first).alias(column_name(width)), end.alias(column_name(width + 1))]
    times = TIMESTAMP.as_nullable(False)
    return replace(
        input,
        frame=frame.select(*map(F.col, carried), *edges),
        types=(*input.types, times, times),
        sorted=False,
    )
