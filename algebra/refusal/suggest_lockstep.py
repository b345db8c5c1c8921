"""Suggestions for a join of two streams that are not in lock step."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from algebra.binding.scope.names import quoted
from algebra.binding.scope.streaming import selects
from algebra.constraints.distance import Distance, join_distance
from algebra.monotonicity.columns import column_monotonicity, lock_candidates
from algebra.monotonicity.lockstep import Naming
from algebra.plan import Join, row_type
from algebra.refusal.suggestion import HOUR_MS, insert, seconds
from algebra.types import Kind
from grammar import tree
from grammar.source import Edit, Span
from grammar.suggestion import Suggestion
from grammar.tree import BinaryOperator


def suggest_inequalities(
    join: Join,
    node: tree.Join,
    naming: Naming,
    select: tree.Select,
    sql: str,
) -> Iterator[Suggestion]:
    """Suggest the missing inequalities, first for pairs of columns of which one end is known.

    ``node`` is the syntax of ``join``, and ``select`` the SELECT around it.  ``naming`` gives the
    name of a column of the join in the query, None if it has no name.
    """
    width = len(row_type(join.left))
    orders = column_monotonicity(join.left), column_monotonicity(join.right)
    using = _spelled_out(join, node, naming)
    # For each pair: the distance that the conditions bound already, the type, and the two names.
    pairs = [
        (
            join_distance(join, i, j),
            row_type(join.left)[i].type,
            naming(i),
            naming(width + j),
        )
        for i, j in lock_candidates(join)
    ]
    for known, type, a, b in sorted(pairs, key=lambda each: each[0] == Distance()):
        if a is not None and b is not None:
            is_time = type.kind is Kind.TIMESTAMP
            condition = _within_an_hour(a, b, known) if is_time else f"{a} = {b}"
            for edit in _conditions(node, select, condition, using, sql):
                yield Suggestion("write how far apart the rows may be", (edit,))
    if not pairs:
        sides = (
            _Side.of(node.left, (naming(i) for i, e in enumerate(orders[0]) if e.progresses)),
            _Side.of(
                node.right, (naming(width + i) for i, e in enumerate(orders[1]) if e.progresses)
            ),
        )
        yield from _with_rowtimes(sides, node, select, using, sql)


@dataclass(frozen=True, slots=True)
class _Side:
    """The name of the rowtime of a join's side, and the edits that make the side select it."""

    time: str
    edits: tuple[Edit, ...]

    @staticmethod
    def of(item: tree.FromItem, names: Iterable[str | None]) -> "_Side | None":
        """The side that is the FROM item ``item``; ``names`` are those of its monotonic columns.

        The first known name is taken as it is.  If there is none, a sub-query is edited to select
        its rowtime.  None: that is not possible either.
        """
        known = next((each for each in names if each is not None), None)
        if known is not None:
            return _Side(known, ())
        if not isinstance(item, tree.DerivedTable) or item.alias is None or item.alias.columns:
            return None
        lists = [each.items for each in selects(item.query) if each.from_ is not None]
        edits = tuple(insert(each[-1].span.end, ", ROWTIME") for each in lists)
        return _Side(f"{quoted(item.alias.name.name)}.ROWTIME", edits) if edits else None


def _with_rowtimes(
    sides: tuple[_Side | None, _Side | None],
    node: tree.Join,
    select: tree.Select,
    using: Sequence[str],
    sql: str,
) -> Iterator[Suggestion]:
    """Suggest that both sides select their rowtimes, and a condition on the two rowtimes.

    Nothing is suggested if a side is None.
    """
    left, right = sides
    if left is not None and right is not None:
        condition = _within_an_hour(left.time, right.time, Distance())
        for edit in _conditions(node, select, condition, using, sql):
            advice = "select the rowtime on both sides, and write how far apart they may be"
            yield Suggestion(advice, (*left.edits, *right.edits, edit))


def _spelled_out(join: Join, node: tree.Join, naming: Naming) -> list[str]:
    """The equalities that USING stands for."""
    width = len(row_type(join.left))
    left, right = ([each.name for each in row_type(side)] for side in (join.left, join.right))
    found: list[str] = []
    for each in node.using:
        if each.name in left and each.name in right:
            a, b = naming(left.index(each.name)), naming(width + right.index(each.name))
            found.append(f"{a} = {b}")
    return found


def _conditions(
    join: tree.Join, select: tree.Select, condition: str, using: Sequence[str], sql: str
) -> Iterator[Edit]:
    """The edits that each add ``condition`` at another place; a caller makes only one of them.

    The place is ON if the join has it.  Without ON there is an edit for WHERE and, if the join has
    USING, an edit that replaces USING by ON; ``using`` are the equalities that USING stands for.
    """
    if join.on is not None:
        yield _and_also(join.on, condition, sql)
        return
    if select.where is not None:
        yield _and_also(select.where, condition, sql)
    elif select.from_ is not None:
        yield insert(select.from_.span.end, f" WHERE {condition}")
    if using:
        using_clause = Span(join.right.span.end, join.span.end)
        yield Edit(using_clause, f" ON {' AND '.join([*using, condition])}")


def _and_also(node: tree.Expression, condition: str, sql: str) -> Edit:
    """The edit that adds ``AND condition`` to the condition ``node``."""
    text = sql[node.span.start : node.span.end]
    if isinstance(node, tree.Binary) and node.operator is BinaryOperator.OR:
        return Edit(node.span, f"({text}) AND {condition}")
    return insert(node.span.end, f" AND {condition}")


def _within_an_hour(left: str, right: str, known: Distance) -> str:
    """A condition that bounds ``right - left`` at each end at which ``known`` has no bound.

    A new upper bound is an hour above the known lower bound, or above 0 if that is greater.  A new
    lower bound is an hour below the known upper bound, or below 0 if that is less.
    """
    if known.lower is not None:
        return f"{right} <= {left} + {seconds(max(known.lower, 0) + HOUR_MS)}"
    if known.upper is not None:
        return f"{right} >= {left} - {seconds(max(-known.upper, 0) + HOUR_MS)}"
    return f"{right} BETWEEN {left} AND {left} + {seconds(HOUR_MS)}"
