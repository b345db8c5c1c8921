"""Lock step: two streams can be joined if their rows are a bounded distance apart (S-510)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from algebra.constraints.distance import Distance, join_distance, units
from algebra.monotonicity.columns import (
    OrderOf,
    Orders,
    base_side,
    column_monotonicity,
    lock_candidates,
    locked_columns,
)
from algebra.plan import (
    Filter,
    Join,
    Plan,
    Scan,
    Side,
    row_type,
)
from algebra.types import UNIT_MILLIS, Kind
from grammar.tree import TimeUnit

HOUR: Final = UNIT_MILLIS[TimeUnit.HOUR]


@dataclass(frozen=True, slots=True)
class LockStep:
    """A pair of monotonic columns whose distance is bounded in all rows of a join of streams.

    ``left`` and ``right`` are the places of the columns, each in its own side's row.  ``right -
    left`` lies in ``[lower, upper]``, in the columns' unit, or in milliseconds if one is a DATE and
    the other a TIMESTAMP.  If ``lower > upper``, no pair can match.  Both columns ascend, or both
    are ``descending``.  ``base`` is the side whose column is the time u of a pair.  It is None in a
    FULL join, in which u of a pair is the left column.  ``left_unit`` and ``right_unit`` are the
    factors that convert values of the columns to the unit of the distance.
    """

    left: int
    right: int
    lower: int
    upper: int
    base: Side | None = Side.LEFT
    descending: bool = False
    left_unit: int = 1
    right_unit: int = 1

    @property
    def right_is_base(self) -> bool:
        """Whether the time u of a pair is the right column."""
        return self.base is Side.RIGHT

    @property
    def possible(self) -> bool:
        """Whether the condition of the join allows any pair."""
        return self.lower <= self.upper

    @property
    def unmatched_offset(self) -> int:
        """The right column's value in an unmatched right row of a FULL join, minus the row's u.

        Its u is the last value of a left row that could match: its own value minus ``lower``, or
        minus ``upper`` if the columns descend.
        It is 0 if no pair is `possible`: then u is the value itself (S-510.l).
        """
        if not self.possible:
            return 0
        return self.upper if self.descending else self.lower

    @property
    def scales(self) -> tuple[int, int]:
        """The factors that turn a left and a right value into a time u, which always ascends."""
        sign = -1 if self.descending else 1
        return sign * self.left_unit, sign * self.right_unit


@dataclass(frozen=True, slots=True)
class MissingInequality:
    """The parts of the error for a join that is not in lock step: the reason, and the hint.

    The hint has the inequality that is missing in the condition, or another correction.
    """

    reason: str
    hint: str


#: Returns the name that the query has for a column of the join's row; None if it has none.
Naming = Callable[[int], str | None]


def lock_step_of(join: Join) -> LockStep:
    """The lock step of a join of two streams, in a plan that binding has accepted.

    Binding accepts no join of two streams that is not in lock step.
    """
    found = lockstep(join)
    assert isinstance(found, LockStep), f"binding let a join without lock step pass: {found.reason}"
    return found


def lockstep(join: Join, naming: Naming = lambda _: None) -> LockStep | MissingInequality:
    """The lock step of a join of two streams, or the inequalities that are missing for it.

    The pair of columns is `locked_columns`: the rowtimes if their distance is bounded, else another
    pair.  ``naming`` returns the names of columns for messages.
    """
    match locked_columns(join):
        case (i, j, Distance(int(lower), int(upper))):
            left_unit, right_unit = units(row_type(join.left)[i].type, row_type(join.right)[j].type)
            return LockStep(
                left=i,
                right=j,
                lower=lower,
                upper=upper,
                base=base_side(join),
                descending=column_monotonicity(join.left, OrderOf.BOUNDS)[i].descending,
                left_unit=left_unit,
                right_unit=right_unit,
            )
        case _:
            return _missing(join, naming)


def _missing(join: Join, naming: Naming) -> MissingInequality:
    """The inequality that is missing for lock step: a limit of the distance of two columns.

    It is the first pair whose distance has one limit, else the first pair; rowtimes come first.
    """
    pairs = list(lock_candidates(join))
    if not pairs:
        return MissingInequality(
            _no_pair(column_monotonicity(join.left), column_monotonicity(join.right)),
            "join on columns that are both monotonic",
        )
    distances = [(pair, join_distance(join, *pair)) for pair in pairs]
    # `Distance()` has no limit; a pair with a limit (False) comes before a pair without one (True).
    (i, j), known = min(distances, key=lambda each: each[1] == Distance())
    a, b = _names(join, i, j, naming)
    end = "upper bound" if known.lower is not None else "lower bound"
    missing = end if known != Distance() else "bound"
    is_time = row_type(join.left)[i].type.kind is Kind.TIMESTAMP
    hint = _within_an_hour(a, b, known) if is_time else f"{a} = {b}"
    return MissingInequality(f"no {missing} of {b} - {a}", f"add to the condition: {hint}")


def _within_an_hour(a: str, b: str, known: Distance) -> str:
    """A condition that limits ``b - a`` at each end at which ``known`` has no limit.

    An upper limit is an hour after the known lower limit, or after 0 if that limit is negative.  A
    lower limit is an hour before the known upper limit, or before 0 if that limit is positive.
    Hours that are not whole are rounded outward.  If nothing is known, they are 0 and an hour.
    """
    if known.lower is not None:
        hours = max(0, -(-known.lower // HOUR)) + 1
        return f"{b} <= {a} + INTERVAL '{hours}' HOUR"
    if known.upper is not None:
        hours = max(0, -(known.upper // HOUR)) + 1
        return f"{b} >= {a} - INTERVAL '{hours}' HOUR"
    return f"{b} BETWEEN {a} AND {a} + INTERVAL '1' HOUR"


def _no_pair(left: Orders, right: Orders) -> str:
    """The reason that no pair of columns is monotonic in one direction and comparable."""
    for side, orders in (("left", left), ("right", right)):
        if not any(each.progresses for each in orders):
            return f"the {side} side has no monotonic column"
    return "the sides have no monotonic columns of one type and direction"


def _names(join: Join, i: int, j: int, naming: Naming) -> tuple[str, str]:
    """The query's names for the two columns; with "left" and "right" if both are the same."""
    left = naming(i) or _name(join.left, i)
    right = naming(len(row_type(join.left)) + j) or _name(join.right, j)
    if left != right:
        return left, right
    return f"left {left}", f"right {right}"


def _name(plan: Plan, column: int) -> str:
    """The name of a column, qualified by the name of its table or stream if ``plan`` scans it."""
    name = row_type(plan)[column].name
    while isinstance(plan, Filter):
        plan = plan.input
    return f"{plan.source.name[-1]}.{name}" if isinstance(plan, Scan) else name
