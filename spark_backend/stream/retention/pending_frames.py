"""Pending frames: which rows of a window wait for later rows (S-505), and conditions for bounds."""

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
    InputRef,
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
from spark_backend.stream.bounds.distances import at_distance
from spark_backend.stream.frame_kinds import literal_offset, looks_ahead
from spark_backend.stream.window_columns import with_count, with_value

#: The bound of an expression over the input's rows, and whether it descends; None: no progress.
ProgressOf: TypeAlias = Callable[[Expression], tuple[Bound | None, bool] | None]


# --- conditions -----------------------------------------------------------------------------------


def has_passed(value: Expression, limit: Bound | None, descending: bool) -> Expression:
    """Whether no later value can be ``value`` or before it (`progress.passed`)."""
    if limit is None or limit.value is None:
        return FALSE
    op = Op.GREATER if descending else Op.LESS
    if limit.strict:
        op = Op.GREATER_OR_EQUAL if descending else Op.LESS_OR_EQUAL
    return compared(op, value, Literal(widened(limit.value, value.type), value.type))


def widened(value: Value, type: Type) -> Value:
    """The value as one of a type that a number may have been widened to."""
    if isinstance(value, int) and type.kind is Kind.DECIMAL:
        return Decimal(value)
    return float(value) if isinstance(value, int | Decimal) and type.kind is Kind.DOUBLE else value


def any_has_passed(expressions: Sequence[Expression], progress_of: ProgressOf) -> Expression:
    """Whether the bound of any of some expressions on a row has passed its value."""
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
    """Whether a bound has passed any of the values at the places that ``descending`` has."""
    return or_(*(has_passed(values[i], limits[i], down) for i, down in descending.items()))


def has_reached(value: Expression, limit: Bound | None, descending: bool) -> Expression:
    """Whether no later value can come before ``value``."""
    if limit is None or limit.value is None:
        return FALSE
    op = Op.GREATER_OR_EQUAL if descending else Op.LESS_OR_EQUAL
    return compared(op, value, Literal(limit.value, value.type))


# --- frames ---------------------------------------------------------------------------------------


def pending_rows(
    plan: Window, time: int | None, progress_of: ProgressOf, *, sure: bool
) -> Plan | None:
    """The input's rows that are not determined, perhaps with more columns; None: none matters.

    ``time`` is the place of the rows' time.  ``sure``: the caller needs no rows that are at or
    after the time's bound, since nothing but that bound holds them back.
    """
    if sure and all(_ends_with_time(each, time) for each in plan.groups):
        return None
    rows: Plan = plan.input
    undetermined: list[Expression] = []
    for group in plan.groups:
        determined = _Determined(rows, group, progress_of)
        condition = determined.condition()
        rows = determined.rows
        undetermined.append(is_not_true(condition))
    return Filter(rows, or_(*undetermined))


def _ends_with_time(group: WindowGroup, time: int | None) -> bool:
    """Whether a row waits for nothing but the bound of its own time to pass."""
    if looks_ahead(group) or not group.order:
        return False
    first = group.order[0]
    if not isinstance(first.expression, InputRef) or first.expression.index != time:
        return False
    return not first.descending


def _last_with_edge(kind: Kind, months: int) -> Bound:
    """The last key, in its direction, that has an edge so many months later (S-506.f)."""
    day = add_months(MAX_DATE if months > 0 else MIN_DATE, -months)
    if kind is Kind.DATE:
        return Bound(day, strict=True)
    return Bound(day * MILLIS_PER_DAY + (MILLIS_PER_DAY - 1 if months > 0 else 0), strict=True)


class _Determined:
    """Which rows of a window are determined, as far as one group of its calls goes.

    ``rows`` are the input's, with columns behind them that the condition reads.
    """

    def __init__(self, rows: Plan, group: WindowGroup, progress_of: ProgressOf) -> None:
        self.rows = rows
        self._group = group
        self._progress_of = progress_of

    def condition(self) -> Expression:
        """Whether the partition of a row is complete, or its place is settled and its frame is."""
        complete = any_has_passed(self._group.partition, self._progress_of)
        calls = map(self._seen_beyond, self._group.calls)
        return or_(complete, and_(self._settled(), self._end(), *calls))

    def _first(self) -> tuple[Expression, Bound | None, bool]:
        """The first sort key; its bound, if that moves as the order does; whether it descends."""
        key = self._group.order[0]
        found = self._progress_of(key.expression)
        limit = found[0] if found is not None and found[1] == key.descending else None
        return key.expression, limit, key.descending

    def _settled(self) -> Expression:
        """Whether no row to come is before this one."""
        if not self._group.order:
            return TRUE  # the order is that of arrival
        return (has_reached if len(self._group.order) == 1 else has_passed)(*self._first())

    def _end(self) -> Expression:
        """Whether no row to come is in the frame."""
        match self._group.frame.end:
            case Unbounded():
                return FALSE
            case RowOffset(rows):
                return self._followed(rows)
            case GroupOffset(groups):
                return self._group_complete(groups) if groups >= 0 else TRUE
            case RangeOffset() if not self._group.order:
                return FALSE
            case RangeOffset(distance) if distance.value == 0:
                return has_passed(*self._first())
            case RangeOffset(distance, preceding):
                return TRUE if preceding else self._distance_passed(distance)

    def _distance_passed(self, distance: Literal) -> Expression:
        """Whether the bound has passed the end of a range that ends after the row."""
        key, limit, descending = self._first()
        if key.type.kind in NUMERIC:
            return has_passed(at_distance(key, distance, back=descending), limit, descending)
        assert isinstance(distance.value, int), "a distance in time is whole"
        length = -distance.value if descending else distance.value
        if key.type.kind in DATETIME and distance.type.kind is Kind.MONTHS:
            later = Call(Op.DATETIME_PLUS, (key, replace(distance, value=length)), key.type)
            there = has_passed(key, _last_with_edge(key.type.kind, length), descending)
            return Case(((there, has_passed(later, limit, descending)),), FALSE, BOOLEAN)
        if limit is None or not isinstance(limit.value, int):
            return FALSE
        # The bound is moved, not the key: its edge may be beyond the range of its type (S-506.f).
        unit = MILLIS_PER_DAY if key.type.kind is Kind.DATE else 1
        back = distance.value // unit * (-1 if descending else 1)
        return has_passed(key, replace(limit, value=limit.value - back), descending)

    def _group_complete(self, groups: int) -> Expression:
        """Whether the last group of peers in the frame has come, and is complete."""
        key, limit, descending = self._first()
        frame, beyond = (Frame(GroupOffset(i), GroupOffset(i)) for i in (groups, groups + 1))
        later, self.rows = with_count(self.rows, self._group, beyond)
        last, self.rows = with_value(self.rows, self._group, frame, AggregateFunction.MAX, key)
        return or_(greater(later, Literal(0, BIGINT)), has_passed(last, limit, descending))

    def _seen_beyond(self, call: WindowCall) -> Expression:
        """Whether the rows have come that a call sees beyond its frame."""
        if call.function is WindowFunction.LEAD:
            rows = literal_offset(call)
            if call.ignore_nulls or rows is None:
                return FALSE  # it is not known which row is the one
            return self._followed(rows)
        return FALSE if call.function in LOOKAHEAD else TRUE

    def _followed(self, rows: int) -> Expression:
        """Whether so many rows have come behind a row, each in its place."""
        if rows <= 0:
            return TRUE
        frame = Frame(RowOffset(1), RowOffset(rows))
        counted, self.rows = with_count(self.rows, self._group, frame, filter=self._settled())
        return at_least(counted, Literal(rows, BIGINT))
