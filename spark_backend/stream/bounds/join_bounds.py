"""How far a join of two streams has come (S-509 to S-511).

A row at r is in its window for r + ``first`` <= u <= r + ``last``; two rows meet at the least u at
which both are in theirs.  A join by condition is one whose base side has ``first`` and ``last`` 0.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from algebra.expression import (
    Call,
    Expression,
    InputRef,
    Literal,
    Op,
    Value,
)
from algebra.monotonicity.columns import Reading, Side, orders_read
from algebra.monotonicity.lockstep import Above, lock_of
from algebra.monotonicity.progress import Bound, Bounds, weaker
from algebra.plan import (
    Filter,
    Join,
    Plan,
    RowsWindow,
    SideWindow,
    WindowJoin,
    row_type,
)
from algebra.types import BOOLEAN
from grammar.tree import JoinKind
from spark_backend.stream.bounds.later_rows import with_later
from spark_backend.stream.emission.row_order import Leaving, leaving

_END: Final = math.inf
_NOTHING: Final = -math.inf
_ANY: Final = Literal(True, BOOLEAN)

#: The first value of each column, in its direction, among the rows of a plan; NULL of no row.
Foremost: TypeAlias = Callable[[Plan, Sequence[tuple[int, bool]]], tuple[Value, ...]]
TimePlace: TypeAlias = Callable[[Plan, Plan | None], int | None]


@dataclass(frozen=True, slots=True)
class Span:
    """One side: the column that its time r is in, ``scale`` u for each 1 of it, and its window.

    ``rows``: its window is one of so many ROWS, whose end the rows to come decide; else None.
    """

    plan: Plan
    place: int
    scale: int
    first: int
    last: float
    bounds: Bounds
    preserved: bool
    rows: int | None = None

    @property
    def bound(self) -> float:
        """In u, the time below which no later row of this side is."""
        if self.bounds.ended:
            return _END
        limit = self.bounds.columns[self.place]
        if limit is None or not isinstance(limit.value, int):
            return _NOTHING
        return limit.value * self.scale + (abs(self.scale) if limit.strict else 0)

    @property
    def reach(self) -> float:
        """The first u at which a row to come can be in its window."""
        return self.bound + self.first

    @property
    def time(self) -> InputRef:
        """The column that tells r."""
        return InputRef(self.place, row_type(self.plan)[self.place].type)

    def left_behind(self, other: "Span") -> float:
        """The time, in the column's own unit, before which no row meets one of the other to come.

        The window is not one of ROWS.
        """
        return self._in_steps(other.reach - self.last)

    def held(self, other: "Span") -> Plan:
        """The rows that a row of the other side to come can meet."""
        plan, held = self.marked(other)
        return plan if held == _ANY else Filter(plan, held)

    def marked(self, other: "Span") -> tuple[Plan, Expression]:
        """The rows, perhaps with a column more, and whether one to come can meet a row."""
        if self.rows is not None:
            return self._not_pushed_out(other, self.rows)
        if other.reach == _NOTHING:
            return self.plan, _ANY
        if other.reach == _END:
            return self.plan, Literal(False, BOOLEAN)
        return self.plan, self.not_before(other.reach - self.last)

    def not_before(self, least: float) -> Expression:
        """Whether r is at or after a time in u."""
        op = Op.GREATER_OR_EQUAL if self.scale > 0 else Op.LESS_OR_EQUAL
        limit = Literal(int(self._in_steps(least)), self.time.type)
        return Call(op, (self.time, limit), BOOLEAN)

    def _in_steps(self, least: float) -> float:
        """A time in u in the column's own unit, rounded towards the rows kept."""
        if math.isinf(least):
            return least
        steps = math.ceil(least / abs(self.scale))
        return steps if self.scale > 0 else -steps

    def _not_pushed_out(self, other: "Span", rows: int) -> tuple[Plan, Expression]:
        """Whether the n-th later row has not pushed a row out before the other side's reach."""
        by_time, place = self.with_later(rows)
        later = InputRef(place, self.time.type.as_nullable())
        empty = Call(Op.LESS_OR_EQUAL, (later, self.time), BOOLEAN)
        if other.reach == _NOTHING:
            gone: Expression = empty
        elif other.reach == _END:
            return self.plan, Literal(False, BOOLEAN)
        else:
            limit = Literal(int(other.reach), later.type)
            before = Call(Op.LESS_OR_EQUAL, (later, limit), BOOLEAN)
            gone = Call(Op.OR, (empty, before), BOOLEAN)
        return by_time, Call(Op.IS_NOT_TRUE, (gone,), BOOLEAN)

    def with_later(self, rows: int) -> tuple[Plan, int]:
        """The rows with the time of the n-th later one behind, NULL if there is none; its place."""
        return with_later(self.plan, self.time, [self.time], rows), len(row_type(self.plan))

    def next_row(self, time: float) -> float:
        """The least r, in u, of a row at or after ``time``."""
        step = abs(self.scale)
        return time if step == 1 or math.isinf(time) else math.ceil(time / step) * step

    def next_meeting(self, first: float) -> float:
        """The least u at which a row to come can meet one whose window begins at ``first``."""
        if first == _END or self.bounds.ended:
            return _END
        time = self.next_row(max(self.bound, first - self.last)) + self.first
        return max(first, time)


class JoinLimits:
    """The bounds of a join of streams, given those of its ``sides``, left and right."""

    def __init__(
        self,
        plan: Join | WindowJoin,
        above: Above,
        sides: tuple[Bounds, Bounds],
        time_place: TimePlace,
        foremost: Foremost,
    ) -> None:
        self._plan = plan
        self._reader = above.reader
        self._foremost = foremost
        self._time_place = time_place
        self._width = len(row_type(plan.left))
        keeps_left = plan.kind in (JoinKind.LEFT, JoinKind.FULL)
        keeps_right = plan.kind in (JoinKind.RIGHT, JoinKind.FULL)
        self._padded = (keeps_right, keeps_left)
        if isinstance(plan, WindowJoin):
            windows = (_window(plan.left_window), _window(plan.right_window))
            places, scales = (plan.left_rowtime, plan.right_rowtime), (1, 1)
            rows = (_rows(plan.left_window), _rows(plan.right_window))
            self._base: Side | None = None
            self._leaving = Leaving.BOTH
        else:
            lock = lock_of(plan, above)
            # Columns that fall are turned round, and so is the distance: u always rises.
            sign = -1 if lock.descending else 1
            lower, upper = _ends(sign * lock.lower, sign * lock.upper, sign)
            right_base = lock.base is Side.RIGHT
            windows = ((lower, upper), (0, 0)) if right_base else ((0, 0), (-upper, -lower))
            places = (lock.left, lock.right)
            scales = (sign * lock.left_unit, sign * lock.right_unit)
            rows = (None, None)
            self._base = lock.base or Side.LEFT
            self._leaving = leaving(plan, above)

        def span(port: int, input: Plan, kept: bool) -> Span:
            first, last = windows[port]
            return Span(
                input, places[port], scales[port], first, last, sides[port], kept, rows[port]
            )

        self.sides = (span(0, plan.left, keeps_left), span(1, plan.right, keeps_right))

    def bounds(self, exact: bool) -> Bounds:
        """The bounds of the columns: of the time u where it stands, of others by the rows held."""
        left, right = self.sides
        width = self._width + len(row_type(self._plan.right))
        total = width + isinstance(self._plan, WindowJoin)
        if left.bounds.ended and right.bounds.ended:
            return Bounds((None,) * total, ended=True)
        # A pair is never below what its sides' bounds say; a row that stays alone may be.
        sure = not exact and self._plan.kind is JoinKind.INNER
        least = min(left.reach, right.reach) if sure else self._least()
        if least == _END:
            return Bounds((None,) * total, ended=True)  # also with an input that goes on
        columns: list[Bound | None] = [None] * total
        stands = self._stands()
        for place in stands:
            scale = 1 if place >= width else self.sides[place >= self._width].scale
            if not math.isinf(least):
                steps = math.ceil(least / abs(scale))
                columns[place] = Bound(steps if scale > 0 else -steps)
        time = self._time_place(self._plan, self._reader)
        orders = orders_read(self._plan, self._reader or self._plan, Reading.PROGRESS)
        asked = [i for i in range(width) if orders[i].progresses and i not in stands]
        if not exact:
            asked = [i for i in asked if i == time]
        for place in asked:
            columns[place] = self._held_back(place, orders[place].descending, least)
        return Bounds(tuple(columns))

    def _stands(self) -> list[int]:
        """The places at which u stands: the time of all rows that come out."""
        width = self._width + len(row_type(self._plan.right))
        found: list[int] = []
        if isinstance(self._plan, WindowJoin):
            found.append(width)
        for port, side in enumerate(self.sides):
            at_once = (side.first, side.last) == (0, 0) and side.rows is None
            based = self._base is None or (port == 1) == (self._base is Side.RIGHT)
            if at_once and based and not self._padded[port]:
                found.append(side.place + port * self._width)
        return found

    # --- the least u ----------------------------------------------------------------------------

    def _least(self) -> float:
        """The least u of all rows that are not determined yet (S-511)."""
        left, right = self.sides
        oldest = [self._oldest(side, other) for side, other in ((left, right), (right, left))]
        return min(
            self._next_pair(),
            right.next_meeting(oldest[0]),
            left.next_meeting(oldest[1]),
            self._next_alone(left),
            self._next_alone(right),
        )

    def _oldest(self, side: Span, other: Span) -> float:
        """The first u of all rows held of a side; infinite if there is none."""
        (found,) = self._foremost(side.held(other), [(side.place, side.scale < 0)])
        return _END if not isinstance(found, int) else found * side.scale + side.first

    def _next_pair(self) -> float:
        """The least u at which two rows to come can meet; infinite: none can."""
        left, right = self.sides
        if left.bounds.ended or right.bounds.ended:
            return _END
        least, most = left.first - right.last, left.last - right.first
        if least > most:
            return _END
        partner = right.next_row(max(right.bound, left.bound + least))
        row = left.next_row(max(left.bound, partner - most))
        partner = right.next_row(max(right.bound, row + least))
        return max(row + left.first, partner + right.first)

    def _next_alone(self, side: Span) -> float:
        """The least u that a row can have that comes, or has come, and finds no partner.

        That of a row held in a closed window is not before one at which a row to come can meet it.
        Under ROWS a row that no other pushes out is alone until the greatest time so far.
        """
        if not side.preserved:
            return _END
        if side.rows is None:
            return side.bound + max(side.first, side.last)
        by_time, place = side.with_later(side.rows)
        later = InputRef(place, side.time.type.as_nullable())
        last_ones = Filter(by_time, Call(Op.IS_NULL, (later,), BOOLEAN))
        (alone,) = self._foremost(last_ones, [(side.place, False)])
        if not isinstance(alone, int):
            return side.bound
        return min(side.bound, max(alone, min(side.bound - 1, self._greatest())))

    def _greatest(self) -> float:
        """The greatest time of a row so far."""
        found = (self._foremost(each.plan, [(each.place, True)])[0] for each in self.sides)
        return max((each for each in found if isinstance(each, int)), default=_NOTHING)

    # --- other columns --------------------------------------------------------------------------

    def _held_back(self, place: int, falls: bool, least: float) -> Bound | None:
        """The bound of a column of a side: of its rows to come, and of those not yet out."""
        port = int(place >= self._width)
        if self._padded[port]:
            return None
        side, other = self.sides[port], self.sides[1 - port]
        own = place - port * self._width
        limits: list[Bound | None] = []
        if not side.bounds.ended:
            limits.append(side.bounds.columns[own])
        waiting = self._not_out(side, other, least)
        if self._leaving is Leaving.TIME and place == self._time_place(self._plan, self._reader):
            waiting = side.held(other)  # a pair leaves by this bound: it does not hold it back
        (first,) = self._foremost(waiting, [(own, falls)])
        if first is not None:
            limits.append(Bound(first))
        return _weakest(limits, falls=falls)

    def clock(self) -> Bound | None:
        """The bound of the hidden clock of a FULL join: the left row's time, or the right's u."""
        limits: list[Bound | None] = []
        places = [self._time_place(side.plan, self._plan) for side in self.sides]
        timed = all(side.place == place for side, place in zip(self.sides, places, strict=True))
        for port, place in enumerate(places):
            if place is None:
                return None
            side, other = self.sides[port], self.sides[1 - port]
            last = int(side.last) if timed and port == 1 else 0
            known: list[Bound | None] = []
            if not side.bounds.ended:
                known.append(side.bounds.columns[place])
            (first,) = self._foremost(self._not_out(side, other, self._least()), [(place, False)])
            known += [] if first is None else [Bound(first)]
            limits += [each and replace(each, value=_later(each, last)) for each in known]
        return _weakest(limits, falls=False)

    def _not_out(self, side: Span, other: Span, least: float) -> Plan:
        """The rows of a side of which a pair may still come out."""
        held = side.held(other)
        if least == _NOTHING:
            return side.plan
        if not isinstance(held, Filter) or least == _END or side.rows is not None:
            return held
        later = side.not_before(least - side.last)
        return Filter(side.plan, Call(Op.OR, (held.condition, later), BOOLEAN))


def _later(time: Bound, millis: int) -> int:
    assert isinstance(time.value, int), "a clock is a time"
    return time.value + millis


def _weakest(limits: Sequence[Bound | None], *, falls: bool) -> Bound | None:
    """The bound of rows that one of several is about; of none None."""
    if not limits:
        return None
    found = limits[0]
    for each in limits[1:]:
        found = weaker(found, each, falls)
    return found


def _ends(lower: int, upper: int, sign: int) -> tuple[int, int]:
    """The ends of an interval, in turn where it was turned round."""
    return (lower, upper) if sign > 0 else (upper, lower)


def _window(window: SideWindow) -> tuple[int, float]:
    """The first and last u of a row's window, from its time."""
    if isinstance(window, RowsWindow):
        return 0, _END
    return -window.following, window.preceding


def _rows(window: SideWindow) -> int | None:
    """How many rows a window of ROWS holds; None: it is one of time."""
    return window.rows if isinstance(window, RowsWindow) else None
