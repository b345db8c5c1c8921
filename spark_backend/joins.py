"""Join and WindowJoin (S-508 to S-513)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import Window as SparkWindow
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.expression import Expression
from algebra.plan import Join, RowsWindow, SideWindow, WindowJoin
from algebra.rewrite import has_subquery
from algebra.types import TIMESTAMP, Type
from grammar.tree import JoinKind
from spark_backend.expression import column_of
from spark_backend.logic import all_of
from spark_backend.relation import (
    Outer,
    Relation,
    Run,
    column_name,
    correlated,
    outer_references,
)
from spark_backend.subqueries import Translate, with_names

_HOW: Final = {
    JoinKind.INNER: "inner",
    JoinKind.LEFT: "left",
    JoinKind.RIGHT: "right",
    JoinKind.FULL: "full",
}
_KEEPS_LEFT: Final = frozenset({JoinKind.LEFT, JoinKind.FULL})
_KEEPS_RIGHT: Final = frozenset({JoinKind.RIGHT, JoinKind.FULL})


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Both sides ready to be joined.

    ``left`` has the columns of its places, ``right`` those that follow.  ``same``: the enclosing
    rows' columns of the left, and those that must equal them on the right.  ``found``: a column of
    each side that is never NULL, so that padding shows.
    """

    left: Relation
    right: Relation
    same: tuple[tuple[str, str], ...]
    found: tuple[str, str]


def join(
    node: Join, left: Relation, right: Relation, run: Run, outer: Outer | None, translate: Translate
) -> Relation:
    """The pairs of rows for which the condition is true, and padded rows; their order is open."""
    pairs = _pairs(node.kind, node.condition, left, right, run, outer)
    frame = _matched(pairs, node.kind, node.condition, None, run, translate)
    types = (*left.types, *right.types)
    columns = [F.col(column_name(i)) for i in range(len(types))]
    return _result(frame, pairs, node.kind, columns, types)


def window_join(
    node: WindowJoin,
    left: Relation,
    right: Relation,
    run: Run,
    outer: Outer | None,
    translate: Translate,
) -> Relation:
    """The pairs that are in both windows at some time, with the least such time as ROWTIME.

    A row's window is an interval of times, closed at both ends: two rows meet if the later of the
    two starts is not after the earlier of the two ends.
    """
    spans = [(run.fresh("w"), run.fresh("w")) for _ in range(2)]
    left = _with_span(left, node.left_rowtime, node.left_window, spans[0])
    right = _with_span(right, node.right_rowtime, node.right_window, spans[1])
    pairs = _pairs(node.kind, node.condition, left, right, run, outer)
    starts, ends = ([F.col(each[i]) for each in spans] for i in range(2))
    meet = F.greatest(*starts) <= F.least(*ends)
    frame = _matched(pairs, node.kind, node.condition, meet, run, translate)
    # An unmatched row has the greatest time of its window.
    rowtime = (
        F.when(F.col(pairs.found[1]).isNull(), ends[0])
        .when(F.col(pairs.found[0]).isNull(), ends[1])
        .otherwise(F.greatest(*starts))
    )
    types = (*left.types, *right.types)
    columns = [F.col(column_name(i)) for i in range(len(types))]
    rowtimes = TIMESTAMP.as_nullable(False)
    return _result(frame, pairs, node.kind, [*columns, rowtime], (*types, rowtimes))


def _with_span(side: Relation, place: int, window: SideWindow, names: tuple[str, str]) -> Relation:
    """The side with the first and last time at which each row is in its window."""
    time = F.col(column_name(place))
    if isinstance(window, RowsWindow):
        order = [each.key() for each in side.order] or [time.asc()]
        by = SparkWindow.partitionBy(*(F.col(each) for each in side.per)).orderBy(*order)
        # Until, not including, the rowtime of the n-th later row; with none, it never leaves, and
        # its last time that is known is its own.
        later = F.lead(time, window.rows).over(by)
        first, last = time, later - F.lit(1)
        last = F.when(later.isNull(), F.lit(None)).otherwise(last)
        never = F.lit(2**62)
        last = F.coalesce(last, never)
    else:
        first, last = time - F.lit(window.following), time + F.lit(window.preceding)
    frame = side.frame.withColumns({names[0]: first, names[1]: last})
    return replace(side, frame=frame)


# --- pairs ------------------------------------------------------------------------------------


def _pairs(
    kind: JoinKind,
    condition: Expression,
    left: Relation,
    right: Relation,
    run: Run,
    outer: Outer | None,
) -> _Pairs:
    """The sides under names that do not clash, both with the enclosing rows where one has them."""
    if outer is not None and (
        left.outer is not None or right.outer is not None or outer_references(condition)
    ):
        # Padding is for each enclosing row: both sides must tell them apart.
        left = correlated(left, outer)
        right = correlated(right, outer) if kind is not JoinKind.INNER else right
    width = len(left.types)
    renamed = {each: run.fresh("x") for each in right.per}
    found = (run.fresh("m"), run.fresh("m"))
    extra = [each for each in right.frame.columns if each.startswith("w_")]
    right_frame = right.frame.select(
        *(F.col(each).alias(column_name(width + i)) for i, each in enumerate(right.columns)),
        *(F.col(old).alias(new) for old, new in renamed.items()),
        *extra,
        F.lit(1).alias(found[1]),
    )
    extra = [each for each in left.frame.columns if each.startswith("w_")]
    left_frame = left.frame.select(*left.columns, *left.per, *extra, F.lit(1).alias(found[0]))
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
    run: Run,
    translate: Translate,
) -> DataFrame:
    """The joined rows, padded where the kind of join has it so."""
    left, right = pairs.left, pairs.right
    base = [F.col(a).eqNullSafe(F.col(b)) for a, b in pairs.same]
    base += [meet] if meet is not None else []
    both = replace(left, types=(*left.types, *right.types))
    if not has_subquery(condition):
        names = both.names(run)
        whole = all_of([*base, column_of(condition, names)])
        return left.frame.join(right.frame, whole, _HOW[kind])
    # A sub-query may look at both rows: it is answered for the pairs, and padding follows.  The
    # sides get identities that survive being read twice.
    identities = (run.fresh("id"), run.fresh("id"))
    sides = [
        side.frame.withColumn(name, F.monotonically_increasing_id()).localCheckpoint()
        for side, name in zip((left, right), identities, strict=True)
    ]
    crossed = sides[0].join(sides[1], all_of(base))
    answered, names = with_names(replace(both, frame=crossed), [condition], run, None, translate)
    matched = answered.frame.filter(column_of(condition, names)).select(*crossed.columns)
    matched = matched.localCheckpoint()
    parts = [matched]
    for side, name, kinds in zip(sides, identities, (_KEEPS_LEFT, _KEEPS_RIGHT), strict=True):
        if kind in kinds:
            seen = run.fresh("id")
            hits = matched.select(F.col(name).alias(seen)).distinct()
            parts.append(side.join(hits, F.col(name) == F.col(seen), "left_anti"))
    return _united(parts)


def _united(parts: Sequence[DataFrame]) -> DataFrame:
    """The rows of all; a column that one does not have is NULL in its rows."""
    whole, *others = parts
    for each in others:
        whole = whole.unionByName(each, allowMissingColumns=True)
    return whole


def _result(
    frame: DataFrame,
    pairs: _Pairs,
    kind: JoinKind,
    columns: Sequence[Column],
    types: Sequence[Type],
) -> Relation:
    """The rows with their columns, and the enclosing rows' columns from the side that has them."""
    per: list[Column] = []
    same = dict(pairs.same)
    for each in pairs.left.per:
        value = F.col(each)
        if kind in _KEEPS_RIGHT and each in same:
            value = F.when(F.col(pairs.found[0]).isNull(), F.col(same[each])).otherwise(value)
        per.append(value.alias(each))
    named = [each.alias(column_name(i)) for i, each in enumerate(columns)]
    return Relation(frame.select(*named, *per), tuple(types), (), pairs.left.outer)
