"""The bounds of a join of two streams (S-509 to S-511).

All times u are base times: moments at which the rows of both sides are compared, as integers that
never decrease when bounds advance (`algebra.monotonicity.join_progress`).  A row with time r is in
its window from u = r + ``first`` to u = r + ``last``, and is emitted unmatched at u = r +
``unmatched`` (`JoinWindow`).  A pair is emitted in the order of u, or in the order of its rowtime,
which can be another column (`JoinOrder`).
"""

import math
from dataclasses import dataclass, replace

from algebra.build import FALSE, TRUE, at_most, compared, is_not_true, is_null, or_
from algebra.expression import (
    Expression,
    InputRef,
    Literal,
    Op,
)
from algebra.monotonicity.columns import OrderOf, column_monotonicity
from algebra.monotonicity.join_progress import (
    ENDED,
    NOTHING_KNOWN,
    JoinWindow,
    SideProgress,
    column_bound,
    in_column_units,
    last_time,
    lock_step_windows,
    next_pair,
    time_window,
)
from algebra.monotonicity.lockstep import lock_step_of
from algebra.monotonicity.progress import Bound, Bounds
from algebra.plan import (
    Filter,
    Join,
    Plan,
    RowsWindow,
    Side,
    WindowJoin,
    columns,
    row_type,
)
from algebra.types import MAX_TIMESTAMP
from grammar.tree import JoinKind
from spark_backend.order.row_order import JoinOrder, join_order
from spark_backend.order.times import time_place
from spark_backend.stream.bounds.first_values import FirstValues, lower_to_first
from spark_backend.stream.bounds.later_rows import with_later
from spark_backend.stream.bounds.union_bounds import weakest
from spark_backend.stream.retention.pending_frames import not_reached


@dataclass(frozen=True, slots=True)
class JoinSide:
    """One side of a join: the place of the column with its time r, and its window.

    One unit of the column is ``scale`` units of u, the join's base time. ``bounds`` are those of
    the side's columns. ``preserved``: an unmatched row of the side is emitted. ``rows`` is the n of
    a window ROWS n, whose end depends on later rows; None for a window of time.
    """

    plan: Plan
    place: int
    scale: int
    window: JoinWindow
    bounds: Bounds
    preserved: bool
    rows: int | None = None

    @property
    def progress(self) -> SideProgress:
        """The bound of this side, in units of u, with its window.

        Its ``next_start`` is the least u at which a later row of this side can be in its window.
        """
        last = last_time(self.time.type, self.scale)
        return SideProgress(self._bound(), self.window, abs(self.scale), last)

    def _bound(self) -> float:
        """The bound of r in units of u; `ENDED`, or `NOTHING_KNOWN`, if it has no value."""
        if self.bounds.ended:
            return ENDED
        limit = self.bounds.columns[self.place]
        if limit is None or not isinstance(limit.value, int):
            return NOTHING_KNOWN
        return limit.value * self.scale + (abs(self.scale) if limit.strict else 0)

    @property
    def time(self) -> InputRef:
        """The column with the time r."""
        return InputRef(self.place, row_type(self.plan)[self.place].type)

    def first_matchable_time(self, other: "JoinSide") -> float:
        """The time before which no row can match a later row of the other side.

        It is in the column's unit.  The window must be a window of time.
        """
        return in_column_units(self._least_retained(other), self.scale)

    def retained(self, other: "JoinSide") -> Plan:
        """The rows that a later row of the other side can match."""
        plan, retained = self.with_condition(other)
        return plan if retained == TRUE else Filter(plan, retained)

    def with_condition(self, other: "JoinSide") -> tuple[Plan, Expression]:
        """The rows, and the condition that a later row of the other side can match a row.

        If the condition reads one more column, the rows have it as last column.
        """
        if self.rows is not None and other.progress.bound != ENDED:
            return self._with_open_window(other.progress.next_start, self.rows)
        return self.plan, self.not_before(self._least_retained(other))

    def not_before(self, least: float) -> Expression:
        """The condition that r is at or after ``least``, a time in units of u."""
        if math.isinf(least):
            return FALSE if least == ENDED else TRUE
        op = Op.GREATER_OR_EQUAL if self.scale > 0 else Op.LESS_OR_EQUAL
        limit = Literal(int(in_column_units(least, self.scale)), self.time.type)
        return compared(op, self.time, limit)

    def _least_retained(self, other: "JoinSide") -> float:
        """The least r, in units of u, of a row that a later row of the other side can match.

        `ENDED` if there is no such row.  A row whose window is empty matches no row (S-511.j).
        """
        never = other.progress.bound == ENDED or self.window.empty or other.window.empty
        return ENDED if never else other.progress.next_start - self.window.last

    def _with_open_window(self, start: float, rows: int) -> tuple[Plan, Expression]:
        """The rows, and the condition that a row's window, ROWS n, has not ended before ``start``.

        The rows have the time of the n-th later row as last column; ``rows`` is n.
        """
        by_time, place = self.with_later(rows)
        later = InputRef(place, self.time.type.as_nullable())
        evicted: Expression = at_most(later, self.time)  # the window is empty
        if start != NOTHING_KNOWN:
            evicted = or_(evicted, at_most(later, Literal(int(start), later.type)))
        return by_time, is_not_true(evicted)

    def with_later(self, rows: int) -> tuple[Plan, int]:
        """The rows with the time of the n-th later row as last column, and this column's place.

        The time is NULL if there are fewer later rows.
        """
        return with_later(self.plan, self.time, [self.time], rows), len(row_type(self.plan))


class JoinBounds:
    """The bounds of a join of streams, given those of its ``sides``, left and right."""

    def __init__(
        self,
        plan: Join | WindowJoin,
        sides: tuple[Bounds, Bounds],
        first_values: FirstValues,
    ) -> None:
        self._plan = plan
        self._first_values = first_values
        self._width = len(row_type(plan.left))
        keeps_left = plan.kind.preserves_left
        keeps_right = plan.kind.preserves_right
        #: Whether the columns of each side are NULL in an unmatched row of the other side.
        self._padded = (keeps_right, keeps_left)
        rows = rows_of_windows(plan)
        if isinstance(plan, WindowJoin):
            windows = (time_window(plan.left_window), time_window(plan.right_window))
            places, scales = (plan.left_rowtime, plan.right_rowtime), (1, 1)
            self._base: Side | None = None
            self._join_order = JoinOrder.BOTH
        else:
            lock = lock_step_of(plan)
            windows, scales = lock_step_windows(lock), lock.scales
            places = (lock.left, lock.right)
            self._base = lock.base or Side.LEFT
            self._join_order = join_order(plan)

        def side(port: int, input: Plan, preserved: bool) -> JoinSide:
            window, bounds = windows[port], sides[port]
            return JoinSide(
                plan=input,
                place=places[port],
                scale=scales[port],
                window=window,
                bounds=bounds,
                preserved=preserved,
                rows=rows[port],
            )

        self.sides = (side(0, plan.left, keeps_left), side(1, plan.right, keeps_right))

    def bounds(self, exact: bool) -> Bounds:
        """The bounds of all columns; the bounds of columns other than u depend on retained rows.

        Without ``exact``, only u and the rowtime have bounds, which can be lower.
        """
        left, right = self.sides
        width = self._width + len(row_type(self._plan.right))
        total = width + isinstance(self._plan, WindowJoin)
        if left.bounds.ended and right.bounds.ended:
            return Bounds((None,) * total, ended=True)
        # A pair is never below the bounds of its sides, but an unmatched row may be.
        has_pairs = not any(each.window.empty for each in self.sides)
        if not exact and self._plan.kind is JoinKind.INNER and has_pairs:
            least = min(left.progress.next_start, right.progress.next_start)
        else:
            least = self._least()
        # A row of a window join has u as its rowtime, so u must be a TIMESTAMP.
        beyond = isinstance(self._plan, WindowJoin) and least > MAX_TIMESTAMP
        if least == ENDED or beyond:
            return Bounds((None,) * total, ended=True)  # also if an input continues
        columns: list[Bound | None] = [None] * total
        times = self._time_columns()
        for place in times:
            scale = 1 if place >= width else self.sides[place >= self._width].scale
            columns[place] = column_bound(least, scale)
        time = time_place(self._plan)
        orders = column_monotonicity(self._plan, OrderOf.BOUNDS)
        required = [i for i in range(width) if orders[i].progresses and i not in times]
        if not exact:
            required = [i for i in required if i == time]
        for place in required:
            columns[place] = self._lowered_to_pending(place, orders[place].descending, least)
        if self._join_order is JoinOrder.TIME and time is not None:
            # The bounds of the columns that contain u ignore so far that a pair waits until its
            # rowtime is reached.  Such a pair holds them back, too.
            pending = not_reached(self._plan, time, columns[time])
            of_u = [(place, orders[place].descending) for place in times]
            lower_to_first(columns, pending, of_u, self._first_values)
        return Bounds(tuple(columns))

    def _time_columns(self) -> list[int]:
        """The places of the columns that contain u, the rowtime of the join's rows.

        They are the last column of a window join, and the time of a side whose rows are in their
        window only at their own time.  That side must be the base side, if there is one, and its
        columns must not be padded.
        """
        width = self._width + len(row_type(self._plan.right))
        found: list[int] = []
        if isinstance(self._plan, WindowJoin):
            found.append(width)
        for port, side in enumerate(self.sides):
            has_instant_window = side.window == JoinWindow(0, 0) and side.rows is None
            can_be_base = self._base is None or (port == 1) == (self._base is Side.RIGHT)
            if has_instant_window and can_be_base and not self._padded[port]:
                found.append(side.place + port * self._width)
        return found

    # --- the least u ----------------------------------------------------------------------------

    def _least(self) -> float:
        """The least u of all rows of the join that are not determined yet (S-511)."""
        left, right = self.sides
        found = min(
            next_pair(left.progress, right.progress),
            self._least_unmatched(left),
            self._least_unmatched(right),
        )
        for side, other in ((left, right), (right, left)):
            # `SideProgress.next_meeting(start)` is the least u, from ``start`` on, at which a later
            # row can be in its window.  The retained rows are queried only if a later row of the
            # other side could match some row at a u before ``found``.
            if other.progress.next_meeting(NOTHING_KNOWN) < found:
                found = min(found, other.progress.next_meeting(self._oldest(side, other)))
        return found

    def _oldest(self, side: JoinSide, other: JoinSide) -> float:
        """The first u of the windows of a side's rows that a later row can match.

        `ENDED` if there is no such row.
        """
        (found,) = self._first_values(side.retained(other), [(side.place, side.scale < 0)])
        if not isinstance(found, int):
            return ENDED
        return found * side.scale + side.window.first

    def _least_unmatched(self, side: JoinSide) -> float:
        """The least u of an unmatched row of a side, among the rows so far and all later rows."""
        if not side.preserved:
            return ENDED
        if side.rows is None:
            return side.progress.next_unmatched()
        by_time, place = side.with_later(side.rows)
        later = InputRef(place, side.time.type.as_nullable())
        open_ = Filter(by_time, is_null(later))  # no later row has ended their windows yet
        (least_unmatched,) = self._first_values(open_, [(side.place, False)])
        oldest = least_unmatched if isinstance(least_unmatched, int) else None
        return side.progress.next_unmatched_of_rows(oldest, self._greatest())

    def _greatest(self) -> float:
        """The greatest time of the rows so far of both sides; `NOTHING_KNOWN` without rows."""
        found = (self._first_values(each.plan, [(each.place, True)])[0] for each in self.sides)
        return max((each for each in found if isinstance(each, int)), default=NOTHING_KNOWN)

    # --- other columns --------------------------------------------------------------------------

    def _lowered_to_pending(self, place: int, descending: bool, least: float) -> Bound | None:
        """The bound of a column of a side: its first value among the pending and all later rows."""
        port = int(place >= self._width)
        if self._padded[port]:
            return None
        side, other = self.sides[port], self.sides[1 - port]
        own = place - port * self._width
        limits: list[Bound | None] = []
        if not side.bounds.ended:
            limits.append(side.bounds.columns[own])
        if place != time_place(self._plan):
            pending = self._rows_to_emit(side, other, least)
        elif self._join_order is JoinOrder.TIME:
            pending = side.retained(other)
        else:
            # This column is the rowtime by which pairs are emitted.  A pair at the least u is
            # emitted at once, so only pairs at a later u hold the bound back.
            pending = self._rows_to_emit(side, other, least + 1)
        (first,) = self._first_values(pending, [(own, descending)])
        if first is not None:
            limits.append(Bound(first))
        return weakest(limits, descending=descending)

    def base_time_bound(self) -> Bound | None:
        """The bound of u in a FULL join, in the unit of the left side's rowtime column.

        None: no bound is known.
        """
        return column_bound(self._least(), self.sides[0].scale)

    def time_bound(self) -> Bound | None:
        """The bound of a FULL join's implicit rowtime: the left row's time or the right row's u."""
        limits: list[Bound | None] = []
        places = [time_place(side.plan) for side in self.sides]
        #: Whether the join compares the rowtimes of both sides, and no other columns.
        timed = all(side.place == place for side, place in zip(self.sides, places, strict=True))
        beyond = self._least() + 1  # a determined row is emitted at the least u itself
        for port, place in enumerate(places):
            if place is None:
                return None
            side, other = self.sides[port], self.sides[1 - port]
            # The u of an unmatched right row is ``last`` after its time.
            last = int(side.window.unmatched) if timed and port == 1 else 0
            known: list[Bound | None] = []
            if not side.bounds.ended:
                known.append(side.bounds.columns[place])
            pending = self._rows_to_emit(side, other, beyond)
            if port == 1 and not timed:  # the rowtime of a pair is that of its left row
                pending, place = self._unmatched(pending, places[0], place)
            (first,) = self._first_values(pending, [(place, False)])
            known += [] if first is None else [Bound(first)]
            limits += [each and replace(each, value=_later(each, last)) for each in known]
        return weakest(limits, descending=False)

    def _unmatched(self, right: Plan, left_time: int | None, time: int) -> tuple[Plan, int]:
        """The unmatched ``right`` rows, and the place of their time (S-511)."""
        assert isinstance(self._plan, Join), "a join of windows has its time in a column"
        assert left_time is not None, "both sides have a time"
        rows = replace(self._plan, right=right)
        unmatched = Filter(rows, is_null(columns(rows)[left_time]))
        return unmatched, self._width + time

    def _rows_to_emit(self, side: JoinSide, other: JoinSide, least: float) -> Plan:
        """The rows of a side that may be emitted at ``least`` or later, in a pair or unmatched."""
        if side.rows is not None and least != NOTHING_KNOWN:
            return side.retained(other)
        plan, retained = side.with_condition(other)
        return Filter(plan, or_(retained, side.not_before(least - side.window.unmatched)))


def _later(time: Bound, millis: int) -> int:
    """The value of a bound of a rowtime, moved by some milliseconds."""
    assert isinstance(time.value, int), "a rowtime is a whole number inside"
    return time.value + millis


def rows_of_windows(plan: Join | WindowJoin) -> tuple[int | None, int | None]:
    """The number of ROWS in the window of each side; None: its window is a window of time."""
    if isinstance(plan, Join):
        return None, None
    left, right = (
        each.rows if isinstance(each, RowsWindow) else None
        for each in (plan.left_window, plan.right_window)
    )
    return left, right
