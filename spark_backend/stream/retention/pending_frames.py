"""Pending frames: the input rows of OVER whose results are not determined yet (S-505).

The functions return expressions over the input rows, or plans of these rows, which Spark evaluates.
The first part has conditions on the bound of an expression: that it has passed the value in a row,
or has reached it.  All modules of emission and retention use them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TypeAlias

from algebra.build import (
    FALSE,
    TRUE,
    and_,
    at_least,
    compared,
    greater,
    is_not_true,
    or_,
)
from algebra.constraints.months import add_months
from algebra.expression import (
    LOOKAHEAD,
    AggregateFunction,
    Call,
    Case,
    Expression,
    Literal,
    Op,
    Value,
    WindowCall,
    WindowFunction,
)
from algebra.monotonicity.progress import Bound
from algebra.plan import (
    Filter,
    Frame,
    GroupOffset,
    Plan,
    RangeOffset,
    RowOffset,
    Unbounded,
    Window,
    WindowGroup,
    columns,
)
from algebra.types import (
    BIGINT,
    BOOLEAN,
    DATETIME,
    MAX_DATE,
    MILLIS_PER_DAY,
    MIN_DATE,
    NUMERIC,
    Kind,
    Type,
)
from spark_backend.stream.bounds.distances import at_distance, is_rounded
from spark_backend.stream.frame_kinds import is_by_time, literal_offset, looks_ahead
from spark_backend.stream.window_columns import with_count, with_value

#: A function that returns the bound of an expression over the input's rows, and whether the
#: expression descends.  It returns None if the expression makes no progress.
ProgressOf: TypeAlias = Callable[[Expression], tuple[Bound | None, bool] | None]


# --- conditions -----------------------------------------------------------------------------------


def has_passed(value: Expression, limit: Bound | None, descending: bool) -> Expression:
    """The condition that each later value comes after ``value``, in the direction of the column.

    ``limit`` is the bound of later values; without a bound the condition is FALSE.  ``descending``:
    the values descend.  The condition is that of `algebra.monotonicity.progress.passed`.
    """
    if limit is None or limit.value is None:
        return FALSE
    op = Op.GREATER if descending else Op.LESS
    if limit.strict:
        op = Op.GREATER_OR_EQUAL if descending else Op.LESS_OR_EQUAL
    return compared(op, value, Literal(widened(limit.value, value.type), value.type))


def widened(value: Value, type: Type) -> Value:
    """The value of a bound in the Python type of ``type``.

    An integer can become a Decimal or a float, and a Decimal a float; other values stay.
    """
    if isinstance(value, int) and type.kind is Kind.DECIMAL:
        return Decimal(value)
    return float(value) if isinstance(value, int | Decimal) and type.kind is Kind.DOUBLE else value


def any_has_passed(expressions: Sequence[Expression], progress_of: ProgressOf) -> Expression:
    """The condition that the bound of one of the ``expressions`` has passed its value in a row."""
    return or_(
        *(
            has_passed(each, *found)
            for each in expressions
            if (found := progress_of(each)) is not None
        )
    )


def key_has_passed(
    values: Sequence[Expression], limits: Sequence[Bound | None], descending: Mapping[int, bool]
) -> Expression:
    """The condition that a bound has passed one of the values at the places in ``descending``.

    ``descending`` tells for each of these places whether its values descend.  ``limits`` are the
    bounds, by place; None: no bound is known.
    """
    return or_(*(has_passed(values[i], limits[i], down) for i, down in descending.items()))


def has_reached(value: Expression, limit: Bound | None, descending: bool) -> Expression:
    """The condition that no later value comes before ``value``; a later one can be equal.

    ``limit`` is the bound of later values; None: it is not known.  A bound has reached a value if
    it would have passed it as a strict bound.
    """
    return has_passed(value, limit and replace(limit, strict=True), descending)


def not_reached(plan: Plan, place: int, limit: Bound | None) -> Plan:
    """The rows of ``plan`` whose value at ``place``, which ascends, ``limit`` has not reached."""
    return Filter(plan, is_not_true(has_reached(columns(plan)[place], limit, descending=False)))


# --- frames ---------------------------------------------------------------------------------------


def pending_rows(
    plan: Window, time: int | None, progress_of: ProgressOf, *, sure: bool
) -> Plan | None:
    """The input rows that are not determined, with columns appended; None: no row is needed.

    ``time`` is the place of the rowtime.  ``sure``: the caller does not need the rows that wait
    only for the bound to pass their own rowtime.  Then the result is None if no row waits for
    anything else.
    """
    if sure and all(is_by_time(each, time) and not looks_ahead(each) for each in plan.groups):
        return None  # a row is determined as soon as the bound has passed its own rowtime
    rows: Plan = plan.input
    undetermined: list[Expression] = []
    for group in plan.groups:
        determined = _Determined(rows, group, progress_of)
        undetermined.append(is_not_true(determined.condition()))
        rows = determined.rows
    return Filter(rows, or_(*undetermined))


def _last_with_edge(kind: Kind, months: int) -> Bound:
    """The last key to which ``months`` can be added (S-506.f), as a bound that has passed this key.

    If ``months`` is negative, it is the first such key, for keys that descend.  ``kind`` is the
    kind of the keys.  A TIMESTAMP is the last millisecond of the last day, or the first one of the
    first day.
    """
    day = add_months(MAX_DATE if months > 0 else MIN_DATE, -months)
    if kind is Kind.DATE:
        return Bound(day, strict=True)
    return Bound(day * MILLIS_PER_DAY + (MILLIS_PER_DAY - 1 if months > 0 else 0), strict=True)


class _Determined:
    """The rows that are determined with respect to one group of window calls.

    ``rows`` is the input plan.  `condition` appends to it the columns that the condition reads, so
    ``rows`` is read after the call.
    """

    def __init__(self, rows: Plan, group: WindowGroup, progress_of: ProgressOf) -> None:
        self.rows = rows
        self._group = group
        self._progress_of = progress_of

    def condition(self) -> Expression:
        """The condition that a row is determined.

        Either its partition is complete, or its position in the order is final, its frame is
        complete, and all rows have arrived that its calls read beyond the frame.
        """
        complete = any_has_passed(self._group.partition, self._progress_of)
        calls = map(self._lookahead_complete, self._group.calls)
        return or_(complete, and_(self._has_final_place(), self._frame_complete(), *calls))

    def _first_key(self) -> tuple[Expression, Bound | None, bool]:
        """The first sort key, its bound, and whether it descends.

        The bound is None if it is not known, or if it moves against the order of the sort key.
        """
        key = self._group.order[0]
        found = self._progress_of(key.expression)
        limit = found[0] if found is not None and found[1] == key.descending else None
        return key.expression, limit, key.descending

    def _has_final_place(self) -> Expression:
        """The condition that no later row sorts before this one."""
        if not self._group.order:
            return TRUE  # rows are in the order of arrival
        return (has_reached if len(self._group.order) == 1 else has_passed)(*self._first_key())

    def _frame_complete(self) -> Expression:
        """The condition that no later row belongs to the frame."""
        match self._group.frame.end:
            case Unbounded():
                return FALSE
            case RowOffset(rows):
                return self._is_followed_by(rows)
            case RangeOffset() if not self._group.order:
                return FALSE
            case RangeOffset(Literal(0)) | GroupOffset(0):
                return has_passed(*self._first_key())
            case GroupOffset(groups):
                return self._group_complete(groups) if groups > 0 else TRUE
            case RangeOffset(distance, preceding):
                if preceding:
                    return self._preceding_end_passed(distance)
                return self._following_end_passed(distance)

    def _preceding_end_passed(self, distance: Literal) -> Expression:
        """The condition that the bound has passed the end of a RANGE frame with a PRECEDING end.

        Such a frame ends before its row, so it is complete when the position of the row is final,
        which `condition` demands anyway.  But in DOUBLE, the key minus a small distance can round
        to the key itself, whose peers can still arrive.
        """
        key, limit, descending = self._first_key()
        if not is_rounded(key, distance):
            return TRUE
        return has_passed(at_distance(key, distance, back=not descending), limit, descending)

    def _following_end_passed(self, distance: Literal) -> Expression:
        """The condition that the bound has passed the end of a RANGE frame with a FOLLOWING end."""
        key, limit, descending = self._first_key()
        if key.type.kind in NUMERIC:
            return has_passed(at_distance(key, distance, back=descending), limit, descending)
        assert isinstance(distance.value, int), "a distance in time is whole"
        length = -distance.value if descending else distance.value
        if key.type.kind in DATETIME and distance.type.kind is Kind.MONTHS:
            later = Call(Op.DATETIME_PLUS, (key, replace(distance, value=length)), key.type)
            edge_exists = has_passed(key, _last_with_edge(key.type.kind, length), descending)
            # CASE and not AND: a later date that does not exist must not be computed.
            return Case(((edge_exists, has_passed(later, limit, descending)),), FALSE, BOOLEAN)
        if limit is None or not isinstance(limit.value, int):
            return FALSE
        # The bound is moved and not the key, because the moved key may be out of range (S-506.f).
        unit = MILLIS_PER_DAY if key.type.kind is Kind.DATE else 1
        back = distance.value // unit * (-1 if descending else 1)
        return has_passed(key, replace(limit, value=limit.value - back), descending)

    def _group_complete(self, groups: int) -> Expression:
        """The condition that the last group of peers of the frame has arrived and is complete.

        The frame ends ``groups`` groups after that of the row.  Its last group is complete if rows
        of a group after it have arrived, or if the bound has passed its key.
        """
        key, limit, descending = self._first_key()
        frame, beyond = (Frame(GroupOffset(i), GroupOffset(i)) for i in (groups, groups + 1))
        rows_beyond, self.rows = with_count(self.rows, self._group, beyond)
        last, self.rows = with_value(self.rows, self._group, frame, AggregateFunction.MAX, key)
        return or_(greater(rows_beyond, Literal(0, BIGINT)), has_passed(last, limit, descending))

    def _lookahead_complete(self, call: WindowCall) -> Expression:
        """The condition that all rows have arrived that a call reads beyond its frame."""
        if call.function is WindowFunction.LEAD:
            rows = literal_offset(call)
            if call.ignore_nulls or rows is None:
                return FALSE  # the row that LEAD returns is not known
            return self._is_followed_by(rows)
        return FALSE if call.function in LOOKAHEAD else TRUE

    def _is_followed_by(self, rows: int) -> Expression:
        """The condition that at least ``rows`` rows follow a row, each in its final position."""
        if rows <= 0:
            return TRUE
        frame = Frame(RowOffset(1), RowOffset(rows))
        counted, self.rows = with_count(
            self.rows, self._group, frame, filter=self._has_final_place()
        )
        return at_least(counted, Literal(rows, BIGINT))
