"""The filters that drop late rows inside a streaming query: MONOTONIC (S-407), a t-sort (S-507).

A row is late if its value is below the greatest value of the rows that were emitted before it and
were not late.  In a t-sort the slack is subtracted from this greatest value.

For a t-sort, and for one call of MONOTONIC, the greatest value is the running maximum of all
earlier rows, because a late row is never the greatest.  Spark computes it.  For several calls it is
not, because a row that is late for one call does not count for the other calls either.  Then a
Python worker processes the rows one by one, with ranks in place of values.
"""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# Arrow does not have type annotations.

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

import pyarrow as pa  # type: ignore[import-untyped]  # it has no types
from pyspark.sql import Column, DataFrame
from pyspark.sql import Window as SparkWindow
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses
from pyspark.sql.window import WindowSpec

from algebra.expression import Expression, Literal
from algebra.monotonicity.columns import OrderOf, column_monotonicity, rowtime_column
from algebra.parts.mentions import monotonic_calls
from algebra.plan import Aggregate, Plan, SetOp, Sort, is_streaming
from algebra.types import APPROXIMATE
from spark_backend.columns.datetimes import long
from spark_backend.columns.expression import column_of
from spark_backend.made_once import col, cols
from spark_backend.operators.subqueries import with_names
from spark_backend.relation import Relation, SortColumn, column_name
from spark_backend.translator import Translator
from spark_backend.workarounds.constant_order import keys_or_constant

#: The rows of a window before the current row.
_BEFORE: Final = (SparkWindow.unboundedPreceding, -1)


def monotonic_rows(
    rows: Relation,
    input: Plan,
    expressions: Sequence[Expression],
    translator: Translator,
) -> Relation:
    """``rows`` without those that are late for a call of MONOTONIC in ``expressions`` (S-407).

    A row is also late if the operand is NULL or NaN.  Relational queries have no late rows.
    ``rows`` are the rows of ``input``.
    """
    declared = tuple(dict.fromkeys(monotonic_calls(expressions)))
    if not declared or not translator.drops_late or not is_streaming(input):
        return rows
    whole, names = with_names(rows, declared, translator)
    order = _emission_order(rows, input)
    values: list[Column] = []
    for each in declared:
        value = column_of(each, names)
        values.append(F.when(~F.isnan(value), value) if each.type.kind in APPROXIMATE else value)
    names_of = [translator.fresh("m") for _ in declared]
    named = [value.alias(name) for value, name in zip(values, names_of, strict=True)]
    frame = whole.frame.select(*cols((*rows.columns, *rows.hidden)), *named)
    if len(declared) == 1:
        value = col(names_of[0])
        passing = _without_late(frame, value, value, order, translator)
    else:
        passing = _without_late_for_any(frame, names_of, order, translator)
    return replace(rows, frame=passing.select(*cols((*rows.columns, *rows.hidden))))


def within_slack(rows: Relation, plan: Sort, slack: Literal, translator: Translator) -> Relation:
    """The rows of a t-sort's input that lag the greatest time by at most ``slack`` (S-507).

    The time is the first sort key.  A row whose time is NULL is late.
    """
    first = plan.keys[0].expression
    whole, names = with_names(rows, [first], translator)
    time, name = column_of(first, names), translator.fresh("m")
    frame = whole.frame.select(*cols((*rows.columns, *rows.hidden)), time.alias(name))
    at, bound = col(name), col(name) - F.lit(slack.value)
    passing = _without_late(frame, at, bound, _emission_order(rows, plan.input), translator)
    return replace(rows, frame=passing.select(*cols((*rows.columns, *rows.hidden))))


def _emission_order(rows: Relation, input: Plan) -> list[SortColumn]:
    """The order in which rows are emitted: by rowtime if it is monotonic, then in order of arrival.

    Groups without a rowtime are emitted by their monotonic keys (S-502, S-503).
    """
    rowtime = rowtime_column(input)
    orders = column_monotonicity(input, OrderOf.ROWS)
    if rowtime is not None:
        places = [rowtime]
    else:
        places = [*range(len(orders))] if isinstance(input, Aggregate | SetOp) else []
    by_keys = [
        SortColumn(column_name(i), orders[i].descending) for i in places if orders[i].progresses
    ]
    return [*by_keys, *rows.order]


def _ordered_window(order: Sequence[SortColumn]) -> WindowSpec:
    """A window over all rows, in this order."""
    return SparkWindow.orderBy(*keys_or_constant([each.key() for each in order]))


def _without_late(
    frame: DataFrame,
    value: Column,
    bound: Column,
    order: Sequence[SortColumn],
    translator: Translator,
) -> DataFrame:
    """The rows whose value is neither NULL nor below the greatest bound of the rows before.

    ``bound`` is the bound that a row sets: its value, or in a t-sort its value minus the slack.
    """
    before = F.max(bound).over(_ordered_window(order).rowsBetween(*_BEFORE))
    # The comparison is NULL for a value that is NULL, and for all values if no row is before: then
    # a value passes if it is not NULL.
    is_passing = F.coalesce(value >= before, value.isNotNull())
    # WHERE cannot contain a window function, so its result must be a column first.
    passes = translator.fresh("k")
    return frame.withColumn(passes, is_passing).filter(col(passes))


def _without_late_for_any(
    frame: DataFrame, columns: Sequence[str], order: Sequence[SortColumn], translator: Translator
) -> DataFrame:
    """The rows that are not late for any of several calls, whose values are ``columns``."""
    number = translator.fresh("n")
    numbered = frame.withColumn(number, long(F.row_number().over(_ordered_window(order))))
    ranks = [
        F.when(col(c).isNotNull(), long(F.dense_rank().over(SparkWindow.orderBy(c)))).alias(c)
        for c in columns
    ]
    ranked = numbered.select(number, *ranks).coalesce(1).sortWithinPartitions(number)
    passing = ranked.mapInArrow(_numbers_not_late, f"{number} long")
    return numbered.join(passing, number, "left_semi")


def _numbers_not_late(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The numbers of the rows that are not late.

    The input rows are in the order of their numbers, which are the first column.  Each other column
    has the rank of a value among all values of one call; None for NULL.
    """
    # The ranks of the last row that is not late; empty before the first one, so that nothing is
    # compared.
    greatest: tuple[int, ...] = ()
    for batch in batches:
        passing: list[int] = []
        numbers, *columns = (each.to_pylist() for each in batch.columns)
        for number, ranks in zip(numbers, zip(*columns, strict=True), strict=True):
            if None not in ranks and all(a <= b for a, b in zip(greatest, ranks, strict=False)):
                greatest = ranks
                passing.append(number)
        yield pa.RecordBatch.from_arrays([pa.array(passing, pa.int64())], [batch.schema.names[0]])
