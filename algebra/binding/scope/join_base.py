"""Whose rowtime the pairs of an inner join have: that of the side whose rowtime is used (S-510)."""

from collections.abc import Sequence
from dataclasses import replace

from algebra.expression import Expression
from algebra.monotonicity.columns import side_rowtimes, streaming_sides
from algebra.plan import Filter, Join, Plan, Project, Side, row_type
from algebra.rewrite import columns_of
from grammar.tree import JoinKind


def read_by(source: Plan, expressions: Sequence[Expression]) -> Plan:
    """``source`` for a node that computes ``expressions`` of its rows, the decisive ones first.

    If ``source`` is an inner join of two streams, or filters on one, the base of the join is the
    side whose rowtime the first expression uses that uses only one of the two rowtimes; else the
    left side.

    Defines: S-510.j
    """
    match source:
        case Filter(input):
            return replace(source, input=read_by(input, expressions))
        case Join(kind=JoinKind.INNER) if all(streaming_sides(source)):
            return replace(source, base=_side_used(source, expressions))
        case _:
            return source


def project(source: Plan, expressions: tuple[Expression, ...], names: tuple[str, ...]) -> Project:
    """The projection of ``source``; whose rowtime it uses, a column named ROWTIME says first."""
    named = [e for e, name in zip(expressions, names, strict=True) if name == "ROWTIME"]
    return Project(read_by(source, (*named, *expressions)), expressions, names)


def _side_used(join: Join, expressions: Sequence[Expression]) -> Side:
    left, right = side_rowtimes(join)
    offset = len(row_type(join.left))
    for expression in expressions:
        used = columns_of(expression)
        on_left = left is not None and left in used
        on_right = right is not None and offset + right in used
        if on_left != on_right:
            return Side.LEFT if on_left else Side.RIGHT
    return Side.LEFT
