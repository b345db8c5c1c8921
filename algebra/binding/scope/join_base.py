"""The base side of an inner join: the side that gives the join's rows their rowtime (S-510)."""

from collections.abc import Sequence
from dataclasses import replace

from algebra.expression import Expression
from algebra.monotonicity.columns import side_rowtimes
from algebra.plan import Filter, Join, Plan, Project, Side, row_type
from algebra.rewrite import columns_of
from grammar.tree import JoinKind


def with_base_side(source: Plan, expressions: Sequence[Expression]) -> Plan:
    """``source``, with the base side of its join set for a node that computes ``expressions``.

    Nothing changes unless ``source`` is an inner join, or filters on one.  The first expression
    that uses the rowtime of exactly one side makes this side the base; if there is no such
    expression, the left side is the base.  The base of a join with one stream has no effect.

    Defines: S-510.j
    """
    match source:
        case Filter(input):
            return replace(source, input=with_base_side(input, expressions))
        case Join(kind=JoinKind.INNER):
            return replace(source, base=_base_side(source, expressions))
        case _:
            return source


def project(source: Plan, expressions: tuple[Expression, ...], names: tuple[str, ...]) -> Project:
    """The Project of ``source``, with the base side of a join in ``source`` set.

    An expression that is named ROWTIME is considered before the others.
    """
    named = [e for e, name in zip(expressions, names, strict=True) if name == "ROWTIME"]
    return Project(with_base_side(source, (*named, *expressions)), expressions, names)


def _base_side(join: Join, expressions: Sequence[Expression]) -> Side:
    """The base side of ``join``, by the rule of `with_base_side`."""
    left, right = side_rowtimes(join)
    offset = len(row_type(join.left))
    for expression in expressions:
        used = columns_of(expression)
        # Whether the expression uses the rowtime of the left side, and that of the right side.
        on_left = left in used
        on_right = right is not None and offset + right in used
        if on_left != on_right:
            return Side.LEFT if on_left else Side.RIGHT
    return Side.LEFT
