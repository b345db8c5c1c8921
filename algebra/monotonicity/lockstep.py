"""Lock step: how far apart the rows of two joined streams can be (S-510)."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from algebra.constraints.distance import Distance, join_distance, units
from algebra.expression import Expression
from algebra.monotonicity.columns import (
    Orders,
    Side,
    base_side,
    column_monotonicity,
    side_rowtimes,
)
from algebra.monotonicity.context import Context
from algebra.monotonicity.lock_columns import lock_candidates, locked_columns
from algebra.plan import (
    Filter,
    Join,
    Plan,
    Scan,
    row_type,
)
from algebra.types import UNIT_MILLIS, Kind
from grammar.tree import TimeUnit

HOUR: Final = UNIT_MILLIS[TimeUnit.HOUR]


@dataclass(frozen=True, slots=True)
class LockStep:
    """Two monotonic columns whose distance is bounded in all rows of a join.

    ``left`` and ``right`` are places in their own side's row; ``right - left`` lies in
    ``[lower, upper]``, both ends included, in the columns' unit (milliseconds, days, numbers);
    ``lower > upper`` where no pair can match.  Both columns ascend, or both descend.  ``base`` is
    the side whose column is the time u of a pair; None in a FULL join, which has no such side.
    """

    left: int
    right: int
    lower: int
    upper: int
    base: Side | None = Side.LEFT
    descending: bool = False
    #: What 1 of either column is in the unit of ``lower`` and ``upper``: a day beside milliseconds.
    left_unit: int = 1
    right_unit: int = 1

    @property
    def right_is_base(self) -> bool:
        """Whether the right side's column is the time u; in a FULL join the left one's is."""
        return self.base is Side.RIGHT

    @property
    def scales(self) -> tuple[int, int]:
        """What a left and a right value is multiplied by to be a time in u, which always rises."""
        sign = -1 if self.descending else 1
        return sign * self.left_unit, sign * self.right_unit

    def right_range(self, left: int) -> tuple[int, int]:
        """The least and greatest right value that can match ``left`` (S-511).

        The left row is open while a right row with such a value may come: while the bound of the
        right column is at most the greatest (descending: at least the least).  Empty, that is the
        least above the greatest, if none can match.
        """
        value = left * self.left_unit
        return self._whole(value + self.lower, value + self.upper, self.right_unit)

    def left_range(self, right: int) -> tuple[int, int]:
        """The least and greatest left value that can match ``right``; as in `right_range`."""
        value = right * self.right_unit
        return self._whole(value - self.upper, value - self.lower, self.left_unit)

    @staticmethod
    def _whole(least: int, greatest: int, unit: int) -> tuple[int, int]:
        return math.ceil(Fraction(least, unit)), greatest // unit


@dataclass(frozen=True, slots=True)
class MissingInequality:
    """What a join's conditions fail to say, as it reads in a message, and what would pass."""

    reason: str
    hint: str


#: What the query calls a column of a join's row; None: it has no name there.
Naming = Callable[[int], str | None]


def lock_step_of(join: Join, context: Context) -> LockStep:
    """The lock step of a join of two streams that binding has accepted: all that it runs by."""
    found = lockstep(join, context.where, reader=context.reader)
    assert isinstance(found, LockStep), f"binding let a join without lock step pass: {found.reason}"
    return found


def lockstep(
    join: Join,
    where: tuple[Expression, ...] = (),
    naming: Naming = lambda _: None,
    reader: Plan | None = None,
) -> LockStep | MissingInequality:
    """The lock step of a join of two streams; ``where`` are the conditions of filters above it.

    The rowtimes, if their distance is bounded; else the first pair of monotonic columns of one
    direction whose distance is.  ``where`` counts for an inner join only (S-510).  ``reader`` is
    the node above the join and its filters, which tells the base side.

    Defines: S-510.a
    """
    sides = column_monotonicity(join.left), column_monotonicity(join.right)
    match locked_columns(join, where, sides, side_rowtimes(join)):
        case (i, j, Distance(int(lower), int(upper))):
            base = base_side(join, reader)
            scales = units(row_type(join.left)[i].type, row_type(join.right)[j].type)
            return LockStep(i, j, lower, upper, base, sides[0][i].descending, *scales)
        case _:
            return _missing(join, where, sides, naming)


def _missing(
    join: Join,
    where: tuple[Expression, ...],
    sides: tuple[Orders, Orders],
    naming: Naming,
) -> MissingInequality:
    """The ends that are missing of the best known pair; rowtimes are better than others."""
    pairs = list(lock_candidates(join, sides, side_rowtimes(join)))
    if not pairs:
        return MissingInequality(_no_pair(*sides), "join on columns that are both monotonic")
    ends = [(pair, join_distance(join, where, *pair)) for pair in pairs]
    (i, j), known = min(ends, key=lambda each: each[1] == Distance())
    a, b = _names(join, i, j, naming)
    end = "upper bound" if known.lower is not None else "lower bound"
    missing = end if known != Distance() else "bound"
    is_time = row_type(join.left)[i].type.kind is Kind.TIMESTAMP
    hint = _within_an_hour(a, b, known) if is_time else f"{a} = {b}"
    return MissingInequality(f"no {missing} of {b} - {a}", f"add to the condition: {hint}")


def _within_an_hour(a: str, b: str, known: Distance) -> str:
    """The end of ``b - a`` that is not known, an hour from the one that is, or from 0."""
    if known.lower is not None:
        hours = max(0, -(-known.lower // HOUR)) + 1
        return f"{b} <= {a} + INTERVAL '{hours}' HOUR"
    if known.upper is not None:
        hours = max(0, -(known.upper // HOUR)) + 1
        return f"{b} >= {a} - INTERVAL '{hours}' HOUR"
    return f"{b} BETWEEN {a} AND {a} + INTERVAL '1' HOUR"


def _no_pair(left: Orders, right: Orders) -> str:
    for side, orders in (("left", left), ("right", right)):
        if not any(each.progresses for each in orders):
            return f"the {side} side has no monotonic column"
    return "the sides have no monotonic columns of one type and direction"


def _names(join: Join, i: int, j: int, naming: Naming) -> tuple[str, str]:
    """What a person calls the columns; the sides, where both would be called the same."""
    left = naming(i) or _name(join.left, i)
    right = naming(len(row_type(join.left)) + j) or _name(join.right, j)
    if left != right:
        return left, right
    return f"left {left}", f"right {right}"


def _name(plan: Plan, column: int) -> str:
    """The column with the name of the stream that it is read of, if it is read directly."""
    name = row_type(plan)[column].name
    while isinstance(plan, Filter):
        plan = plan.input
    return f"{plan.source.name[-1]}.{name}" if isinstance(plan, Scan) else name
