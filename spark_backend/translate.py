"""Translate plans to DataFrames: `translate_node` has one case for each operator.

Columns are named by their places (``c0``, ``c1``, …), so that no name of the user's reaches Spark
and none can clash.  The order of arrival is a hidden column, which Scan adds and the operators that
preserve an order carry (`spark_backend.relation.Relation.order`): it orders ties in ROWS frames and
sorts, and LIMIT keeps its first rows.  Nothing here depends on whether the input is complete: a
micro-batch over retained and new rows is translated in the same way.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import Window as SparkWindow
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.expression import Expression, Literal
from algebra.parts.mentions import monotonic_calls
from algebra.parts.node_expressions import ordered_by
from algebra.plan import (
    Aggregate,
    AsofJoin,
    Changes,
    Delta,
    Filter,
    Hop,
    Join,
    Plan,
    Project,
    Scan,
    Session,
    SetOp,
    Sort,
    Values,
    Window,
    WindowJoin,
    is_streaming,
    row_type,
)
from algebra.rewrite import columns_of, has_subquery
from algebra.types import BIGINT, Type
from spark_backend.columns.expression import column_of
from spark_backend.made_once import col, cols
from spark_backend.operators.asof import asof_join
from spark_backend.operators.groups import aggregate
from spark_backend.operators.hop import hop
from spark_backend.operators.joins import join, window_join
from spark_backend.operators.monotonic_filter import monotonic_rows, within_slack
from spark_backend.operators.session import session
from spark_backend.operators.sets import set_operation
from spark_backend.operators.subqueries import with_names
from spark_backend.order.output_order import output_order
from spark_backend.order.row_order import is_out_of_order
from spark_backend.over.windows import window
from spark_backend.relation import (
    Relation,
    SortColumn,
    column_name,
    from_columns,
    types_of,
)
from spark_backend.runtime.arrow import ARRIVAL, frame_of
from spark_backend.translator import Translator
from spark_backend.types import Row, type_name
from spark_backend.workarounds.constant_order import keys_or_constant


def translate_node(plan: Plan, translator: Translator) -> Relation:
    """The rows of ``plan`` by the operator at its top; ``translator`` translates the inputs.

    This function is the `Translator.node` of the backend.
    """

    def without_late(
        input: Plan, expressions: Sequence[Expression], *, ordered: bool = False
    ) -> Relation:
        """The rows of an input, without those that a MONOTONIC in ``expressions`` drops.

        ``ordered``: the order of the rows counts (`Translator.ordered`).
        """
        below = replace(translator, ordered=True) if ordered else translator
        return monotonic_rows(below.translate(input), input, expressions, translator)

    match plan:
        case Scan():
            return translator.source(plan)
        case Values():
            return _values(plan, translator)
        case Filter(input, condition):
            return _filtered(without_late(input, [condition]), condition, translator)
        case Project(input, expressions):
            if isinstance(input, Window) and not any(True for _ in monotonic_calls(expressions)):
                rows = without_late(input.input, ordered_by(input), ordered=True)
                rows = window(input, rows, translator, _columns_read(expressions))
            else:
                rows = without_late(input, expressions)
            rows, names = with_names(rows, expressions, translator)
            columns = [column_of(each, names).cast(type_name(each.type)) for each in expressions]
            return from_columns(rows, columns, [each.type for each in expressions])
        case Hop(input):
            return hop(plan, without_late(input, [plan.time]), translator)
        case Session(input):
            return session(plan, without_late(input, [*plan.keys, plan.time]), translator)
        case Aggregate(input):
            return aggregate(plan, without_late(input, plan.keys), translator)
        case Window(input):
            rows = without_late(input, ordered_by(plan), ordered=True)
            return window(plan, rows, translator)
        case Join(left, right):
            sides = (translator.translate(left), translator.translate(right))
            return join(plan, *sides, translator)
        case WindowJoin(left, right):
            sides = (translator.translate(left), translator.translate(right))
            return window_join(plan, *sides, translator)
        case AsofJoin(left, right):
            sides = (translator.translate(left), translator.translate(right))
            return asof_join(plan, *sides, translator)
        case SetOp(inputs):
            return set_operation(plan, [translator.translate(each) for each in inputs], translator)
        case Sort(input):
            rows = without_late(input, [each.expression for each in plan.keys])
            if plan.within is not None and translator.drops_late and is_streaming(input):
                rows = within_slack(rows, plan, plan.within, translator)
            return _sorted(plan, rows, translator)
        case Delta():
            return _streamed(plan, translator)
        case Changes(input):
            return replace(translator, drops_late=False).translate(input)


def _columns_read(expressions: Sequence[Expression]) -> frozenset[int] | None:
    """The places of the columns that expressions read; None: a sub-query may read any."""
    if any(has_subquery(each) for each in expressions):
        return None
    return frozenset[int]().union(*(columns_of(each) for each in expressions))


def in_order(relation: Relation) -> DataFrame:
    """The visible columns alone, the rows sorted in the relation's order."""
    frame = relation.frame
    if relation.order:
        frame = frame.orderBy(*(each.key() for each in relation.order))
    return frame.select(*cols(relation.columns))


# --- small operators --------------------------------------------------------------------------


def _values(plan: Values, translator: Translator) -> Relation:
    """The rows of VALUES, in their order."""
    types = types_of(plan.fields)
    seq = translator.fresh("s")
    # Rows of constants are sent as one table; any other row is a frame of its own.
    if len(plan.rows) != 1 and (sent := _literals(plan, types)) is not None:
        frame = frame_of(translator.session, types, sent).withColumnRenamed(ARRIVAL, seq)
        return translator.correlated(Relation(frame.coalesce(1), types, (SortColumn(seq),)))
    one = translator.session.range(1).select()
    base = Relation(one, ())
    parts: list[DataFrame] = []
    carried: Relation = base
    for place, row in enumerate(plan.rows):
        carried, names = with_names(base, row, translator)
        carried = translator.correlated(carried)
        columns = [
            column_of(each, names).cast(type_name(type)).alias(column_name(i))
            for i, (each, type) in enumerate(zip(row, types, strict=True))
        ]
        number = F.lit(place).cast("bigint").alias(seq)
        parts.append(carried.frame.select(*columns, number, *carried.outer_columns))
    return Relation(reduce(DataFrame.union, parts), types, (SortColumn(seq),), carried.outer)


def _literals(plan: Values, types: Sequence[Type]) -> list[Row] | None:
    """The values of the rows; None: not all of them are literals of their column's kind."""
    rows: list[Row] = []
    for row in plan.rows:
        found = [each for each in row if isinstance(each, Literal)]
        if [each.type.kind for each in found] != [each.kind for each in types]:
            return None
        rows.append(tuple(each.value for each in found))
    return rows


def _filtered(rows: Relation, condition: Expression, translator: Translator) -> Relation:
    """The rows for which the condition is true."""
    wider, names = with_names(rows, [condition], translator)
    frame = wider.frame.filter(column_of(condition, names))
    if wider is not rows:  # the columns with the answers of sub-queries are dropped
        frame = frame.select(*cols((*wider.columns, *wider.hidden)))
    return replace(wider, frame=frame)


# --- order ------------------------------------------------------------------------------------


def _sorted(plan: Sort, input: Relation, translator: Translator) -> Relation:
    """The rows in the order of the sort keys, ties in the input's order; cut by OFFSET and LIMIT.

    Without OFFSET and LIMIT nothing is sorted here: hidden columns have the order.
    """
    rows = _ordered_by(plan, input, translator)
    offset = _row_count(plan.offset, translator) or 0
    limit = _row_count(plan.limit, translator)
    if not offset and limit is None:
        return rows
    is_too_great = max(offset, limit or 0) >= 2**31  # Spark's own LIMIT and OFFSET are INTEGERs
    if not rows.outer_columns and not plan.with_ties and not is_too_great:
        order = [each.key() for each in rows.order]  # Spark sorts by one key at least
        frame = rows.frame.orderBy(*order) if order else rows.frame
        frame = frame.offset(offset) if offset else frame
        return replace(rows, frame=frame if limit is None else frame.limit(limit))
    # The rows of each enclosing row are numbered in their whole order, and ranked by the sort keys.
    by = SparkWindow.partitionBy(*(col(each) for each in rows.outer_columns))
    whole_order = keys_or_constant([each.key() for each in rows.order])
    sort_keys = keys_or_constant(whole_order[: len(plan.keys)])
    number, rank = translator.fresh("n"), translator.fresh("r")
    frame = rows.frame.withColumn(number, F.row_number().over(by.orderBy(*whole_order)))
    frame = frame.withColumn(rank, F.rank().over(by.orderBy(*sort_keys)))
    within = col(number) > offset
    if limit is not None:
        # WITH TIES: the peers of the last row have the rank of the first of them.
        last = col(rank if plan.with_ties else number) <= F.lit(min(offset + limit, 2**62))
        within = within & last & F.lit(limit > 0)
    return replace(rows, frame=frame.filter(within).drop(number, rank))


def _ordered_by(plan: Sort, input: Relation, translator: Translator) -> Relation:
    """The input with the sort keys as hidden columns, ahead of the keys of its own order."""
    rows, names = with_names(input, [k.expression for k in plan.keys], translator)
    order: list[SortColumn] = []
    columns: list[Column] = []
    for key in plan.keys:
        name = translator.fresh("o")
        columns.append(column_of(key.expression, names).alias(name))
        order.append(SortColumn(name, key.descending, key.nulls_first))
    carried = (*rows.columns, *rows.hidden)
    frame = rows.frame.select(*cols(carried), *columns)
    return replace(rows, frame=frame, order=(*order, *rows.order))


def _row_count(expression: Expression | None, translator: Translator) -> int | None:
    """The value of an OFFSET or LIMIT; None: the clause is absent."""
    match expression:
        case None:
            return None
        case Literal(int() as value):
            return value
        case _:
            row = translator.translate(Project(Values(((),), ()), (expression,), ("N",)))
            value = in_order(row).collect()[0][0]
            assert isinstance(value, int), f"a count of rows is {BIGINT}"
            return value


def _streamed(plan: Delta, translator: Translator) -> Relation:
    """The rows in the order in which they are emitted, ties in the input's order (S-303, S-305).

    Rows that are out of order pass in arrival order.  Delta is the root of a plan, so a key of its
    order may be a visible column, or a hidden one after them.
    """
    order = output_order(plan, batches=False)
    out_of_order = order is not None and order.by_time and is_out_of_order(order.plan)
    if order is None or order.sorted or out_of_order:
        return translator.translate(plan.input)
    rows = translator.translate(order.plan)
    key = SortColumn(column_name(order.place), order.descending, nulls_first=True)
    types = rows.types[: len(row_type(plan))]
    return replace(rows, types=types, order=(key, *rows.order))
