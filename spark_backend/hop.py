"""HOP and TUMBLE: each row with the windows that hold it (S-504)."""

from dataclasses import replace

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.plan import Hop
from algebra.types import MILLIS_PER_DAY, TIMESTAMP, Kind
from spark_backend.datetimes import floor_rest, in_range, month_of, month_start
from spark_backend.expression import column_of
from spark_backend.relation import Outer, Relation, Run, column_name
from spark_backend.subqueries import Translate, with_names


def hop(
    node: Hop, input: Relation, run: Run, outer: Outer | None, translate: Translate
) -> Relation:
    """Each row once for every window [end - retain, end) that holds its time.

    Counted from the alignment, in milliseconds or months, a time at p is in the windows with
    p < end <= p + retain: ends are the multiples of ``emit`` among these.
    """
    input, names = with_names(input, [node.time], run, outer, translate)
    time = column_of(node.time, names)
    emit, retain = node.emit.value, node.retain.value
    assert isinstance(emit, int), "sizes are interval constants"
    assert isinstance(retain, int), "sizes are interval constants"
    calendar = node.emit.type.kind is Kind.MONTHS
    if node.time.type.kind is Kind.DATE and not calendar:
        time = time * F.lit(MILLIS_PER_DAY)
    place = month_of(time, node.time.type.kind) if calendar else time - F.lit(node.align)
    first = place - floor_rest(place, emit) + F.lit(emit)
    end = run.fresh("e")
    carried = (*input.columns, *input.hidden)
    if emit == retain:
        frame = input.frame.filter(time.isNotNull()).withColumn(end, first)
    else:
        last = place + F.lit(retain)
        # Where emit exceeds retain, a time may lie between two windows.
        ends = F.when(first <= last, F.sequence(first, last, F.lit(emit).cast("bigint")))
        frame = input.frame.withColumn(end, F.explode(ends))
    bounds = [
        in_range(_instant(each, node.align, calendar=calendar), TIMESTAMP)
        for each in (F.col(end) - F.lit(retain), F.col(end))
    ]
    width = len(input.types)
    new = [each.alias(column_name(width + i)) for i, each in enumerate(bounds)]
    times = TIMESTAMP.as_nullable(False)
    return replace(
        input,
        frame=frame.select(*(F.col(each) for each in carried), *new),
        types=(*input.types, times, times),
    )


def _instant(place: Column, align: int, *, calendar: bool) -> Column:
    """The timestamp of an end that is counted from the alignment."""
    return month_start(place) * F.lit(MILLIS_PER_DAY) if calendar else place + F.lit(align)
