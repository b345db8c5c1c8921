"""The schedule of Join: rows wait until no later row of the other side can match them (S-511)."""

from dataclasses import dataclass
from functools import partial
from typing import Final

from algebra.expression import Expression
from algebra.functions.datetimes import time_text
from algebra.metadata.column_origin import disorder
from algebra.metadata.durations import NONE, WHOLE, Duration, max_of, unbounded
from algebra.metadata.runs import age, until_advanced, until_complete
from algebra.metadata.schedule.schedule import IMMEDIATELY, Retained, Schedule, StateKind
from algebra.monotonicity.lockstep import LockStep, lockstep
from algebra.monotonicity.window_columns import is_edge
from algebra.plan import Join, Joining, Plan, Side, WindowJoin, columns, is_streaming
from algebra.spelling import names_of, spelled
from algebra.types import DATETIME, MILLIS_PER_DAY, Kind
from grammar.codes import Code

#: The reason for which a pair of two streams waits.
NO_EARLIER_PAIR: Final = "no pair with a smaller rowtime to come (S-511)"


@dataclass(frozen=True, slots=True)
class JoinSchedule(Schedule):
    """The schedule of ``plan``, which joins two streams, or a stream and a table."""

    plan: Join
    code = Code.NO_LOCK_STEP

    def latency(self) -> Duration:
        """`NONE` with a table; with two streams, until no later row can match an older base row."""
        if not joins_streams(self.plan):
            return NONE
        plan, lock = self.plan, lockstep(self.plan)
        if not isinstance(lock, LockStep):
            return unbounded(f"the streams are not in lock step: {lock.reason}")
        if not lock.possible:  # there are no pairs, so no row waits for its partner
            return NONE
        ahead, behind = _match_offsets(lock)
        left, right = columns(plan.left)[lock.left], columns(plan.right)[lock.right]
        # Functions from an amount to the wait until a side's bound has advanced by it.
        until_left = partial(_until_advanced, left, plan.left, lock.left_unit)
        until_right = partial(_until_advanced, right, plan.right, lock.right_unit)
        slack = slack_of_sides(plan, lock.left, lock.right)
        if is_edge(plan.left, lock.left) and is_edge(plan.right, lock.right):
            # The columns are edges of windows.  Pairs are emitted in the order of the base side's
            # time, so a row of the base side waits until its window ends.
            until_left = partial(_until_window_ends, left, plan.left)
            until_right = partial(_until_window_ends, right, plan.right)
            slack = NONE
        # The wait of a pair counts from the arrival of its later row.  If a right row is always
        # ahead of its left row by some distance, this distance is over when the right row arrives.
        # The same holds for a left row that is always ahead of its right row.
        waits: list[Duration] = []
        if lock.base is not Side.RIGHT:
            waits.append(until_right(ahead - max(0, -behind)))
        if lock.base is not Side.LEFT:
            waits.append(until_left(behind - max(0, -ahead)))
        if plan.kind.preserves_left:
            waits.append(until_right(ahead + 1))
        if plan.kind.preserves_right:
            waits.append(until_left(behind + 1))
        return max_of(waits).plus(slack)

    def state(self) -> tuple[Retained, ...]:
        """With a table, the table; with two streams, the rows of each side that may still match."""
        if not joins_streams(self.plan):
            return (table_side(self.plan),)
        lock = lockstep(self.plan)
        if not isinstance(lock, LockStep) or not lock.possible:
            return ()
        plan = self.plan
        ahead, behind = (max(0, each) for each in _match_offsets(lock))
        left, right = columns(plan.left)[lock.left], columns(plan.right)[lock.right]
        return (
            Retained(StateKind.ROWS, age(right, plan.right, _units(ahead, lock.right_unit))),
            Retained(StateKind.ROWS, age(left, plan.left, _units(behind, lock.left_unit)), port=1),
        )

    def completion(self) -> str:
        """For each side, the bound of the other side that completes its rows."""
        if not joins_streams(self.plan):
            return IMMEDIATELY
        plan, lock = self.plan, lockstep(self.plan)
        if not isinstance(lock, LockStep):
            return "never"
        ahead, behind = _match_offsets(lock)
        left, right = columns(plan.left)[lock.left], columns(plan.right)[lock.right]
        of_left = f"left {spelled(left, names_of(plan.left))}"
        of_right = f"right {spelled(right, names_of(plan.right))}"
        kind = left.type.kind
        unit = MILLIS_PER_DAY if kind is right.type.kind is Kind.DATE else 1
        return (
            f"a left row, when {of_right} is beyond {_plus(of_left, ahead * unit, kind)}; "
            f"a right row, when {of_left} is beyond {_plus(of_right, behind * unit, kind)}"
        )

    def reason(self) -> str:
        """The pairs that are emitted before the row; empty in a join with a table."""
        return NO_EARLIER_PAIR if joins_streams(self.plan) else ""

    def state_of_relation(self) -> tuple[Retained, ...]:
        """The rows of the right side."""
        return right_side()


def joins_streams(plan: Joining) -> bool:
    """Whether both sides of ``plan`` stream."""
    return is_streaming(plan.left) and is_streaming(plan.right)


def table_side(plan: Joining) -> Retained:
    """The rows of the side that does not stream."""
    return Retained(StateKind.TABLE, None, port=1 if is_streaming(plan.left) else 0)


def right_side() -> tuple[Retained, ...]:
    """The state of a join of relations: the rows of its right side."""
    return (Retained(StateKind.ROWS, WHOLE, port=1),)


def _match_offsets(lock: LockStep) -> tuple[int, int]:
    """How far a matching right value may be ahead of the left value, and how far the reverse.

    Ahead means further in the direction of the bounds: below if the columns descend.  If the first
    number is negative, the left value is always ahead, by at least its absolute value.  If the
    second number is negative, the right value is always ahead, by at least its absolute value.
    """
    return (-lock.lower, lock.upper) if lock.descending else (lock.upper, -lock.lower)


def slack_of_sides(plan: Join | WindowJoin, left: int, right: int) -> Duration:
    """How far the rows of a side can be ahead of the side's bound; the greater of both sides.

    ``left`` and ``right`` are the places of the columns whose bounds count.  The bounds of both
    sides are assumed to advance together.
    """
    return max_of((disorder(plan.left, left), disorder(plan.right, right)))


def _until_advanced(column: Expression, side: Plan, unit: int, amount: int) -> Duration:
    """How long until the bound of ``column`` has advanced by ``amount``.

    ``amount`` is in the unit of the distance, and ``unit`` is the size of 1 in the column.
    """
    return until_advanced(column, side, _units(amount, unit))


def _units(amount: int, unit: int) -> int:
    """The least number of units that is not below ``amount``: a DATE advances by whole days."""
    return -(-amount // unit)


def _until_window_ends(edge: Expression, side: Plan, _amount: int) -> Duration:
    """How long until no later row of ``side`` is in the window of a given row of the other side.

    The parameter ``_amount`` has no effect.  With it, this function can replace `_until_advanced`.
    """
    return until_complete(edge, side)


def _plus(column: str, amount: int, kind: Kind) -> str:
    """The text of ``column + amount``; ``kind`` is that of the column."""
    if not amount:
        return column
    size = time_text(abs(amount)) if kind in DATETIME else str(abs(amount))
    return f"{column} {'+' if amount > 0 else '-'} {size}"
