"""Rows that come too late inside a streaming query: MONOTONIC's (S-407), and a t-sort's (S-507).

A row is measured by those emitted before it, by its input.  It is late if it falls behind the
greatest value that rows on time have had; and a late row, being behind it, has none greater.  So
one column is a running maximum, which Spark computes.  Several calls of MONOTONIC are not: a row
that one of them calls late counts for none.  They are gone through row by row, as numbers that
stand for their values in order.
"""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# What goes through Arrow has no types of its own.

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

import pyarrow as pa  # type: ignore[import-untyped]  # it has no types
from pyspark.sql import Column, DataFrame
from pyspark.sql import Window as SparkWindow
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses
from pyspark.sql.window import WindowSpec

from algebra.expression import Expression, Literal
from algebra.mentions import monotonic_calls
from algebra.monotonicity.columns import OrderOf, column_monotonicity, rowtime_column
from algebra.plan import Aggregate, Plan, SetOp, Sort, is_streaming
from algebra.types import APPROXIMATE
from spark_backend.columns.datetimes import long
from spark_backend.columns.expression import column_of
from spark_backend.operators.subqueries import with_names
from spark_backend.relation import Relation, SortColumn, column_name
from spark_backend.translator import Translator
from spark_backend.workarounds.constant_order import keys_or_constant

_BEFORE: Final = (SparkWindow.unboundedPreceding, -1)


def monotonic_rows(
    rows: Relation,
    input: Plan,
    reader: Plan,
    expressions: Sequence[Expression],
    translator: Translator,
) -> Relation:
    """The rows of ``input`` that keep every MONOTONIC in ``expressions`` from falling (S-407).

    A row with NULL or NaN there is late, too.  Of a relational query all rows are on time.
    ``reader`` is the node above, whose expressions they are.
    """
    declared = tuple(dict.fromkeys(monotonic_calls(tuple(expressions))))
    if not declared or not is_streaming(input):
        return rows
    whole, names = with_names(rows, declared, translator)
    order = _emitted(rows, input, reader)
    values: list[Column] = []
    for each in declared:
        value = column_of(each, names)
        values.append(F.when(~F.isnan(value), value) if each.type.kind in APPROXIMATE else value)
    names_of = [translator.fresh("m") for _ in declared]
    named = [value.alias(name) for value, name in zip(values, names_of, strict=True)]
    frame = whole.frame.select(*rows.columns, *rows.hidden, *named)
    if len(declared) == 1:
        value = F.col(names_of[0])
        kept = _from(frame, value, value, order, translator)
    else:
        kept = _rising(frame, names_of, order, translator)
    return replace(rows, frame=kept.select(*rows.columns, *rows.hidden))


def within_slack(rows: Relation, plan: Sort, slack: Literal, translator: Translator) -> Relation:
    """The rows of a t-sort's input no further than ``slack`` behind the greatest time (S-507).

    A row whose time, the first key, is NULL is late.
    """
    first = plan.keys[0].expression
    whole, names = with_names(rows, [first], translator)
    time, name = column_of(first, names), translator.fresh("m")
    frame = whole.frame.select(*rows.columns, *rows.hidden, time.alias(name))
    at, bound = F.col(name), F.col(name) - F.lit(slack.value)
    kept = _from(frame, at, bound, _emitted(rows, plan.input, plan), translator)
    return replace(rows, frame=kept.select(*rows.columns, *rows.hidden))


def _emitted(rows: Relation, input: Plan, reader: Plan) -> list[SortColumn]:
    """The order in which the rows come: by their rowtime if it moves, then as they arrived.

    Groups without a rowtime come by the keys that move (S-502, S-503).
    """
    place = rowtime_column(input, reader)
    moving = column_monotonicity(input, OrderOf.ROWS, reader)
    by_keys = range(len(moving)) if isinstance(input, Aggregate | SetOp) else ()
    places = by_keys if place is None else [place]
    led = [SortColumn(column_name(i), moving[i].descending) for i in places if moving[i].progresses]
    return [*led, *rows.order]


def _in(order: Sequence[SortColumn]) -> WindowSpec:
    return SparkWindow.orderBy(*keys_or_constant([each.key() for each in order]))


def _from(
    frame: DataFrame,
    value: Column,
    bound: Column,
    order: Sequence[SortColumn],
    translator: Translator,
) -> DataFrame:
    """The rows whose value is not below the greatest bound of a row before it; NULL is."""
    before = F.max(bound).over(_in(order).rowsBetween(*_BEFORE))
    # What a window computes is a column first: Spark takes it for no condition of a filter.
    kept = translator.fresh("k")
    frame = frame.withColumn(kept, F.coalesce(value >= before, value.isNotNull()))
    return frame.filter(F.col(kept))


def _rising(
    frame: DataFrame, columns: Sequence[str], order: Sequence[SortColumn], translator: Translator
) -> DataFrame:
    """The rows none of whose values is below that of the last row so kept; NULL is."""
    number = translator.fresh("n")
    numbered = frame.withColumn(number, long(F.row_number().over(_in(order))))
    ranks = [
        F.when(F.col(c).isNotNull(), long(F.dense_rank().over(SparkWindow.orderBy(c)))).alias(c)
        for c in columns
    ]
    ranked = numbered.select(number, *ranks).coalesce(1).sortWithinPartitions(number)
    kept = ranked.mapInArrow(_in_turn, f"{number} long")
    return numbered.join(kept, number, "left_semi")


def _in_turn(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Of rows with a number and ranks, in order: the numbers of those that fall in none."""
    reached: tuple[int, ...] = ()
    for batch in batches:
        kept: list[int] = []
        numbers, *columns = (each.to_pylist() for each in batch.columns)
        for number, ranks in zip(numbers, zip(*columns, strict=True), strict=True):
            if None not in ranks and all(a <= b for a, b in zip(reached, ranks, strict=False)):
                reached = ranks
                kept.append(number)
        yield pa.RecordBatch.from_arrays([pa.array(kept, pa.int64())], [batch.schema.names[0]])
