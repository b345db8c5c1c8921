"""How far bounds must advance until rows with a key are complete or in order (S-405, S-408).

A key is rewritten over the columns of the node that computes its columns (`column_origins`).  The
distances of these columns limit how far their bounds must advance (`ColumnOrigin`).
"""

from dataclasses import dataclass, replace
from typing import Final

from algebra.build import TRUE
from algebra.catalog import Stream
from algebra.constraints.column_ranges import column_ranges
from algebra.constraints.distance import Separation, max_advance, max_distance
from algebra.expression import Call, Expression, Extract, InputRef, Literal, Op, Round
from algebra.facts import deduced_once
from algebra.metadata.durations import NONE, BoundAdvance, Duration, max_of, min_of
from algebra.monotonicity.columns import OrderOf, Orders, column_monotonicity, rowtime_column
from algebra.monotonicity.deduction import monotonicity
from algebra.monotonicity.tables import Monotonicity
from algebra.monotonicity.window_columns import is_edge
from algebra.plan import (
    Aggregate,
    AsofJoin,
    Changes,
    Delta,
    Filter,
    Hop,
    Join,
    Joining,
    Passing,
    Plan,
    Project,
    Scan,
    SetOp,
    Widening,
    Window,
    WindowJoin,
    inputs_of,
    is_streaming,
    row_type,
    with_inputs,
)
from algebra.rewrite import columns_of, operands, rewritten, shifted, substituted
from algebra.spelling import names_of, spelled
from algebra.types import DATETIME, DAY_TO_SECOND, MILLIS_PER_DAY, Kind
from grammar.tree import SetOperator, TimeUnit

_C: Final = Monotonicity.CONSTANT


@dataclass(frozen=True, slots=True)
class ColumnOrigin:
    """The place in a plan from which a sort key or group key originates.

    ``plan`` is the node that computes the columns of the key, and ``key`` is an expression over
    these columns.  The durations that the methods return count the advance of these columns: of the
    rowtime, for example, and not of ``FLOOR(rowtime TO HOUR)``.
    """

    key: Expression
    plan: Plan

    @property
    def orders(self) -> Orders:
        """The order of the bounds of the plan's columns."""
        return column_monotonicity(self.plan, OrderOf.BOUNDS)

    def until_complete(self) -> Duration:
        """How far the bound must advance after a row until no later row has an equal key."""
        core = _core(self.key)
        return self._until_passed(core, Op.EQUAL, core)

    def until_ordered(self) -> Duration:
        """How far the bound must advance after a row until no later key is before its key."""
        return self._until_passed(self.key, self._before, self.key)

    def until_advanced(self, amount: int) -> Duration:
        """How far the column's bound must advance until the key's bound has advanced by ``amount``.

        ``amount`` is in the key's own unit.  The result is `NONE` if ``amount`` is 0 or negative.
        """
        if amount <= 0:
            return NONE
        return self._until_passed(self._target(amount), self._before, self.key, after_row=False)

    def age(self, amount: int) -> Duration:
        """The greatest age of a row whose key is at most ``amount`` before the key's bound.

        The age is how far the column's bound has advanced after the row.
        """
        return self._until_passed(self._target(amount), self._not_after, self.key, past=0)

    def until_beyond(self, amount: int) -> Duration:
        """How far the bound must advance after a row until the key's bound is beyond the row's key.

        Beyond means: more than ``amount`` after it, in the key's own unit.
        """
        return self._until_passed(self._target(amount), self._not_after, self.key)

    def _target(self, amount: int) -> Expression:
        """The key plus ``amount``, or minus ``amount`` if the key descends.

        ``amount`` is in the unit of the key: days for a DATE, milliseconds for other datetimes.
        """
        unit = DAY_TO_SECOND if self.key.type.kind in DATETIME else self.key.type
        number = amount * MILLIS_PER_DAY if self.key.type.kind is Kind.DATE else amount
        plus = Op.DATETIME_PLUS if self.key.type.kind in DATETIME else Op.PLUS
        sign = -1 if self._descending else 1
        return Call(plus, (self.key, Literal(sign * number, unit)), self.key.type)

    @property
    def _before(self) -> Op:
        """The comparison that is true if its left value comes before its right value."""
        return Op.GREATER if self._descending else Op.LESS

    @property
    def _not_after(self) -> Op:
        """The comparison that is true if its left value does not come after its right value."""
        return Op.GREATER_OR_EQUAL if self._descending else Op.LESS_OR_EQUAL

    @property
    def _descending(self) -> bool:
        """Whether the bound of the key descends."""
        return monotonicity(self.key, self.orders, column_ranges(self.plan)).descending

    def _until_passed(
        self, near: Expression, op: Op, far: Expression, past: int = 1, after_row: bool = True
    ) -> Duration:
        """How far the bound must advance after a row r to pass all s with ``far(s) op near(r)``.

        Here s is a position of the bounds: a row whose columns have the values of their bounds.
        ``past`` is 1 to pass the last such s, and 0 only to reach it.  ``after_row``: the count
        starts when r arrives, so the lag of the bound after r is added; else it starts when the
        bound reaches r.
        """
        own = self.orders
        not_constant = [i for i in self._columns() if own[i] is not _C]
        if len(not_constant) != 1:
            return self._data_dependent()
        [place] = not_constant
        separation = Separation(far, op, near, place, own[place].descending)
        amount = _advance_beyond(self.plan, separation)
        if amount is None:
            return self._data_dependent()
        advance = self.advance(place, max(0, amount + past))
        # If only a call of MONOTONIC gives the column an order, no bound lags: rows below the bound
        # are late (S-407).
        lags = after_row and own[place].progresses
        return advance.plus(disorder(self.plan, place)) if lags else advance

    def until_ordered_by_others(self, descending: bool, is_last: bool) -> Duration | None:
        """How far another column's bound must advance after a row until no later key is before it.

        The key itself is not monotonic, but its distance from a monotonic column is limited.  The
        result is the shortest duration among all such columns; None if there is no such column.
        ``descending`` is the direction of the sort.  ``is_last``: the key is the last sort key.  If
        it is not, no later key may be equal to the row's key either, because further sort keys
        order rows with equal keys.
        """
        before, not_after = (
            (Op.GREATER, Op.GREATER_OR_EQUAL) if descending else (Op.LESS, Op.LESS_OR_EQUAL)
        )
        op = before if is_last else not_after
        found: list[Duration] = []
        for place, order in enumerate(self.orders):
            # The bound of a window's edge is left out: it can stay the same as long as a window.
            if not order.progresses or is_edge(self.plan, place):
                continue
            separation = Separation(self.key, op, self.key, place, order.descending)
            amount = max_distance(self.plan, separation)
            if amount is not None:
                advance = self.advance(place, max(0, amount + 1))
                found.append(advance.plus(disorder(self.plan, place)))
        return min_of(found) if found else None

    def _columns(self) -> frozenset[int]:
        """The columns whose bounds advance the key.

        An edge of a HOP window is replaced by the columns of the time from which it is computed.
        """
        used, hop = columns_of(self.key), self.plan
        while isinstance(hop, Filter):
            hop = hop.input
        if not isinstance(hop, Hop):
            return used
        # The key has an edge: without an edge, its origin would be below the HOP.
        width = len(row_type(hop.input))
        return frozenset(i for i in used if i < width) | columns_of(hop.time)

    def advance(self, place: int, amount: int) -> Duration:
        """An advance of the column at ``place`` by ``amount``, in the column's unit, as a duration.

        It is an amount of stream time if the column is computed only from rowtimes.
        """
        kind = row_type(self.plan)[place].type.kind
        time = kind in (Kind.DATE, Kind.TIMESTAMP)
        if kind is Kind.DATE:
            amount *= MILLIS_PER_DAY
        if amount == 0 or (time and _of_rowtimes(self.plan, place)):
            return Duration(amount)
        return Duration(advances=(BoundAdvance(names_of(self.plan)[place], amount, time),))

    def _data_dependent(self) -> Duration:
        """A duration of the key whose length only the data decide."""
        return Duration(advances=(BoundAdvance(spelled(self.key, names_of(self.plan)), None),))


@deduced_once
def _advance_beyond(plan: Plan, of: Separation) -> int | None:
    """`max_advance` from a row of ``plan`` to the last position of the bounds that ``of`` allows.

    None if no limit is known.  Below, ``within`` is the range of the column at all positions.  A
    filter limits the column in the rows, but not its bound, which also advances outside of this
    range.  But if the key has its order only for values in this range, no row follows a bound
    outside of it (S-405.h).
    """
    orders, positions = column_monotonicity(plan, OrderOf.BOUNDS), _positions(plan)
    ranges = column_ranges(plan)
    within = ranges[of.place]
    order_for_any_value = monotonicity(of.far, orders).unstrict()  # without the ranges
    if order_for_any_value is monotonicity(of.far, orders, ranges).unstrict():
        within = column_ranges(positions)[of.place]
    constant = [i for i, order in enumerate(orders) if order is _C]
    return max_advance(plan, positions, of, within, constant)


@deduced_once
def _positions(plan: Plan) -> Plan:
    """``plan`` without the conditions that limit its rows, but not the bounds of its columns.

    Bounds advance whether rows qualify or not (S-406.a).  A CHECK of the rowtime does not limit its
    bound, which a producer can set.  A CHECK of other columns is kept, because they have only the
    bounds that accepted rows imply.
    """
    match plan:
        case Filter(input):
            return _positions(input)
        case Scan(source):
            rowtime = rowtime_column(plan)
            checks = tuple(each for each in source.checks if rowtime not in columns_of(each))
            return replace(plan, source=replace(source, checks=checks))
        case _:
            free = with_inputs(plan, tuple(map(_positions, inputs_of(plan))))
            return replace(free, condition=TRUE) if isinstance(free, Join) else free


def _core(key: Expression) -> Expression:
    """The innermost part of ``key`` that is equal in two rows exactly if ``key`` is.

    It is ``key`` without the strict functions around a FLOOR, EXTRACT or other call: ``FLOOR(t TO
    HOUR) + INTERVAL '1' HOUR`` becomes the FLOOR.  EXTRACT of YEAR becomes FLOOR to a year, and a
    call of MONOTONIC becomes its operand.
    """
    match key:
        case Extract(TimeUnit.YEAR, operand) if operand.type.kind in DATETIME:
            return Round(False, operand, TimeUnit.YEAR, operand.type)
        case _:
            parts = [each for each in operands(key) if columns_of(each)]
            if len(parts) != 1:
                return key
            # The function around the part: `key` with a column in place of the part.
            hole = InputRef(0, parts[0].type)
            function = rewritten(key, lambda leaf: hole if leaf == parts[0] else leaf, parts)
            strict = (Monotonicity.STRICTLY_INCREASING,)
            return _core(parts[0]) if monotonicity(function, strict).strict else key


def column_origins(key: Expression, plan: Plan) -> tuple[ColumnOrigin, ...]:
    """The origins of ``key``, an expression over the rows of ``plan``.

    There is one origin, at the node that computes the columns of ``key``.  Below a UNION ALL there
    is one for each input.
    """
    used = columns_of(key)
    match plan:
        case Project(input, expressions):
            return column_origins(substituted(key, expressions), input)
        case Filter(input):
            found = column_origins(key, input)
            # The condition holds in the rows of the filter, and may imply a shorter duration.  So
            # the filter is the origin if its input would be.
            return (ColumnOrigin(key, plan),) if found[0].plan is input else found
        case Delta(input) | Changes(input):
            return column_origins(key, input)
        case Window(input) | Hop(input) if all(i < len(row_type(input)) for i in used):
            return column_origins(key, input)
        case Join(left, right) if is_streaming(left) is not is_streaming(right):
            width = len(row_type(left))
            if is_streaming(left) and all(i < width for i in used):
                return column_origins(key, left)
            if is_streaming(right) and all(i >= width for i in used):
                return column_origins(shifted(key, -width), right)
            return (ColumnOrigin(key, plan),)
        case SetOp(inputs, SetOperator.UNION, True):
            return tuple(origin for each in inputs for origin in column_origins(key, each))
        case AsofJoin(left) if is_streaming(left) and all(i < len(row_type(left)) for i in used):
            return column_origins(key, left)
        case _:
            return (ColumnOrigin(key, plan),)


@deduced_once
def _of_rowtimes(plan: Plan, place: int) -> bool:
    """Whether the column at ``place`` is computed only from rowtimes of streams and constants."""

    def is_of_rowtimes(input: Plan, expression: Expression) -> bool:
        return all(_of_rowtimes(input, i) for i in columns_of(expression))

    match plan:
        case Scan():
            return place == rowtime_column(plan)
        case Project(input, expressions):
            return is_of_rowtimes(input, expressions[place])
        case Aggregate(input, keys):
            return place < len(keys) and is_of_rowtimes(input, keys[place])
        case Hop(input, time) if place >= len(row_type(input)):
            return is_of_rowtimes(input, time)
        case Passing() | Widening():
            return place < len(row_type(plan.input)) and _of_rowtimes(plan.input, place)
        case WindowJoin() if place == len(row_type(plan)) - 1:
            return True  # the time of the pair
        case Joining():
            width = len(row_type(plan.left))
            if place < width:
                return _of_rowtimes(plan.left, place)
            return _of_rowtimes(plan.right, place - width)
        case SetOp(inputs):
            return all(_of_rowtimes(each, place) for each in inputs)
        case _:
            return False


@deduced_once
def disorder(plan: Plan, place: int) -> Duration:
    """How far the bound of a column can lag behind the newest row (S-103).

    `NONE` if rows are in the order of the column, or it is constant.  Else it is the slack of a
    t-sorted column, the k rows of a k-sorted column, or the wait for the next bound that a producer
    of a punctuated stream sets.
    """
    emitted = column_monotonicity(plan, OrderOf.ROWS)[place]
    if emitted.progresses or emitted is _C:
        return NONE
    match plan:
        case Scan(Stream(columns=columns)):
            ordering = columns[place].ordering
            if ordering is None:
                return _data_dependent(plan, place)
            if ordering.slack is not None:
                own = InputRef(place, columns[place].type)
                return ColumnOrigin(own, plan).advance(place, ordering.slack)
            return Duration(rows=ordering.rows or 0, bound=ordering.punctuated)
        case Passing():
            return disorder(plan.input, place)
        case Window(input) | Hop(input) if place < len(row_type(input)):
            return disorder(input, place)
        case Project(input, expressions):
            return max_of(disorder(input, i) for i in columns_of(expressions[place]))
        case Hop(input, time):
            return max_of(disorder(input, i) for i in columns_of(time))
        case Joining():
            width = len(row_type(plan.left))
            if place < width:
                return disorder(plan.left, place)
            if place < width + len(row_type(plan.right)):
                return disorder(plan.right, place - width)
            return _data_dependent(plan, place)
        case SetOp(inputs):
            return max_of(disorder(each, place) for each in inputs)
        case _:
            return _data_dependent(plan, place)


def _data_dependent(plan: Plan, place: int) -> Duration:
    """A duration of a column whose length only the data decide."""
    return Duration(advances=(BoundAdvance(names_of(plan)[place], None),))
