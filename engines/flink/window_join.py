"""A join of rows in their windows as the interval join that it is (S-509).

A row at ``r`` is in its window from ``r - following`` to ``r + preceding``.  Rows match while both
are in their windows: if neither window begins after the other's end.
"""

from dataclasses import dataclass, replace

from engines.dialect.unsupported import UnsupportedError
from engines.flink.nodes import binary, call, column
from engines.flink.rewriting import rewrite
from grammar.tree import (
    BinaryOperator,
    BoundKind,
    DerivedTable,
    Expression,
    FrameUnit,
    FromItem,
    Join,
    Name,
    Select,
    TableRef,
)


@dataclass(frozen=True, slots=True)
class _Side:
    """A side's rowtime, and its window; None: 0."""

    rowtime: Expression
    preceding: Expression | None
    following: Expression | None

    @property
    def start(self) -> Expression:
        """The first moment at which a row is in its window."""
        if self.following is None:
            return self.rowtime
        return binary(self.rowtime, BinaryOperator.MINUS, self.following)

    @property
    def end(self) -> Expression:
        """The last one."""
        if self.preceding is None:
            return self.rowtime
        return binary(self.rowtime, BinaryOperator.PLUS, self.preceding)


def by_condition(node: Select) -> Select:
    """A join of windows by a condition on the rowtimes; ROWTIME alone as the moment of a match.

    It is the first moment at which both rows are in their windows, or the last of a row that has no
    partner.  Raises `UnsupportedError` for a window of rows, and for an ASOF JOIN.
    """
    join = node.from_
    if isinstance(join, Join) and join.match is not None:
        raise UnsupportedError("no ASOF JOIN")
    if not isinstance(join, Join) or not (_over(join.left) or _over(join.right)):
        return node
    left, right = _side(join.left), _side(join.right)
    condition = _and(
        binary(left.start, BinaryOperator.LESS_OR_EQUAL, right.end),
        binary(right.start, BinaryOperator.LESS_OR_EQUAL, left.end),
    )
    if join.on is not None:
        condition = _and(join.on, condition)
    # GREATEST is NULL if a side is padded: then the moment is the end of the other side's window.
    moment = call("COALESCE", call("GREATEST", left.start, right.start), left.end, right.end)
    items, where = rewrite(
        (node.items, node.where), lambda each: moment if each == _ROWTIME else each
    )
    plain = replace(join, left=_bare(join.left), right=_bare(join.right), on=condition)
    return replace(node, items=items, where=where, from_=plain)


_ROWTIME = column("ROWTIME")


def _and(left: Expression, right: Expression) -> Expression:
    return binary(left, BinaryOperator.AND, right)


def _over(item: FromItem) -> bool:
    return isinstance(item, (TableRef, DerivedTable)) and item.over is not None


def _bare(item: FromItem) -> FromItem:
    return replace(item, over=None) if isinstance(item, (TableRef, DerivedTable)) else item


def _side(item: FromItem) -> _Side:
    match item:
        case TableRef(Name(parts), alias=alias):
            name = parts[-1] if alias is None else alias.name
        case DerivedTable(alias=alias) if alias is not None:
            name = alias.name
        case _:
            raise UnsupportedError("a window of a join's result")
    rowtime = column(name.name, "ROWTIME")
    frame = None if item.over is None else item.over.frame
    if frame is None:
        return _Side(rowtime, None, None)
    if frame.unit is not FrameUnit.RANGE:
        raise UnsupportedError("a window of ROWS in a join")
    # CURRENT ROW has no offset, as if it were left out.
    offsets = {each.kind: each.offset for each in (frame.start, frame.end) if each is not None}
    return _Side(rowtime, offsets.get(BoundKind.PRECEDING), offsets.get(BoundKind.FOLLOWING))
