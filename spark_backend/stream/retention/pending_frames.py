"""Which rows of a window wait for rows to come: those whose frames are not complete (S-505)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final, TypeAlias

from algebra.build import (
    FALSE,
    TRUE,
    and_,
    at_least,
    compared,
    greater,
    is_not_distinct,
    is_not_true,
    or_,
)
from algebra.expression import (
    AggregateFunction,
    Call,
    Expression,
    InputRef,
    Literal,
    Op,
    Value,
    WindowCall,
    WindowFunction,
)
from algebra.monotonicity.operators import LOOKAHEAD_FUNCTIONS
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
    row_type,
)
from algebra.types import BIGINT, DATETIME, NUMERIC, Kind, Type
from spark_backend.stream.bounds.distances import at_distance
from spark_backend.stream.frame_kinds import looks_ahead

#: Of an expression over the input's rows: its bound, and whether it falls; None: no progress.
ProgressOf: TypeAlias = Callable[[Expression], tuple[Bound | None, bool] | None]

_COUNT: Final = BIGINT.as_nullable(False)


# --- conditions -----------------------------------------------------------------------------------


def has_passed(value: Expression, limit: Bound | None, descending: bool) -> Expression:
    """Whether no later value can be ``value`` or before it (`progress.passed`)."""
    if limit is None or limit.value is None:
        return FALSE
    op = Op.GREATER if descending else Op.LESS
    if limit.strict:
        op = Op.GREATER_OR_EQUAL if descending else Op.LESS_OR_EQUAL
    return compared(op, value, Literal(_number(limit.value, value.type), value.type))


def _number(value: Value, type: Type) -> Value:
    """The value as one of a type that a number may have been widened to."""
    if isinstance(value, int) and type.kind is Kind.DECIMAL:
        return Decimal(value)
    return float(value) if isinstance(value, int | Decimal) and type.kind is Kind.DOUBLE else value


def alike(a: Sequence[Expression], b: Sequence[Expression]) -> Expression:
    """Whether rows are equal in some columns, where NULL equals NULL."""
    return and_(*(is_not_distinct(*pair) for pair in zip(a, b, strict=True)))


def any_has_passed(expressions: Sequence[Expression], progress_of: ProgressOf) -> Expression:
    """Whether one of some expressions on a row is passed, as far as it is known how they come."""
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
    """Whether any of the values that move has passed; ``descending`` has their places."""
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
    """The input's rows that are not determined, with columns behind theirs; None: none are asked.

    ``time`` is the place of the rows' time.  ``sure``: rows that are at the time's bound or beyond
    need not be among them, since nothing but the bound itself holds them back.
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


class _Determined:
    """When the rows of one group of calls are determined.

    ``rows`` are the input's, with columns behind them that the condition asks for.
    """

    def __init__(self, rows: Plan, group: WindowGroup, progress_of: ProgressOf) -> None:
        self.rows = rows
        self._group = group
        self._progress_of = progress_of

    def condition(self) -> Expression:
        """Its partition is complete; or its place is settled and its frame's end is known."""
        complete: list[Expression] = []
        for each in self._group.partition:
            found = self._progress_of(each)
            if found is not None:
                complete.append(has_passed(each, *found))
        settled = and_(*self._settled(), *self._end(), *self._calls())
        return or_(*complete, settled)

    def _first(self) -> tuple[Expression, Bound | None, bool] | None:
        """The first sort key, its bound and direction, if it moves in the order's."""
        if not self._group.order:
            return None
        key = self._group.order[0]
        found = self._progress_of(key.expression)
        if found is None or found[1] != key.descending:
            return None
        return key.expression, *found

    def _settled(self) -> Sequence[Expression]:
        """No row to come is before this one."""
        if not self._group.order:
            return ()  # the order is that of arrival
        first = self._first()
        if first is None:
            return (FALSE,)
        return ((has_reached if len(self._group.order) == 1 else has_passed)(*first),)

    def _end(self) -> Sequence[Expression]:
        """No row to come is in the frame."""
        match self._group.frame.end:
            case Unbounded():
                return (FALSE,)
            case RowOffset(rows):
                return () if rows <= 0 else (self._followed(RowOffset(1), RowOffset(rows), rows),)
            case GroupOffset(groups):
                return () if groups < 0 else (self._group_complete(groups),)
            case RangeOffset(distance) if distance.value == 0 or not self._group.order:
                return (self._peers_complete(),)
            case RangeOffset(distance, preceding):
                return () if preceding else (self._distance_passed(distance),)

    def _peers_complete(self) -> Expression:
        first = self._first()
        return FALSE if first is None else has_passed(*first)

    def _distance_passed(self, distance: Literal) -> Expression:
        """The bound has passed the end of the range."""
        first = self._first()
        if first is None:
            return FALSE
        key, limit, descending = first
        if key.type.kind in NUMERIC:
            return has_passed(at_distance(key, distance, back=descending), limit, descending)
        op = Op.DATETIME_PLUS if key.type.kind in DATETIME else Op.PLUS
        if descending:
            assert isinstance(distance.value, int), "a distance in time is whole"
            distance = replace(distance, value=-distance.value)
        return has_passed(Call(op, (key, distance), key.type), limit, descending)

    def _group_complete(self, groups: int) -> Expression:
        """The last group of peers in the frame is there, and complete."""
        later = self._count(GroupOffset(groups + 1), GroupOffset(groups + 1))
        behind = greater(later, Literal(0, BIGINT))
        first = self._first()
        if first is None:
            return behind
        key, limit, descending = first
        last = self._added(
            AggregateFunction.MAX, (key,), Frame(GroupOffset(groups), GroupOffset(groups))
        )
        return or_(behind, has_passed(last, limit, descending))

    def _calls(self) -> Sequence[Expression]:
        """What functions wait for that see more than their frame."""
        found: list[Expression] = []
        for call in self._group.calls:
            if call.function is WindowFunction.LEAD:
                found.append(self._lead(call))
            elif call.function in LOOKAHEAD_FUNCTIONS:
                found.append(FALSE)
        return found

    def _lead(self, call: WindowCall) -> Expression:
        """So many rows follow; of those that are NULL and ignored, it is not said which."""
        offset = call.arguments[1] if len(call.arguments) > 1 else Literal(1, BIGINT)
        if call.ignore_nulls or not isinstance(offset, Literal):
            return FALSE
        assert isinstance(offset.value, int), "an offset counts rows"
        if offset.value == 0:
            return TRUE
        return self._followed(RowOffset(1), RowOffset(offset.value), offset.value)

    def _followed(self, start: RowOffset, end: RowOffset, rows: int) -> Expression:
        """So many rows that are in their places come behind."""
        settled = self._settled()
        counted = self._count(start, end, and_(*settled) if settled else None)
        return at_least(counted, Literal(rows, BIGINT))

    def _count(
        self,
        start: RowOffset | GroupOffset,
        end: RowOffset | GroupOffset,
        filter: Expression | None = None,
    ) -> Expression:
        return self._added(AggregateFunction.COUNT, (), Frame(start, end), filter)

    def _added(
        self,
        function: AggregateFunction,
        arguments: tuple[Expression, ...],
        frame: Frame,
        filter: Expression | None = None,
    ) -> InputRef:
        """A column more behind the rows: a function over a frame of this group's order."""
        type = arguments[0].type.as_nullable() if arguments else _COUNT
        call = WindowCall(function, arguments, type, filter=filter)
        group = replace(self._group, frame=frame, calls=(call,))
        place = len(row_type(self.rows))
        self.rows = Window(self.rows, (group,), (f"$W{place}",))
        return InputRef(place, type)
