"""Joins: of two relations or streams (`join`), and of the windows of two streams (`window_join`).

Defined in S-508 to S-513.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import Window as SparkWindow
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.expression import Expression
from algebra.plan import Join, RowsWindow, SideWindow, TimeWindow, WindowJoin
from algebra.rewrite import conjuncts, has_subquery
from algebra.types import TIMESTAMP, Type
from grammar.tree import JoinKind
from spark_backend.columns.expression import Names, column_of
from spark_backend.columns.in_python import has_python_part
from spark_backend.columns.logic import all_of, truth
from spark_backend.made_once import col
from spark_backend.operators.subqueries import with_names
from spark_backend.relation import (
    Relation,
    SortColumn,
    column_name,
    outer_references,
)
from spark_backend.runtime.failure_location import can_fail_at_a_row
from spark_backend.translator import Translator

_HOW: Final = {
    JoinKind.INNER: "inner",
    JoinKind.LEFT: "left",
    JoinKind.RIGHT: "right",
    JoinKind.FULL: "full",
}
#: Later than every TIMESTAMP.
_NEVER: Final = 2**62


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Both sides of a join, under names that do not clash.

    The columns of ``right`` are numbered after those of ``left``.  ``same``: pairs of columns with
    outer values, one from the left and one from the right, that must be equal.  ``found``: the name
    of a column of each side that is NULL only in padding.
    """

    left: Relation
    right: Relation
    same: tuple[tuple[str, str], ...]
    found: tuple[str, str]


def join(node: Join, left: Relation, right: Relation, translator: Translator) -> Relation:
    """The pairs of rows for which the condition is true, and the padded rows.

    They are in any order, unless a window above numbers the rows or there are few rows: then they
    are in the order of the left side, except if the join pads left columns.
    """
    order: tuple[SortColumn, ...] = ()
    if (translator.ordered or translator.small) and not node.kind.preserves_right:
        # The letter w marks hidden columns of a side that are carried through the join.
        order = tuple(replace(each, column=translator.fresh("w")) for each in left.order)
        places = zip(order, left.order, strict=True)
        carried = [col(old.column).alias(new.column) for new, old in places]
        left = replace(left, frame=left.frame.select("*", *carried))
    pairs = _pairs(node.kind, node.condition, left, right, translator)
    frame = _matched(pairs, node.kind, node.condition, None, translator)
    types = (*left.types, *right.types)
    columns = [col(column_name(i)) for i in range(len(types))]
    return _result(frame, pairs, node.kind, columns, types, order)


def window_join(
    node: WindowJoin,
    left: Relation,
    right: Relation,
    translator: Translator,
) -> Relation:
    """The pairs of rows whose windows have a common time; the least common time is ROWTIME.

    A row's window is an interval of times, closed at both ends.  So two windows have a common time
    if the later of the two starts is not after the earlier of the two ends.  The ROWTIME of an
    unmatched row is the greatest time of its window, or its own time if the window is empty.
    """
    windows = (node.left_window, node.right_window)
    has_rows_window = any(isinstance(each, RowsWindow) for each in windows)
    last: Column | None = None
    if has_rows_window and node.kind is not JoinKind.INNER:
        left, right, last = _with_last(node, left, right, translator)
    spans = [_Span(*(translator.fresh("w") for _ in range(3))) for _ in range(2)]
    left = _with_span(left, node.left_rowtime, node.left_window, spans[0], last)
    right = _with_span(right, node.right_rowtime, node.right_window, spans[1], last)
    pairs = _pairs(node.kind, node.condition, left, right, translator)
    start = F.greatest(*(col(each.first) for each in spans))
    meet = start <= F.least(*(col(each.last) for each in spans))
    frame = _matched(pairs, node.kind, node.condition, meet, translator)
    rowtime = (
        F.when(col(pairs.found[1]).isNull(), col(spans[0].unmatched))
        .when(col(pairs.found[0]).isNull(), col(spans[1].unmatched))
        .otherwise(start)
    )
    types = (*left.types, *right.types)
    columns = [col(column_name(i)) for i in range(len(types))]
    rowtimes = TIMESTAMP.as_nullable(False)
    return _result(frame, pairs, node.kind, [*columns, rowtime], (*types, rowtimes))


@dataclass(frozen=True, slots=True)
class _Span:
    """The columns of a row's window: its first and last time, and the ROWTIME if unmatched."""

    first: str
    last: str
    unmatched: str


def _with_last(
    node: WindowJoin, left: Relation, right: Relation, translator: Translator
) -> tuple[Relation, Relation, Column]:
    """Both sides with one more column, the greatest rowtime of both sides; and this column.

    A window ROWS n that no later row has ended ends at this rowtime.
    """
    if left.outer is not None or right.outer is not None:
        left, right = translator.correlated(left), translator.correlated(right)
    # The letter w marks hidden columns of a side that are carried through the join.
    time, last = translator.fresh("w"), translator.fresh("w")
    times = [
        side.frame.select(col(column_name(place)).alias(time), *side.outer_columns)
        for side, place in ((left, node.left_rowtime), (right, node.right_rowtime))
    ]
    greatest = times[0].union(times[1]).groupBy(*left.outer_columns).agg(F.max(time).alias(last))
    renamed = {each: translator.fresh("x") for each in left.outer_columns}
    greatest = greatest.withColumnsRenamed(renamed)
    same = all_of(col(a).eqNullSafe(col(b)) for a, b in renamed.items())
    sides = [
        replace(each, frame=each.frame.join(greatest, same).drop(*renamed.values()))
        for each in (left, right)
    ]
    return sides[0], sides[1], col(last)


def _with_span(
    side: Relation, place: int, window: SideWindow, span: _Span, last: Column | None
) -> Relation:
    """The side with each row's window; ``last``: the greatest rowtime of both sides, if needed."""
    time = col(column_name(place))
    match window:
        case RowsWindow(rows):
            order = [time.asc(), *(each.key() for each in side.order)]
            by = SparkWindow.partitionBy(*(col(each) for each in side.outer_columns)).orderBy(
                *order
            )
            # The window ends before the rowtime of the n-th later row.  Without one it has no end.
            known = F.lead(time, rows).over(by) - F.lit(1)
            first, end = time, F.coalesce(known, F.lit(_NEVER))
            # A row that is followed by n rows of its own time has an empty window, which ends with
            # the row.
            unmatched = end if last is None else F.greatest(time, F.coalesce(known, last))
        case TimeWindow(preceding, following):
            # The window of a time u has the rows from u - preceding to u + following.  So a row is
            # in the windows of the times from its own minus following to its own plus preceding.
            first, end = time - F.lit(following), time + F.lit(preceding)
            unmatched = end
    columns = [*(col(each) for each in (*side.columns, *side.hidden))]
    new = [
        c.alias(n) for c, n in ((first, span.first), (end, span.last), (unmatched, span.unmatched))
    ]
    return replace(side, frame=side.frame.select(*columns, *new))


# --- pairs ------------------------------------------------------------------------------------


def _pairs(
    kind: JoinKind,
    condition: Expression,
    left: Relation,
    right: Relation,
    translator: Translator,
) -> _Pairs:
    """The sides under names that do not clash, both with outer values if one needs them."""
    if left.outer is not None or right.outer is not None or outer_references(condition):
        # Rows are padded for each combination of outer values: both sides must carry these.  In an
        # INNER join it suffices that the left one does.
        left = translator.correlated(left)
        right = translator.correlated(right) if kind is not JoinKind.INNER else right
    width = len(left.types)
    renamed = {each: translator.fresh("x") for each in right.outer_columns}
    found = (translator.fresh("m"), translator.fresh("m"))
    # The hidden columns whose names were made of the letter w.
    extra = [each for each in right.frame.columns if each.startswith("w_")]
    right_frame = right.frame.select(
        *(col(each).alias(column_name(width + i)) for i, each in enumerate(right.columns)),
        *(col(old).alias(new) for old, new in renamed.items()),
        *extra,
        F.lit(1).alias(found[1]),
    )
    extra = [each for each in left.frame.columns if each.startswith("w_")]
    left_frame = left.frame.select(
        *left.columns, *left.outer_columns, *extra, F.lit(1).alias(found[0])
    )
    return _Pairs(
        replace(left, frame=left_frame),
        replace(right, frame=right_frame),
        tuple((old, new) for old, new in renamed.items()),
        found,
    )


def _matched(
    pairs: _Pairs,
    kind: JoinKind,
    condition: Expression,
    meet: Column | None,
    translator: Translator,
) -> DataFrame:
    """The joined rows, padded according to the kind of join; ``meet``: a further condition."""
    left, right = pairs.left, pairs.right
    base = [col(a).eqNullSafe(col(b)) for a, b in pairs.same]
    base += [meet] if meet is not None else []
    both = replace(left, types=(*left.types, *right.types))
    # Spark has no Python in the condition of an outer join.
    in_python = kind is not JoinKind.INNER and has_python_part(condition)
    if not has_subquery(condition) and not in_python:
        whole = _in_turn(base, condition, both.names(translator.now))
        return left.frame.join(right.frame, whole, _HOW[kind])
    # The condition, which may have a sub-query over both rows, is evaluated for the pairs, and then
    # rows are padded.  The sides are materialised with row ids, which must be the same at both
    # readings.
    row_ids = (translator.fresh("id"), translator.fresh("id"))
    sides = [
        side.frame.withColumn(name, F.monotonically_increasing_id()).localCheckpoint()
        for side, name in zip((left, right), row_ids, strict=True)
    ]
    crossed = sides[0].join(sides[1], all_of(base))
    answered, names = with_names(replace(both, frame=crossed), [condition], translator)
    matched = answered.frame.filter(_in_turn(base, condition, names)).select(*crossed.columns)
    matched = matched.localCheckpoint()
    parts = [matched]
    preserved = (kind.preserves_left, kind.preserves_right)
    for side, name, padded in zip(sides, row_ids, preserved, strict=True):
        if padded:
            seen = translator.fresh("id")
            hits = matched.select(col(name).alias(seen)).distinct()
            parts.append(side.join(hits, col(name) == col(seen), "left_anti"))
    return reduce(partial(DataFrame.unionByName, allowMissingColumns=True), parts)


def _in_turn(base: Sequence[Column], condition: Expression, names: Names) -> Column:
    """``base`` and ``condition``; a conjunct that can fail is evaluated after those before it.

    It is evaluated only for pairs for which all conjuncts before it are true (S-202.r, S-202.s).
    Spark itself evaluates conjuncts in another order: equalities first, and a conjunct over one
    side even for rows that have no partner.  So the conjuncts from the first that can fail are one
    condition with CASE, which Spark does not take apart.
    """
    in_any_order = list(base)
    rest = list(conjuncts(condition))
    # All pairs need the very first condition, even if it can fail.
    while rest and (not in_any_order or not can_fail_at_a_row(rest[0], at_edges=False)):
        in_any_order.append(column_of(rest.pop(0), names))
    whole = all_of(in_any_order)
    for each in rest:
        whole = F.when(whole, column_of(each, replace(names, needed=whole)))
    return all_of([*in_any_order, whole.eqNullSafe(truth(True))]) if rest else whole


def _result(
    frame: DataFrame,
    pairs: _Pairs,
    kind: JoinKind,
    columns: Sequence[Column],
    types: Sequence[Type],
    order: tuple[SortColumn, ...] = (),
) -> Relation:
    """The joined rows with their columns, and outer values from the side that is not padded."""
    outer: list[Column] = []
    same = dict(pairs.same)
    for each in pairs.left.outer_columns:
        value = col(each)
        if kind.preserves_right and each in same:
            value = F.when(col(pairs.found[0]).isNull(), col(same[each])).otherwise(value)
        outer.append(value.alias(each))
    named = [each.alias(column_name(i)) for i, each in enumerate(columns)]
    hidden = [*(col(each.column) for each in order), *outer]
    return Relation(frame.select(*named, *hidden), tuple(types), order, pairs.left.outer)
