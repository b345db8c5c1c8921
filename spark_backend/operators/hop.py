"""Windows: each row once for every window that contains its time (S-504, S-901)."""

from dataclasses import replace
from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.plan import Hop, window_sizes
from algebra.types import (
    BIGINT,
    MAX_TIMESTAMP,
    MILLIS_PER_DAY,
    MIN_TIMESTAMP,
    TIMESTAMP,
    Kind,
)
from grammar.codes import Code
from spark_backend.columns.datetimes import floor_rest, month_of, month_start, quotient
from spark_backend.columns.expression import column_of
from spark_backend.made_once import col
from spark_backend.operators.subqueries import with_names
from spark_backend.relation import Relation, column_name
from spark_backend.runtime.failures import fails
from spark_backend.translator import Translator
from spark_backend.workarounds.evaluated_once import evaluated_once

#: The first and last month of the years 1 to 9999, counted from January 1970.
_MONTHS: Final = (12 * (1 - 1970), 12 * (9999 - 1970) + 11)
#: A row is in fewer windows than this; otherwise OVERFLOW.
MOST_WINDOWS: Final = 2**31


def hop(node: Hop, input: Relation, translator: Translator) -> Relation:
    """Each row once for every window that contains its time.

    Times are counted from the alignment, in milliseconds or months.  The windows end at the
    multiples of ``emit``.  A time at p is in the windows with p < end <= reach.  Here ``reach`` is
    p + retain; if the windows are cumulative, it is the first multiple of ``retain`` above p.  A
    window that reaches beyond the years 1 to 9999 is OVERFLOW, and so are 2^31 windows of one row.
    A row whose time is NULL is in no window.
    """
    input, names = with_names(input, [node.time], translator)
    time = column_of(node.time, names)
    emit, retain = window_sizes(node)
    calendar = node.emit.type.kind is Kind.MONTHS
    if node.time.type.kind is Kind.DATE and not calendar:
        time = time * F.lit(MILLIS_PER_DAY)
    instant = month_of(time, node.time.type.kind) if calendar else time
    place = instant - F.lit(node.align)
    calendar_edges = _MONTHS if calendar else (MIN_TIMESTAMP, MAX_TIMESTAMP)
    least, greatest = (edge - node.align for edge in calendar_edges)
    first = place - floor_rest(place, emit) + F.lit(emit)
    reach = place + F.lit(retain)
    if node.cumulative:
        reach = reach - floor_rest(place, retain)

    def start(end: Column) -> Column:
        """The start of the window that ends at ``end``."""
        if node.cumulative:
            before = end - F.lit(1)
            return before - floor_rest(before, retain)
        return end - F.lit(retain)

    end = translator.fresh("e")
    carried = (*input.columns, *input.hidden)
    # All edges of a row's windows lie between the first one's start and the last one's end.
    early = start(first) < F.lit(least)
    if emit == retain:
        late = first > F.lit(greatest)
        known = F.when(early | late, _out_of_range()).otherwise(first)
        timed = input.frame.filter(time.isNotNull()) if node.time.type.nullable else input.frame
        frame = timed.withColumn(end, evaluated_once(known))
    else:
        more = quotient(reach - first, emit)  # the number of windows after the first one
        late = first + more * F.lit(emit) > F.lit(greatest)
        many = fails(Code.OVERFLOW, "a row is in 2^31 windows or more", BIGINT)
        ends = (
            F.when(early | late, F.array(_out_of_range()))
            .when(more >= F.lit(MOST_WINDOWS - 1), F.array(many))
            .otherwise(F.sequence(first, reach, F.lit(emit).cast("bigint")))
        )
        # If ``emit`` exceeds ``retain``, a time may lie between two windows.
        frame = input.frame.withColumn(end, F.explode(F.when(first <= reach, ends)))
    edges = [_instant(each, node.align, calendar=calendar) for each in (start(col(end)), col(end))]
    width = len(input.types)
    new = [each.alias(column_name(width + i)) for i, each in enumerate(edges)]
    times = TIMESTAMP.as_nullable(False)
    return replace(
        input,
        frame=frame.select(*(col(each) for each in carried), *new),
        types=(*input.types, times, times),
    )


def _out_of_range() -> Column:
    """The error of a window that reaches beyond the years 1 to 9999."""
    return fails(Code.OVERFLOW, f"a {TIMESTAMP} is out of range", BIGINT)


def _instant(place: Column, align: int, *, calendar: bool) -> Column:
    """The timestamp of a window's edge that is counted from the alignment."""
    edge = place + F.lit(align)
    return month_start(edge) * F.lit(MILLIS_PER_DAY) if calendar else edge
