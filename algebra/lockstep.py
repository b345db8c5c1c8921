"""Lock step: how far apart the rows of two joined streams can be (S-510)."""

from collections.abc import Callable
from dataclasses import dataclass

from algebra.distance import Distance
from algebra.expression import Expression
from algebra.monotonicity import (
    Orders,
    column_monotonicity,
    lock_candidates,
    lock_distance,
    locked_columns,
)
from algebra.plan import Filter, Join, Plan, Scan, row_type
from algebra.types import Kind


@dataclass(frozen=True, slots=True)
class LockStep:
    """Two monotonic columns whose distance is bounded in all rows of a join.

    ``left`` and ``right`` are places in their own side's row; ``right - left`` lies in
    ``[lower, upper]``, both ends included, in the columns' unit (milliseconds, days, numbers);
    ``lower > upper`` where no pair can match.
    """

    left: int
    right: int
    lower: int
    upper: int


@dataclass(frozen=True, slots=True)
class MissingInequality:
    """What a join's conditions fail to say, as it reads in a message, and what would pass."""

    reason: str
    hint: str


#: What the query calls a column of a join's row; None: it has no name there.
Naming = Callable[[int], str | None]


def lockstep(
    join: Join, where: Expression | None, naming: Naming = lambda _: None
) -> LockStep | MissingInequality:
    """The lock step of a join of two streams; ``where`` is the condition of a filter above it.

    The rowtimes, if their distance is bounded; else the first pair of monotonic columns of one
    direction whose distance is.  ``where`` counts for an inner join only (S-510).
    """
    conditions = () if where is None else (where,)
    left, right = column_monotonicity(join.left), column_monotonicity(join.right)
    match locked_columns(join, conditions, left, right):
        case (i, j, Distance(int(lower), int(upper))):
            return LockStep(i, j, lower, upper)
        case _:
            return _missing(join, conditions, left, right, naming)


def _missing(
    join: Join,
    where: tuple[Expression, ...],
    left: Orders,
    right: Orders,
    naming: Naming,
) -> MissingInequality:
    """The ends that are missing of the best known pair; rowtimes are better than others."""
    pairs = list(lock_candidates(join, left, right))
    if not pairs:
        return MissingInequality(_no_pair(left, right), "join on columns that are both monotonic")
    ends = [(pair, lock_distance(join, where, *pair)) for pair in pairs]
    (i, j), known = min(ends, key=lambda each: each[1] == Distance())
    a, b = _names(join, i, j, naming)
    end = "upper bound" if known.lower is not None else "lower bound"
    missing = end if known != Distance() else "bound"
    is_time = row_type(join.left)[i].type.kind is Kind.TIMESTAMP
    hint = f"{b} BETWEEN {a} AND {a} + INTERVAL '1' HOUR" if is_time else f"{a} = {b}"
    return MissingInequality(f"no {missing} of {b} - {a}", f"add to the condition: {hint}")


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
