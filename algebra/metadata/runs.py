"""Runs: how long it takes until all rows of one value of a monotonic key have come (S-405)."""

from dataclasses import dataclass
from typing import Final

from algebra.catalog import Profile, Stream
from algebra.constraints.column_ranges import column_ranges
from algebra.constraints.max_distance import max_distance
from algebra.expression import Call, Expression, Extract, InputRef, Literal, Op, Round
from algebra.metadata.durations import NONE, BoundAdvance, Duration, max_of, min_of, unbounded
from algebra.monotonicity.columns import OrderOf, Orders, column_monotonicity, rowtime_column
from algebra.monotonicity.context import TOP, Context
from algebra.monotonicity.deduction import monotonicity
from algebra.monotonicity.tables import Monotonicity
from algebra.plan import (
    Aggregate,
    Delta,
    Filter,
    Hop,
    Join,
    Plan,
    Project,
    Scan,
    SetOp,
    Sort,
    Values,
    Window,
    WindowJoin,
    is_streaming,
    row_type,
)
from algebra.rewrite import columns_of, made_of, operands, rewritten, shifted
from algebra.spelling import names_of, spelled
from algebra.types import DATETIME, MILLIS_PER_DAY, Kind, interval
from grammar.tree import SetOperator, TimeUnit

_C: Final = Monotonicity.CONSTANT
_MILLIS: Final = interval(TimeUnit.DAY, TimeUnit.SECOND)


def until_complete(key: Expression, input: Plan, context: Context = TOP) -> Duration:
    """How far the bounds must move on from any row of ``input`` until its run of ``key`` is over.

    From then on no row has the same value of ``key``, nor one before it.  `Stretch.unbounded` where
    ``key`` makes no progress: it is a constant, in no order, or (profile sqlstream) falls.
    """
    why = _no_progress(key, input, context)
    return why or max_of(each.until_complete() for each in column_origins(key, input, context))


def until_ordered(key: Expression, input: Plan, context: Context = TOP) -> Duration:
    """How far the bounds must move on from any row until none can come before it in ``key``.

    Rows of the same value may still come; else it is as `until_complete`.
    """
    why = _no_progress(key, input, context)
    return why or max_of(each.until_ordered() for each in column_origins(key, input, context))


def _no_progress(key: Expression, input: Plan, context: Context) -> Duration | None:
    """Why the bound of ``key`` says nothing; None: it moves."""
    columns = column_monotonicity(input, OrderOf.BOUNDS, context.reader, context.where)
    order = monotonicity(key, columns, column_ranges(input))
    if order.ascending or (order.descending and context.profile is Profile.CALCITE):
        return None
    what = "is constant" if order is _C else "falls" if order.progresses else "is in no order"
    return unbounded(f"{spelled(key, names_of(input))} {what}")


def until_column_complete(place: int, input: Plan, context: Context = TOP) -> Duration:
    """`until_complete` of the column at ``place``."""
    return until_complete(InputRef(place, row_type(input)[place].type), input, context)


@dataclass(frozen=True, slots=True)
class ColumnOrigin:
    """A key as written over the first node below that makes its columns, not only hands them on."""

    key: Expression
    plan: Plan
    context: Context

    @property
    def orders(self) -> Orders:
        """How the bounds of the plan's columns move."""
        context = self.context
        return column_monotonicity(self.plan, OrderOf.BOUNDS, context.reader, context.where)

    def until_complete(self) -> Duration:
        """The run of the key."""
        core = _core(self.key)
        return self._over(core, Op.EQUAL, core)

    def until_ordered(self) -> Duration:
        """Until no row comes any more whose key is before that of a row."""
        return self._over(self.key, self._before, self.key)

    def until_advanced(self, amount: int) -> Duration:
        """Until the bound of the key has moved on by ``amount`` of its own unit; 0 is none."""
        return NONE if amount <= 0 else self._over(self._target(amount), self._before, self.key)

    def age(self, amount: int) -> Duration:
        """How old a row can be, by the bound, whose key is no more than ``amount`` behind it."""
        return self._over(self._target(amount), self._not_after, self.key, past=0)

    def until_beyond(self, amount: int) -> Duration:
        """Until the bound of the key has moved on by more than ``amount`` of its own unit."""
        return self._over(self._target(amount), self._not_after, self.key)

    def _target(self, amount: int) -> Expression:
        """The key ``amount`` further on."""
        unit = _MILLIS if self.key.type.kind in DATETIME else self.key.type
        millis = amount * MILLIS_PER_DAY if self.key.type.kind is Kind.DATE else amount
        plus = Op.DATETIME_PLUS if self.key.type.kind in DATETIME else Op.PLUS
        sign = -1 if self._descending else 1
        return Call(plus, (self.key, Literal(sign * millis, unit)), self.key.type)

    @property
    def _before(self) -> Op:
        return Op.GREATER if self._descending else Op.LESS

    @property
    def _not_after(self) -> Op:
        return Op.GREATER_OR_EQUAL if self._descending else Op.LESS_OR_EQUAL

    @property
    def _descending(self) -> bool:
        return monotonicity(self.key, self.orders, column_ranges(self.plan)).descending

    def _over(self, near: Expression, op: Op, far: Expression, past: int = 1) -> Duration:
        """Until no row comes any more of which ``far op near`` of a row before it holds.

        ``past`` is 1, or 0 for how far away the last such row can be.
        """
        own = self.orders
        moving = [i for i in self._columns() if own[i] is not _C]
        if len(moving) != 1:
            return self._data_dependent()
        place = moving[0]
        amount = max_distance(self.plan, near, op, far, place, own[place].descending)
        if amount is None:
            return self._data_dependent()
        moved_on = self._advance(place, max(0, amount + past))
        # What only MONOTONIC declares has no slack: rows behind it are late (S-407).
        declared = own[place].progresses
        return moved_on.plus(disorder(self.plan, place, self.context)) if declared else moved_on

    def until_ordered_by_others(self, descending: bool, alone: bool) -> Duration | None:
        """Until no row comes any more whose key is behind that of a row, or unless ``alone`` at it.

        By the bound of whichever column tells it; None: none does.
        """
        strict, loose = (
            (Op.GREATER, Op.GREATER_OR_EQUAL) if descending else (Op.LESS, Op.LESS_OR_EQUAL)
        )
        op = strict if alone else loose
        found: list[Duration] = []
        for place, order in enumerate(self.orders):
            if not order.progresses:
                continue
            amount = max_distance(self.plan, self.key, op, self.key, place, order.descending)
            if amount is not None:
                moved_on = self._advance(place, max(0, amount + 1))
                found.append(moved_on.plus(disorder(self.plan, place, self.context)))
        return min_of(found) if found else None

    def slack(self, place: int, amount: int) -> Duration:
        """What a declared slack is of the column at ``place``."""
        return self._advance(place, amount)

    def _columns(self) -> list[int]:
        """The columns by which the key moves: of a window its row's time."""
        used = columns_of(self.key)
        if not isinstance(self.plan, Hop):
            return sorted(used)
        width = len(row_type(self.plan.input))
        time = columns_of(self.plan.time) if any(i >= width for i in used) else frozenset[int]()
        return sorted({i for i in used if i < width} | time)

    def _advance(self, place: int, amount: int) -> Duration:
        """An amount of a column: in milliseconds of the stream's own time, where it is that."""
        kind = row_type(self.plan)[place].type.kind
        time = kind in (Kind.DATE, Kind.TIMESTAMP)
        if kind is Kind.DATE:
            amount *= MILLIS_PER_DAY
        if amount == 0 or (time and _of_rowtimes(self.plan, place, self.context)):
            return Duration(amount)
        return Duration(advances=(BoundAdvance(names_of(self.plan)[place], amount, time),))

    def _data_dependent(self) -> Duration:
        return Duration(advances=(BoundAdvance(spelled(self.key, names_of(self.plan)), None),))


def _core(key: Expression) -> Expression:
    """What ``key`` is told apart by: ``key`` without strict functions around a FLOOR or EXTRACT.

    A year is what EXTRACT takes of it; MONOTONIC is its operand.
    """
    match key:
        case Extract(TimeUnit.YEAR, operand) if operand.type.kind in DATETIME:
            return Round(False, operand, TimeUnit.YEAR, operand.type)
        case Call(Op.MONOTONIC, (operand,)):
            return _core(operand)
        case _:
            moving = [each for each in operands(key) if columns_of(each)]
            if len(moving) != 1:
                return key
            hole = InputRef(0, moving[0].type)
            outside = rewritten(key, lambda leaf: hole if leaf == moving[0] else leaf, moving)
            strict = (Monotonicity.STRICTLY_INCREASING,)
            inner = isinstance(moving[0], Round | Extract | Call)
            one_hole = columns_of(outside) == frozenset({0}) and inner
            return _core(moving[0]) if one_hole and monotonicity(outside, strict).strict else key


def column_origins(key: Expression, plan: Plan, context: Context = TOP) -> tuple[ColumnOrigin, ...]:
    """``key`` pushed down through the nodes that hand its columns on; in each input of a union."""
    contexts = context.inputs(plan)
    used = columns_of(key)
    match plan:
        case Project(input, expressions):
            return column_origins(made_of(key, expressions), input, contexts[0])
        case Filter(input):
            found = column_origins(key, input, contexts[0])
            # What the filter asks is known above it: it may tell more than its input does.
            return (ColumnOrigin(key, plan, context),) if found[0].plan is input else found
        case Delta(input):
            return column_origins(key, input, contexts[0])
        case Window(input) | Hop(input) if all(i < len(row_type(input)) for i in used):
            return column_origins(key, input, contexts[0])
        case Join(left, right) if is_streaming(left) is not is_streaming(right):
            width = len(row_type(left))
            if is_streaming(left) and all(i < width for i in used):
                return column_origins(key, left, contexts[0])
            if is_streaming(right) and all(i >= width for i in used):
                return column_origins(shifted(key, -width), right, contexts[1])
            return (ColumnOrigin(key, plan, context),)
        case SetOp(inputs, SetOperator.UNION, True):
            sides = zip(inputs, contexts, strict=True)
            return tuple(g for each, inner in sides for g in column_origins(key, each, inner))
        case Scan() | Values() | Aggregate() | Window() | Hop():
            return (ColumnOrigin(key, plan, context),)
        case Join() | WindowJoin() | SetOp() | Sort():
            return (ColumnOrigin(key, plan, context),)


# --- columns ------------------------------------------------------------------------------------


def until_advanced(plan: Plan, place: int, amount: int, context: Context = TOP) -> Duration:
    """Until the bound of the column at ``place`` has moved on by ``amount`` of its own unit.

    In what the column is made of: where it is FLOOR(rowtime TO HOUR), up to an hour more.
    """
    column = InputRef(place, row_type(plan)[place].type)
    return max_of(each.until_advanced(amount) for each in column_origins(column, plan, context))


def age(plan: Plan, place: int, amount: int, context: Context = TOP) -> Duration:
    """How old a row can be of which the column is no more than ``amount`` behind its bound."""
    column = InputRef(place, row_type(plan)[place].type)
    return max_of(each.age(amount) for each in column_origins(column, plan, context))


def until_beyond(plan: Plan, place: int, amount: int, context: Context = TOP) -> Duration:
    """Until the bound of the column has moved on by more than ``amount`` of its own unit."""
    column = InputRef(place, row_type(plan)[place].type)
    return max_of(each.until_beyond(amount) for each in column_origins(column, plan, context))


def _of_rowtimes(plan: Plan, place: int, context: Context) -> bool:
    """Whether a column is made of nothing but rowtimes of streams, and constants."""
    contexts = context.inputs(plan)

    def made(input: Plan, expression: Expression, port: int = 0) -> bool:
        return all(_of_rowtimes(input, i, contexts[port]) for i in columns_of(expression))

    match plan:
        case Scan():
            return place == rowtime_column(plan)
        case Values():
            return False
        case Project(input, expressions):
            return made(input, expressions[place])
        case Aggregate(input, keys):
            return place < len(keys) and made(input, keys[place])
        case Hop(input, time) if place >= len(row_type(input)):
            return made(input, time)
        case Window(input) if place >= len(row_type(input)):
            return False
        case Filter(input) | Hop(input) | Window(input) | Sort(input) | Delta(input):
            return _of_rowtimes(input, place, contexts[0])
        case Join(left, right) | WindowJoin(left, right):
            width = len(row_type(left))
            if place < width:
                return _of_rowtimes(left, place, contexts[0])
            until_beyond = place - width >= len(row_type(right))
            return until_beyond or _of_rowtimes(right, place - width, contexts[1])
        case SetOp(inputs):
            return all(
                _of_rowtimes(p, place, inner) for p, inner in zip(inputs, contexts, strict=True)
            )


def disorder(plan: Plan, place: int, context: Context = TOP) -> Duration:
    """How far behind its newest row a column's bound can be (S-103); none where rows are in order.

    The slack of a t-sorted column, the k rows of a k-sorted one, a bound from outside on a
    punctuated stream.
    """
    emitted = column_monotonicity(plan, OrderOf.ROWS, context.reader, context.where)[place]
    if emitted.progresses or emitted is _C:
        return NONE
    contexts = context.inputs(plan)
    match plan:
        case Scan(Stream(columns=columns)):
            ordering = columns[place].ordering
            if ordering is None:
                return _data_dependent(plan, place)
            if ordering.slack is not None:
                own = InputRef(place, columns[place].type)
                return ColumnOrigin(own, plan, context).slack(place, ordering.slack)
            return Duration(rows=ordering.rows or 0, bound=ordering.punctuated)
        case Filter(input) | Sort(input) | Delta(input):
            return disorder(input, place, contexts[0])
        case Window(input) | Hop(input) if place < len(row_type(input)):
            return disorder(input, place, contexts[0])
        case Project(input, expressions):
            column = expressions[place]
            if isinstance(column, InputRef):
                return disorder(input, column.index, contexts[0])
            return _data_dependent(plan, place)
        case Join(left, right) | WindowJoin(left, right):
            width = len(row_type(left))
            if place < width:
                return disorder(left, place, contexts[0])
            if place < width + len(row_type(right)):
                return disorder(right, place - width, contexts[1])
            return _data_dependent(plan, place)
        case SetOp(inputs):
            sides = zip(inputs, contexts, strict=True)
            return max_of(disorder(each, place, inner) for each, inner in sides)
        case Scan() | Values() | Hop() | Aggregate() | Window():
            return _data_dependent(plan, place)


def _data_dependent(plan: Plan, place: int) -> Duration:
    return Duration(advances=(BoundAdvance(names_of(plan)[place], None),))
