"""How each operator keeps, makes and breaks the order of columns, given that of its inputs.

A rule here sees one node and the orders of its inputs' columns; `algebra.monotonicity.columns`
walks.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from algebra.constraints.column_ranges import column_ranges
from algebra.constraints.number_range import Range
from algebra.expression import Expression, InputRef, WindowFunction
from algebra.monotonicity.deduction import monotonicity
from algebra.monotonicity.tables import Monotonicity
from algebra.plan import (
    Aggregate,
    Filter,
    Frame,
    GroupOffset,
    Hop,
    Plan,
    RangeOffset,
    RowOffset,
    SetOp,
    SideWindow,
    Sort,
    TimeWindow,
    Unbounded,
    Values,
    Window,
    WindowGroup,
    WindowJoin,
    row_type,
    window_sizes,
)
from algebra.rewrite import columns_of
from algebra.types import Kind
from grammar.tree import JoinKind, SetOperator

_C: Final = Monotonicity.CONSTANT
_N: Final = Monotonicity.NOT_MONOTONIC

Orders = tuple[Monotonicity, ...]

#: The window functions that wait for rows beyond their frame.
LOOKAHEAD_FUNCTIONS: Final = frozenset({
    WindowFunction.LEAD, WindowFunction.NTILE, WindowFunction.PERCENT_RANK,
    WindowFunction.CUME_DIST,
})  # fmt: skip


def constant_only(orders: Iterable[Monotonicity]) -> Orders:
    """What is left of the orders of columns when their rows are taken in another order."""
    return tuple(each if each is _C else _N for each in orders)


def values_orders(plan: Values) -> Orders:
    """A column of VALUES is constant where all rows say the same constant."""
    columns = [[row[i] for row in plan.rows] for i in range(len(plan.fields))]
    return tuple(
        _C if len(set(each)) <= 1 and all(monotonicity(e, ()) is _C for e in each) else _N
        for each in columns
    )


def hop_orders(plan: Hop, columns: Orders, bounds: bool) -> Orders:
    """A row stands once in each of its windows: its columns repeat (S-504).

    The windows of TUMBLE follow one another, and those of a HOP with gaps between.  Those that
    overlap go back with each row, but their ``bounds`` do not.
    """
    time = monotonicity(plan.time, columns, column_ranges(plan.input)).unstrict()
    if not overlapping(plan):
        return (*columns, time, time)
    window = time if bounds else _N
    return (*(each.unstrict() for each in columns), window, window)


def overlapping(plan: Hop) -> bool:
    """Whether a row may be in several windows: they are longer than from one end to the next."""
    emit, retain = window_sizes(plan)
    return retain > emit


# --- aggregates -------------------------------------------------------------------------------


def aggregate_orders(
    plan: Aggregate, bounds: Orders, rows: Orders, emitted: bool, in_order: bool
) -> Orders:
    """Groups come as they are completed, by their rowtime (S-305, S-503).

    Where rows come in the order of every monotonic key, and of the time (``in_order``), so do the
    groups.  Else, as they are ``emitted``, only by the key that is the rowtime: of two groups the
    one may be complete by its one key, the other by another.  Bounds of keys that are made of one
    column move as that does.  ``bounds`` say how those of the input's columns move, ``rows`` how
    its rows go.
    """
    ranges = column_ranges(plan.input)
    keys = [monotonicity(each, bounds, ranges) for each in plan.keys]
    everywhere = [i for i in range(len(keys)) if all(i in each for each in plan.sets)]
    told = [i for i in everywhere if keys[i].progresses]
    if emitted:
        if not (in_order and _rows_agree(plan, keys, rows, ranges)):
            told = _rowtime(plan, keys, told)
    elif not (_rows_agree(plan, keys, rows, ranges) or _one_origin(plan, keys)):
        told = sorted(told, key=lambda i: _precedence(plan, i))[:1]
    sole = len(plan.sets) == 1 and _sole_key(plan, keys)

    def order(i: int) -> Monotonicity:
        if i in told:
            return _strict(keys[i]) if sole else keys[i].unstrict()
        return _C if keys[i] is _C and i in everywhere else _N

    return (*(order(i) for i in range(len(keys))), *(_N for _ in plan.measures))


def _rows_agree(
    plan: Aggregate, keys: list[Monotonicity], rows: Orders, ranges: tuple[Range, ...]
) -> bool:
    """Whether rows come in the order of each key by which a group can be complete."""
    moving = (each for each, key in zip(plan.keys, keys, strict=True) if key.progresses)
    return all(monotonicity(each, rows, ranges).progresses for each in moving)


def _one_origin(plan: Aggregate, keys: list[Monotonicity]) -> bool:
    """Whether the monotonic keys are made of one column; both ends of a window count as one."""
    windows = _window_columns(plan.input)
    moving = (each for each, key in zip(plan.keys, keys, strict=True) if key.progresses)
    origins = {columns_of(each) for each in moving}
    if all(each and each <= windows for each in origins):
        return True
    return len(origins) == 1 and all(len(each) == 1 for each in origins)


def _rowtime(plan: Aggregate, keys: list[Monotonicity], moving: list[int]) -> list[int]:
    """The key that is the rowtime of the groups (S-311); of a window the other end, too.

    Defines: S-311.e
    """
    times = [i for i in moving if keys[i].ascending and plan.keys[i].type.kind is Kind.TIMESTAMP]
    first = sorted(times, key=lambda i: _precedence(plan, i))[:1]
    windows = _window_columns(plan.input)
    columns = {i: each.index for i, each in enumerate(plan.keys) if isinstance(each, InputRef)}
    ends = [i for i in times if columns.get(i) in windows]
    return ends if first and first[0] in ends else first


def _sole_key(plan: Aggregate, keys: list[Monotonicity]) -> bool:
    """Whether no two groups have one value of the monotonic key: it alone varies.

    Defines: S-402.u
    """
    varying = [plan.keys[i] for i, key in enumerate(keys) if key is not _C]
    windows = _window_columns(plan.input)
    ends = all(isinstance(e, InputRef) and e.index in windows for e in varying)
    return len(varying) == 1 or ends


def _window_columns(plan: Plan) -> frozenset[int]:
    """The columns WINDOW_START and WINDOW_END, if ``plan`` is a Hop: each tells the other."""
    match plan:
        case Hop(input):
            end = len(row_type(input))
            return frozenset({end, end + 1})
        case Filter(input):
            return _window_columns(input)
        case _:
            return frozenset()


def _precedence(plan: Aggregate, i: int) -> tuple[bool, bool, int]:
    """The rowtime among the monotonic keys comes first (S-311)."""
    named = plan.names[i] == "ROWTIME"
    return not named, plan.keys[i].type.kind is not Kind.TIMESTAMP, i


def _strict(order: Monotonicity) -> Monotonicity:
    if order.ascending:
        return Monotonicity.STRICTLY_INCREASING
    return Monotonicity.STRICTLY_DECREASING


# --- windows ----------------------------------------------------------------------------------


def window_orders(
    plan: Window,
    columns: Orders,
    rows: Orders,
    moving: Orders,
    rowtime: int | None,
    in_order: bool,
) -> Orders:
    """The input's columns, where its rows come out as they came in; else its ``rowtime`` alone.

    By that rows leave even where they came astray: as its bound is ``moving`` (S-305, S-505).
    """
    added = (_N,) * len(plan.names)
    if keeps_arrival(plan, rows, rowtime, in_order):
        return columns + added
    kept = [column if column is _C else _N for column in columns]
    if rowtime is not None:
        out_of_order = not columns[rowtime].progresses and moving[rowtime].ascending
        kept[rowtime] = moving[rowtime].unstrict() if out_of_order else columns[rowtime]
    return (*kept, *added)


def keeps_arrival(plan: Window, rows: Orders, rowtime: int | None, in_order: bool) -> bool:
    """Whether the input's rows, which go as ``rows`` says, come out as they came in (S-505).

    They must come by their time (``in_order``), as they leave by it.  A row that waits for more
    rows of its partition can be overtaken by one of its own rowtime; but by none of another, so
    that a strict ``rowtime`` keeps all in order.
    """
    if rowtime is not None and rows[rowtime].strict:
        return True
    ranges = column_ranges(plan.input)
    return in_order and all(_determined_in_order(each, rows, ranges) for each in plan.groups)


def _determined_in_order(group: WindowGroup, rows: Orders, ranges: tuple[Range, ...]) -> bool:
    """Whether no row of ``group`` waits longer than one that comes after it."""
    if any(call.function in LOOKAHEAD_FUNCTIONS for call in group.calls) or not group.order:
        return False
    first = monotonicity(group.order[0].expression, rows, ranges)
    return first.progresses and _ends_with_time(group.frame)


def _ends_with_time(frame: Frame) -> bool:
    match frame.end:
        case Unbounded():
            return False
        case RowOffset(offset) | GroupOffset(offset):
            return offset <= 0
        case RangeOffset():
            return True


# --- joins ------------------------------------------------------------------------------------


def side_orders(kind: JoinKind, left: Orders, right: Orders) -> Orders:
    """The columns of both sides; those of a side that is padded are in no order (S-402).

    Defines: S-402.v
    """
    pad_left = kind in (JoinKind.RIGHT, JoinKind.FULL)
    pad_right = kind in (JoinKind.LEFT, JoinKind.FULL)
    return (*(_N if pad_left else each for each in left), *(_N if pad_right else e for e in right))


def window_join_orders(plan: WindowJoin, left: Orders, right: Orders) -> Orders:
    """ROWTIME ascends; so does the rowtime of a side that joins at CURRENT ROW: it is the same.

    That side's other columns stay in order where its rowtime is strict (S-509).
    """
    sides = (
        _side(left, plan.left_window, plan.left_rowtime),
        _side(right, plan.right_window, plan.right_rowtime),
    )
    return (*side_orders(plan.kind, *sides), Monotonicity.INCREASING)


def _side(columns: Orders, window: SideWindow, rowtime: int) -> Orders:
    if window != TimeWindow(0, 0):
        return constant_only(columns)
    if columns[rowtime].strict:
        return tuple(each.unstrict() for each in columns)
    kept = columns[rowtime].unstrict()
    return tuple(kept if i == rowtime else each for i, each in enumerate(constant_only(columns)))


# --- set operations ---------------------------------------------------------------------------


def set_operation_orders(plan: SetOp, inputs: Sequence[Orders]) -> Orders:
    """One column is in order: that by which rows are merged, or equal ones gathered (S-502).

    UNION ALL is merged by the rowtime; the others are ordered by it, or else by their first
    monotonic column.

    Defines: S-502.e
    """
    fields = row_type(plan)
    orders = [_common(each) for each in zip(*inputs, strict=True)]
    times = [i for i, each in enumerate(fields) if each.type.kind is Kind.TIMESTAMP]
    named = [i for i in times if fields[i].name == "ROWTIME"]
    merged = plan.all and plan.operator is SetOperator.UNION
    candidates = named[:1] or [i for i in times if orders[i].ascending]
    if not candidates and not merged:
        candidates = [i for i, each in enumerate(orders) if each.progresses]
    in_order = (i for i in candidates if orders[i].ascending or not merged)
    return _led(plan, orders, next((i for i in in_order if orders[i].progresses), None))


def gathered_orders(
    plan: SetOp, inputs: Sequence[Orders], rows: Sequence[Orders], rowtime: int | None
) -> Orders:
    """How equal rows come out that the bounds of ``inputs`` have completed: by their rowtime.

    Without one they come by their hidden clock, which no other column need follow.  The first one
    that moves does, if the ``rows`` of all inputs come in its order, and what comes out was in each
    input that has any of its equals: one of UNION was in some, and of EXCEPT ALL an equal may have
    come late.

    Defines: S-502.f
    """
    orders = [_common(each) for each in zip(*inputs, strict=True)]
    if rowtime is not None:
        return _led(plan, orders, rowtime if orders[rowtime].ascending else None)
    first = next((i for i, each in enumerate(orders) if each.progresses), None)
    in_each = plan.operator is SetOperator.INTERSECT or (
        plan.operator is SetOperator.EXCEPT and not plan.all
    )
    if first is None or not in_each or not all(each[first].progresses for each in rows):
        return _led(plan, orders, None)
    return _led(plan, orders, first)


def _led(plan: SetOp, orders: Sequence[Monotonicity], leading: int | None) -> Orders:
    """The one column, strict if it is the only one and no row comes twice."""
    strict = len(orders) == 1 and not plan.all
    return tuple(
        (_strict(each) if strict else each) if i == leading else _N for i, each in enumerate(orders)
    )


def _common(orders: Iterable[Monotonicity]) -> Monotonicity:
    """The direction in which all inputs go, not strict: two inputs may have a value each."""
    directions = {each.unstrict() for each in orders}
    return directions.pop() if len(directions) == 1 else _N


# --- sorting ----------------------------------------------------------------------------------


def sort_orders(plan: Sort, columns: Orders, rows: Orders) -> Orders:
    """The input's columns where rows pass as they come; else the first key's column (S-507).

    Defines: S-507.d
    """
    ranges = column_ranges(plan.input)

    def order(key: Expression) -> Monotonicity:
        return monotonicity(key, rows, ranges)

    if plan.within is None and sorted_already(plan, order):
        return columns
    first = plan.keys[0]
    kept = constant_only(columns)
    if not isinstance(first.expression, InputRef):
        return kept
    i = first.expression.index
    sure = not first.expression.type.nullable or columns[i].progresses or plan.within is not None
    if not sure:
        return kept
    direction = Monotonicity.DECREASING if first.descending else Monotonicity.INCREASING
    unique = rows[i].strict
    sorted_ = _strict(direction) if unique else direction
    return (*kept[:i], sorted_, *kept[i + 1 :])


def sorted_already(plan: Sort, order: Callable[[Expression], Monotonicity]) -> bool:
    """Whether rows come in the order of the keys already, so that nothing is to be done.

    Defines: S-507.c
    """
    for key in plan.keys:
        known = order(key.expression)
        if known is _C:
            continue
        if not known.progresses or known.descending != key.descending:
            return False
        if known.strict:
            return True
    return True
