"""How each operator preserves, creates and destroys the order of columns.

A rule here sees one node and the orders of its inputs; `algebra.monotonicity.columns` walks the
plan.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from algebra.constraints.column_ranges import column_ranges
from algebra.constraints.number_range import Range
from algebra.expression import Expression, InputRef
from algebra.monotonicity.deduction import monotonicity
from algebra.monotonicity.tables import Monotonicity
from algebra.monotonicity.window_columns import column_place, window_columns
from algebra.parts.asof import asof_of
from algebra.parts.grouping_sets import common_keys
from algebra.plan import (
    Aggregate,
    AsofJoin,
    Frame,
    GroupOffset,
    Hop,
    Plan,
    RangeOffset,
    RowOffset,
    Session,
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


def constant_only(orders: Iterable[Monotonicity]) -> Orders:
    """The orders of the columns that remain if rows are reordered: only the constant ones."""
    return tuple(each if each is _C else _N for each in orders)


def values_orders(plan: Values) -> Orders:
    """A column of VALUES is CONSTANT if all rows have the same constant in it."""
    return tuple(
        _C if len(set(each)) == 1 and monotonicity(each[0], ()) is _C else _N
        for each in zip(*plan.rows, strict=True)
    )


def hop_orders(plan: Hop, columns: Orders, bounds: bool) -> Orders:
    """HOP: each row occurs once in each of its windows, so its columns repeat (S-504).

    Windows that do not overlap, those of TUMBLE or with gaps, follow one another.  The ends of
    windows that overlap go back with each row, but their bounds (``bounds``) do not.
    """
    time = monotonicity(plan.time, columns, column_ranges(plan.input)).unstrict()
    if not overlapping(plan):
        return (*columns, time, time)
    window = time if bounds else _N
    return (*(each.unstrict() for each in columns), window, window)


def session_orders(plan: Session, columns: Orders, bounds: Orders) -> Orders:
    """Sessions are emitted by their ends, which ascend if the bound of the time does (S-902).

    ``bounds`` are the orders of the input's bounds.
    """
    time = monotonicity(plan.time, bounds, column_ranges(plan.input))
    end = Monotonicity.INCREASING if time.ascending else _N
    return (*constant_only(columns), _N, end)


def overlapping(plan: Hop) -> bool:
    """Whether windows overlap, because their size exceeds their distance."""
    emit, retain = window_sizes(plan)
    return retain > emit


# --- aggregates -------------------------------------------------------------------------------


def aggregate_orders(
    plan: Aggregate, *, bounds: Orders, rows: Orders, emitted: bool, in_order: bool
) -> Orders:
    """Aggregate: groups are emitted when they are complete, in rowtime order (S-305, S-503).

    The result has the orders of the ``emitted`` groups; else those of their bounds.  ``bounds`` are
    the orders of the input's bounds, ``rows`` those of its rows.

    If rows are in the order of every monotonic key and of time (``in_order``), so are the groups.
    Else groups are only in the order of the key that is their rowtime: one group may be completed
    by one key, the next group by another.  The bounds of all monotonic keys advance if rows are in
    the order of every key, or if all keys are computed from one column.  Else only the bound of one
    key is known to advance, the first by `_precedence`.
    """
    ranges = column_ranges(plan.input)
    keys = [monotonicity(each, bounds, ranges) for each in plan.keys]
    common = common_keys(plan)
    ordered = [i for i in common if keys[i].progresses]
    if emitted:
        if not (in_order and _rows_agree(plan, keys, rows, ranges)):
            ordered = _rowtime_keys(plan, keys, ordered)
    elif not (_rows_agree(plan, keys, rows, ranges) or _one_origin(plan, keys)):
        ordered = sorted(ordered, key=lambda i: _precedence(plan, keys, i))[:1]

    def order(i: int) -> Monotonicity:
        if i in ordered:
            return _strict(keys[i]) if _is_sole_key(plan, keys, i) else keys[i].unstrict()
        return _C if keys[i] is _C and i in common else _N

    return (*(order(i) for i in range(len(keys))), *(_N for _ in plan.measures))


def has_groups(plan: Plan) -> bool:
    """Whether the columns are the keys and measures of a GROUP BY.

    Its grouping sets may be in several Aggregates, under a UNION ALL (S-504.l).
    """
    if isinstance(plan, SetOp):
        return all(isinstance(each, Aggregate) for each in plan.inputs)
    return isinstance(plan, Aggregate)


def _rows_agree(
    plan: Aggregate, keys: list[Monotonicity], rows: Orders, ranges: tuple[Range, ...]
) -> bool:
    """Whether rows are in the order of each key that can complete a group."""
    moving = (each for each, key in zip(plan.keys, keys, strict=True) if key.progresses)
    return all(monotonicity(each, rows, ranges).progresses for each in moving)


def _one_origin(plan: Aggregate, keys: list[Monotonicity]) -> bool:
    """Whether the monotonic keys are computed from one column; a window's ends count as one."""
    windows = window_columns(plan.input).both
    moving = (each for each, key in zip(plan.keys, keys, strict=True) if key.progresses)
    origins = {columns_of(each) for each in moving}
    if all(each and each <= windows for each in origins):
        return True
    match list(origins):
        case [only]:
            return len(only) == 1
        case _:
            return False


def _rowtime_keys(plan: Aggregate, keys: list[Monotonicity], ordered: list[int]) -> list[int]:
    """The key among ``ordered`` that is the rowtime of the groups (S-311).

    If it is an edge that determines its window, the other edge of the window follows it.

    Defines: S-311.e
    """
    times = [i for i in ordered if _is_ascending_time(plan, keys, i)]
    first = sorted(times, key=lambda i: _precedence(plan, keys, i))[:1]
    windows = window_columns(plan.input)
    identified = first and column_place(plan.keys[first[0]]) in windows.identifying
    return [i for i in times if column_place(plan.keys[i]) in windows.both] if identified else first


def _is_sole_key(plan: Aggregate, keys: list[Monotonicity], place: int) -> bool:
    """Whether no two groups agree in a monotonic key, because it determines all other keys.

    Defines: S-402.u
    """
    if len(plan.sets) != 1:
        return False
    windows = window_columns(plan.input)
    identifies = column_place(plan.keys[place]) in windows.identifying
    others = [plan.keys[i] for i, key in enumerate(keys) if key is not _C and i != place]
    return all(identifies and column_place(each) in windows.both for each in others)


def _precedence(plan: Aggregate, keys: list[Monotonicity], i: int) -> tuple[bool, bool, bool, int]:
    """A sort key by which the rowtime comes first among the monotonic keys (S-311).

    The end of a window comes before its start.
    """
    time = _is_ascending_time(plan, keys, i)
    named = time and plan.names[i] == "ROWTIME"
    windows = window_columns(plan)
    start_beside_end = bool(windows.ends) and i in windows.starts
    return not named, not time, start_beside_end, i


def _is_ascending_time(plan: Aggregate, keys: list[Monotonicity], i: int) -> bool:
    """Whether the key can be the rowtime of the groups."""
    return keys[i].ascending and plan.keys[i].type.kind is Kind.TIMESTAMP


def _strict(order: Monotonicity) -> Monotonicity:
    if order.ascending:
        return Monotonicity.STRICTLY_INCREASING
    return Monotonicity.STRICTLY_DECREASING


# --- windows ----------------------------------------------------------------------------------


def window_orders(
    plan: Window,
    columns: Orders,
    *,
    rows: Orders,
    bounds: Orders,
    rowtime: int | None,
    in_order: bool,
) -> Orders:
    """OVER: the input's columns if rows are emitted in arrival order, else only its ``rowtime``.

    Rows are emitted in rowtime order even if they arrived out of order, when the bound advances
    (S-305, S-505).  ``columns``, ``rows`` and ``bounds`` are three orders of the input's columns:
    the order that is asked for, that of its rows, and that of its bounds.
    """
    added = (_N,) * len(plan.names)
    if keeps_arrival(plan, rows, rowtime, in_order):
        return columns + added
    return _by_bound_alone(columns, bounds, rowtime) + added


def _by_bound_alone(columns: Orders, bounds: Orders, rowtime: int | None) -> Orders:
    """The orders of the columns if rows are emitted in rowtime order, however they arrived.

    Constant columns stay constant.  The rowtime has the order of its bound, but is not strict.  The
    other columns have no order.
    """
    orders = list(constant_only(columns))
    if rowtime is not None:
        orders[rowtime] = bounds[rowtime].unstrict()
    return tuple(orders)


def keeps_arrival(plan: Window, rows: Orders, rowtime: int | None, in_order: bool) -> bool:
    """Whether rows, of orders ``rows``, are emitted in the order of their arrival (S-505).

    They must arrive in the order of time (``in_order``), in which they are emitted. While a row
    waits for later rows of its partition, only rows of its own rowtime can be emitted before it; so
    a strict ``rowtime`` preserves the order in any case.
    """
    if rowtime is not None and rows[rowtime].strict:
        return True
    ranges = column_ranges(plan.input)
    return in_order and all(_determined_in_order(each, rows, ranges) for each in plan.groups)


def _determined_in_order(group: WindowGroup, rows: Orders, ranges: tuple[Range, ...]) -> bool:
    """Whether no row of ``group`` waits longer than a row after it."""
    if not group.order:
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
    """The columns of both sides of a join; those of a padded side have no order (S-402).

    Defines: S-402.v
    """
    pad_left = kind.preserves_right
    pad_right = kind.preserves_left
    return (*(_N if pad_left else each for each in left), *(_N if pad_right else e for e in right))


def window_join_orders(plan: WindowJoin, left: Orders, right: Orders) -> Orders:
    """Window join: ROWTIME ascends, and equals the rowtime of a side that joins at CURRENT ROW.

    The other columns of such a side keep their order where its rowtime is strict (S-509).
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
    order = columns[rowtime].unstrict()
    return tuple(order if i == rowtime else each for i, each in enumerate(constant_only(columns)))


def asof_orders(
    plan: AsofJoin,
    left: Orders,
    right: Orders,
    *,
    rows: Orders,
    bounds: Orders,
    rowtime: int | None,
    in_order: bool,
) -> Orders:
    """ASOF join of two streams: left rows are emitted in the order of their ``rowtime`` (S-904).

    ``rows`` are the orders of the left rows, ``bounds`` those of the left bounds.  Each left row is
    emitted once at most, so a strict order stays strict.
    """
    if not asof_keeps_arrival(plan, rows, in_order):
        left = _by_bound_alone(left, bounds, rowtime)
    return side_orders(plan.kind, left, constant_only(right))


def asof_keeps_arrival(plan: AsofJoin, rows: Orders, in_order: bool) -> bool:
    """Whether left rows, of orders ``rows``, are emitted in the order of their arrival.

    They must arrive in the order of their rowtime (``in_order``) and of the time that is matched.
    """
    time = monotonicity(asof_of(plan).left_time, rows, column_ranges(plan.left))
    return in_order and time.ascending


# --- set operations ---------------------------------------------------------------------------


def set_operation_orders(plan: SetOp, inputs: Sequence[Orders]) -> Orders:
    """A set operation is ordered by the column by which it merges or groups equal rows (S-502).

    UNION ALL merges by the rowtime.  The other operations group by the rowtime, too; without a
    rowtime they group by their first monotonic column.

    Defines: S-502.e
    """
    fields = row_type(plan)
    orders = [_common(each) for each in zip(*inputs, strict=True)]
    times = [i for i, each in enumerate(fields) if each.type.kind is Kind.TIMESTAMP]
    named = [
        i
        for i in times
        if fields[i].name == "ROWTIME" and (orders[i].ascending or not has_groups(plan))
    ]
    merged = plan.all and plan.operator is SetOperator.UNION
    candidates = named[:1] or [i for i in times if orders[i].ascending]
    if not candidates and not merged:
        candidates = list(range(len(orders)))
    in_order = (i for i in candidates if orders[i].ascending or not merged)
    return _led(plan, orders, next((i for i in in_order if orders[i].progresses), None))


def gathered_orders(
    plan: SetOp, inputs: Sequence[Orders], rows: Sequence[Orders], rowtime: int | None
) -> Orders:
    """The order of emission of groups of equal rows, which the bounds of ``inputs`` complete.

    It is the order of the rowtime, or of an implicit rowtime, which other columns need not follow.
    The first monotonic column follows it if the ``rows`` of all inputs are in its order, and each
    emitted row was in every input that has an equal row.  A row of UNION may be in one input only,
    and for EXCEPT ALL an equal row may arrive late.

    Defines: S-502.f
    """
    orders = [_common(each) for each in zip(*inputs, strict=True)]
    if rowtime is not None:
        return _led(plan, orders, rowtime)
    first = next((i for i, each in enumerate(orders) if each.progresses), None)
    in_each = plan.operator is SetOperator.INTERSECT or (
        plan.operator is SetOperator.EXCEPT and not plan.all
    )
    if first is None or not in_each or not all(each[first].progresses for each in rows):
        return _led(plan, orders, None)
    return _led(plan, orders, first)


def _led(plan: SetOp, orders: Sequence[Monotonicity], leading: int | None) -> Orders:
    """Only ``leading`` has an order, a strict one if it is the only column of distinct rows."""
    strict = len(orders) == 1 and not plan.all
    return tuple(
        (_strict(each) if strict else each) if i == leading else _N for i, each in enumerate(orders)
    )


def _common(orders: Iterable[Monotonicity]) -> Monotonicity:
    """The direction that all inputs have; not strict, because two inputs may share a value."""
    directions = {each.unstrict() for each in orders}
    return directions.pop() if len(directions) == 1 else _N


# --- sorting ----------------------------------------------------------------------------------


def sort_orders(plan: Sort, columns: Orders, rows: Orders) -> Orders:
    """A sort: the input's columns if it is sorted already, else the first key's column (S-507).

    Defines: S-507.d, S-507.p
    """
    ranges = column_ranges(plan.input)

    def order(key: Expression) -> Monotonicity:
        return monotonicity(key, rows, ranges)

    if plan.within is None and sorted_already(plan, order):
        return columns
    first = plan.keys[0]
    others = constant_only(columns)
    if not isinstance(first.expression, InputRef):
        return others
    i = first.expression.index
    # NULLs are sorted before or after all values, so a column with NULLs has no order.  A column
    # that progresses has none, and WITHIN drops them.
    sure = not first.expression.type.nullable or columns[i].progresses or plan.within is not None
    if not sure:
        return others
    direction = Monotonicity.DECREASING if first.descending else Monotonicity.INCREASING
    unique = rows[i].strict
    sorted_ = _strict(direction) if unique else direction
    return (*others[:i], sorted_, *others[i + 1 :])


def sorted_already(plan: Sort, order: Callable[[Expression], Monotonicity]) -> bool:
    """Whether rows are in the order of the keys already, so that they need not be sorted.

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
