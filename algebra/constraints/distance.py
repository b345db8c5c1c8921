"""The distance of two columns that conditions allow: linear reasoning for lock step (S-510)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from algebra.constraints.conditions import LinearValue, Reader, column, ranged
from algebra.constraints.constraint_system import Space
from algebra.constraints.extremes import extents
from algebra.constraints.linear_terms import Rule, Term, all_of
from algebra.constraints.ranges import Range, column_ranges
from algebra.constraints.row_facts import Row, present_in, row_of
from algebra.expression import Expression, InputRef
from algebra.plan import Join, row_type
from algebra.types import INTEGERS, INTERVAL, MILLIS_PER_DAY, Kind, Type
from grammar.tree import JoinKind

#: The kinds whose values are whole inside, and count from one origin within each group.
COMPARABLE: Final = (INTEGERS, {Kind.DATE, Kind.TIMESTAMP}, *({each} for each in INTERVAL))


@dataclass(frozen=True, slots=True)
class Distance:
    """The closed interval that ``right - left`` lies in, in the columns' unit; None: no end.

    Of a DATE and a TIMESTAMP in milliseconds.  ``lower > upper``: there is no such pair.
    """

    lower: int | None = None
    upper: int | None = None

    @property
    def bounded(self) -> bool:
        """Whether it has both ends."""
        return self.lower is not None and self.upper is not None


#: That of no pair at all.
NO_PAIR: Final = Distance(0, -1)


def comparable(left: Type, right: Type) -> bool:
    """Whether ``right - left`` of columns of these types is a number of whole units."""
    return any(left.kind in kinds and right.kind in kinds for kinds in COMPARABLE)


def units(left: Type, right: Type) -> tuple[int, int]:
    """What 1 of two `comparable` columns is in the unit of their distance."""
    mixed = left.kind is not right.kind and Kind.DATE in (left.kind, right.kind)
    return (
        MILLIS_PER_DAY if mixed and left.kind is Kind.DATE else 1,
        MILLIS_PER_DAY if mixed and right.kind is Kind.DATE else 1,
    )


def distance(
    conditions: Iterable[Expression], left: int, right: int, ranges: Sequence[Range] = ()
) -> Distance:
    """The distance of the columns ``left`` and ``right`` in rows where all ``conditions`` are true.

    The columns' types are `comparable`; ``ranges`` are those of all columns, where known.
    """
    space = Space()
    types: dict[int, Type] = {}
    rules: list[Rule] = []

    def read(place: InputRef) -> LinearValue:
        found = column(space, place.index, place.type)
        if place.index not in types and place.index < len(ranges) and isinstance(found, Term):
            rules.append(ranged(found, ranges[place.index]))
        types[place.index] = place.type
        return found

    reader = Reader(space, read, ranges)
    rules += [reader.holds(each) for each in conditions]
    scales = units(types[left], types[right]) if {left, right} <= types.keys() else (1, 1)
    ends = [space.named(place).times(s) for place, s in zip((left, right), scales, strict=True)]
    return _distance(space, all_of(rules), ends[0], ends[1])


def join_distance(join: Join, where: tuple[Expression, ...], left: int, right: int) -> Distance:
    """The distance of a column of either side in the pairs that ``join`` and ``where`` let pass.

    ``left`` and ``right`` are places in their own side's row, of `comparable` types.  ``where`` are
    conditions on the join's rows, which count for an inner join only.
    """
    return _found(join, where if join.kind is JoinKind.INNER else (), left, right)


@lru_cache(maxsize=512)
def _found(join: Join, where: tuple[Expression, ...], left: int, right: int) -> Distance:
    pairs = _pairs(join, where)
    ends = (pairs.left.columns[left], pairs.right.columns[right])
    a, b = (each if isinstance(each, Term) else pairs.space.fresh() for each in ends)
    scales = units(row_type(join.left)[left].type, row_type(join.right)[right].type)
    return _distance(pairs.space, pairs.rule, a.times(scales[0]), b.times(scales[1]))


@dataclass(frozen=True, slots=True)
class _Pairs:
    """The pairs of two sides' rows for which the conditions of a join are true."""

    space: Space
    left: Row
    right: Row
    rule: Rule


@lru_cache(maxsize=64)
def _pairs(join: Join, where: tuple[Expression, ...]) -> _Pairs:
    space, width = Space(), len(row_type(join.left))
    conditions = (join.condition, *where)
    present = frozenset[int]().union(*map(present_in, conditions))
    # A pair that passes has both sides, so that what it needs of a side is there.
    left = row_of(join.left, space, frozenset(i for i in present if i < width), (0,))
    right = row_of(join.right, space, frozenset(i - width for i in present if i >= width), (1,))
    both = Row(left.columns + right.columns)
    reader = both.reader(space, column_ranges(join))
    rules = (left.rule, right.rule, *(reader.holds(each) for each in conditions))
    return _Pairs(space, left, right, all_of(rules))


def _distance(space: Space, rule: Rule, left: Term, right: Term) -> Distance:
    found = extents(space, (rule,), (right.minus(left),))
    if found is None:
        return NO_PAIR
    [known] = found
    return Distance(
        None if known.lower is None else int(known.lower),
        None if known.upper is None else int(known.upper),
    )
