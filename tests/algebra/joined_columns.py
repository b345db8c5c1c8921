"""Joins of two streams about whose rows nothing is known but a condition."""

from collections.abc import Iterable, Sequence

from algebra.build import and_
from algebra.catalog import Column, Stream
from algebra.constraints.distance import Distance, join_distance
from algebra.expression import Expression
from algebra.plan import Join, Reads, Scan
from algebra.types import Type
from grammar.tree import JoinKind


def distance(
    conditions: Iterable[Expression], types: Sequence[Type], left: int = 0, right: int = 0
) -> Distance:
    """That of a left from a right column; each side has columns of these types."""
    columns = tuple(Column(f"C{i}", type) for i, type in enumerate(types))
    one, other = (Scan(Stream((name,), columns), Reads.STREAM) for name in ("L", "R"))
    return join_distance(Join(one, other, JoinKind.INNER, and_(*conditions)), left, right)
