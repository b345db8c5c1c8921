"""The orders of an operator's columns, computed from the orders of its inputs' columns.

Each rule looks at one node of a plan.  `algebra.monotonicity.columns` walks the plan and calls the
rules.  Three orders of a column are distinguished (`algebra.monotonicity.columns.OrderOf`): that of
its values in the *rows* as they are emitted, that of its *bounds*, and the declared one.
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
    """The orders that remain if rows are reordered: that of constant columns.

    The other columns are NOT_MONOTONIC.
    """
    return tuple(each if each is _C else _N for each in orders)


def values_orders(plan: Values) -> Orders:
    """The orders of the columns of VALUES: CONSTANT if all rows have the same constant."""
    return tuple(
        _C if len(set(each)) == 1 and monotonicity(each[0], ()) is _C else _N
        for each in zip(*plan.rows, strict=True)
    )


def hop_orders(plan: Hop, columns: Orders, bounds: bool) -> Orders:
    """The orders of the columns of HOP, which repeats each row for each of its windows (S-504).

    ``columns`` are the orders of the input.  ``bounds``: they, and the result, are orders of
    bounds.  If windows do not overlap (TUMBLE, or windows with gaps), each row is in at most one
    window, and the windows ascend with the rows.  If they overlap, the windows of the next row
    start again with an earlier one; only the bounds of their edges ascend.
    """
    time = monotonicity(plan.time, columns, column_ranges(plan.input)).unstrict()
    if not overlapping(plan):
        return (*columns, time, time)
    window = time if bounds else _N
    return (*(each.unstrict() for each in columns), window, window)


def session_orders(plan: Session, columns: Orders, bounds: Orders) -> Orders:
    """The orders of the columns of sessions, which are emitted in the order of their ends (S-902).

    ``columns`` are the orders of the input that are asked for, ``bounds`` those of its bounds.  The
    last two columns are the start and the end of a session.  The ends ascend if the bound of the
    time ascends.
    """
    time = monotonicity(plan.time, bounds, column_ranges(plan.input))
    end = Monotonicity.INCREASING if time.ascending else _N
    return (*constant_only(columns), _N, end)


def overlapping(plan: Hop) -> bool:
    """Whether windows overlap: their size exceeds the distance from one window to the next."""
    emit, retain = window_sizes(plan)
    return retain > emit


# --- aggregates -------------------------------------------------------------------------------


def aggregate_orders(
    plan: Aggregate, *, bounds: Orders, rows: Orders, emitted: bool, in_order: bool
) -> Orders:
    """The orders of the columns of groups, which are emitted in rowtime order (S-305, S-503).

    If ``emitted``, the result has the orders of the groups as they are emitted, else those of their
    bounds.  ``bounds`` are the orders of the input's bounds, ``rows`` those of its rows.
    ``in_order``: the input's rows are in the order of their rowtime.

    Emitted groups are in the order of every monotonic key if the rows are, and are ``in_order``.
    Else groups are only in the order of the key that is their rowtime, because one group may be
    completed by one key, and the next group by another.

    The bounds of all monotonic keys advance if rows are in the order of every key, or if all keys
    are computed from one column.  Else only the bound of one key is known to advance: the first key
    by `_precedence`.
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
    """Whether the rows of ``plan`` are groups of a GROUP BY.

    The grouping sets of one GROUP BY can be in several Aggregates below a UNION ALL (S-504.l).
    """
    if isinstance(plan, SetOp):
        return all(isinstance(each, Aggregate) for each in plan.inputs)
    return isinstance(plan, Aggregate)


def _rows_agree(
    plan: Aggregate, keys: list[Monotonicity], rows: Orders, ranges: tuple[Range, ...]
) -> bool:
    """Whether rows are in the order of each key that can complete a group."""
    progressing = (each for each, key in zip(plan.keys, keys, strict=True) if key.progresses)
    return all(monotonicity(each, rows, ranges).progresses for each in progressing)


def _one_origin(plan: Aggregate, keys: list[Monotonicity]) -> bool:
    """Whether all monotonic keys are computed from one column.

    The start and the end of one window count as one column.
    """
    windows = window_columns(plan.input).both
    progressing = (each for each, key in zip(plan.keys, keys, strict=True) if key.progresses)
    origins = {columns_of(each) for each in progressing}
    if all(each and each <= windows for each in origins):
        return True
    match list(origins):
        case [only]:
            return len(only) == 1
        case _:
            return False


def _rowtime_keys(plan: Aggregate, keys: list[Monotonicity], ordered: list[int]) -> list[int]:
    """The keys in whose order groups are emitted: the rowtime of the groups (S-311), if any.

    ``ordered`` are the places of the keys that can be the rowtime.  If the rowtime is an edge that
    determines its window, the other edge of the window has the same order, and is in the result.

    Defines: S-311.e
    """
    times = [i for i in ordered if _is_ascending_time(plan, keys, i)]
    first = sorted(times, key=lambda i: _precedence(plan, keys, i))[:1]
    windows = window_columns(plan.input)
    if first and column_place(plan.keys[first[0]]) in windows.identifying:
        return [i for i in times if column_place(plan.keys[i]) in windows.both]
    return first


def _is_sole_key(plan: Aggregate, keys: list[Monotonicity], place: int) -> bool:
    """Whether no two groups agree in the key at ``place``, because it determines all other keys.

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
    start_with_end = bool(windows.ends) and i in windows.starts
    return not named, not time, start_with_end, i


def _is_ascending_time(plan: Aggregate, keys: list[Monotonicity], i: int) -> bool:
    """Whether the key at place ``i`` can be the rowtime of the groups."""
    return keys[i].ascending and plan.keys[i].type.kind is Kind.TIMESTAMP


def _strict(order: Monotonicity) -> Monotonicity:
    """The strict monotonicity with the direction of ``order``."""
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
    """The orders of the columns of OVER: those of the input, and NOT_MONOTONIC for its results.

    The columns of the input keep their orders if rows are emitted in the order of their arrival.
    Else rows are emitted in rowtime order, and only the column ``rowtime`` has an order (S-305,
    S-505).  ``columns``, ``rows`` and ``bounds`` are three orders of the input's columns: the order
    that is asked for, that of its rows, and that of its bounds.
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
    """Whether the input's rows, with the orders ``rows``, are emitted in the order of arrival.

    Rows are emitted in the order of their rowtime.  So they must arrive in it (``in_order``), and
    no row may wait longer than a row after it.  While a row waits for later rows of its partition,
    only rows of its own rowtime can be emitted before it.  So a strict ``rowtime`` preserves the
    order in any case (S-505).
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
    """Whether the end of ``frame`` is at a fixed distance in time, or not after its row."""
    match frame.end:
        case Unbounded():
            return False
        case RowOffset(offset) | GroupOffset(offset):
            return offset <= 0
        case RangeOffset():
            return True


# --- joins ------------------------------------------------------------------------------------


def side_orders(kind: JoinKind, left: Orders, right: Orders) -> Orders:
    """The orders of the columns of both sides of a join, ``left`` and then ``right``.

    All columns of a side that may be padded are NOT_MONOTONIC.

    Defines: S-402.v
    """
    pad_left = kind.preserves_right
    pad_right = kind.preserves_left
    return (*(_N if pad_left else each for each in left), *(_N if pad_right else e for e in right))


def window_join_orders(plan: WindowJoin, left: Orders, right: Orders) -> Orders:
    """The orders of the columns of a window join: both sides, and the rowtime, which ascends.

    A side has orders only if its window is CURRENT ROW, because the rowtime of a pair is then the
    rowtime of this side (S-509).
    """
    sides = (
        _window_side_orders(left, plan.left_window, plan.left_rowtime),
        _window_side_orders(right, plan.right_window, plan.right_rowtime),
    )
    return (*side_orders(plan.kind, *sides), Monotonicity.INCREASING)


def _window_side_orders(columns: Orders, window: SideWindow, rowtime: int) -> Orders:
    """The orders of one side of a window join, whose rowtime is at the place ``rowtime``.

    If the window is CURRENT ROW, the rowtime keeps its order.  The other columns keep theirs only
    if the rowtime is strict: else rows with one rowtime can be reordered.
    """
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
    """The orders of the columns of an ASOF join of two streams (S-904).

    Left rows are emitted in the order of their ``rowtime``.  ``left`` and ``right`` are the orders
    that are asked for, ``rows`` those of the left rows, and ``bounds`` those of the left bounds.
    Each left row is emitted at most once, so a strict order stays strict.
    """
    if not asof_keeps_arrival(plan, rows, in_order):
        left = _by_bound_alone(left, bounds, rowtime)
    return side_orders(plan.kind, left, constant_only(right))


def asof_keeps_arrival(plan: AsofJoin, rows: Orders, in_order: bool) -> bool:
    """Whether left rows, with the orders ``rows``, are emitted in the order of their arrival.

    They must arrive in the order of their rowtime (``in_order``), and in the order of the time by
    which the join finds the nearest right row.
    """
    time = monotonicity(asof_of(plan).left_time, rows, column_ranges(plan.left))
    return in_order and time.ascending


# --- set operations ---------------------------------------------------------------------------


def set_operation_orders(plan: SetOp, inputs: Sequence[Orders]) -> Orders:
    """The orders of a set operation: only the column by which it merges or groups rows has one.

    UNION ALL merges its inputs by the rowtime.  The other operations group equal rows, by the
    rowtime or, without a rowtime, by their first monotonic column (S-502).

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
    """The orders of the rows that a set operation other than UNION ALL emits.

    It emits a group of equal rows when the bounds of its inputs, whose orders are ``inputs``,
    complete the group.  ``rows`` are the orders of the rows of the inputs.

    With a ``rowtime`` column, only this column has an order.  Without one, the first monotonic
    column has an order if the rows of all inputs are in its order, and the operation is INTERSECT
    or EXCEPT.  A row of UNION may be in one input only, and for EXCEPT ALL an equal row may arrive
    late, so that groups complete in another order.

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
    """The orders if only the column ``leading`` has one (None: no column has).

    It is strict if the column is the only one, and the rows are distinct.
    """
    strict = len(orders) == 1 and not plan.all
    return tuple(
        (_strict(each) if strict else each) if i == leading else _N for i, each in enumerate(orders)
    )


def _common(orders: Iterable[Monotonicity]) -> Monotonicity:
    """The monotonicity of a column that has ``orders`` in the inputs: their common direction.

    It is not strict, because two inputs may have the same value.
    """
    directions = {each.unstrict() for each in orders}
    return directions.pop() if len(directions) == 1 else _N


# --- sorting ----------------------------------------------------------------------------------


def sort_orders(plan: Sort, columns: Orders, rows: Orders) -> Orders:
    """The orders of the columns of a sort (S-507).

    They are those of the input if its rows are sorted already.  Else only the column that is the
    first key has an order.  ``columns`` are the orders of the input that are asked for, ``rows``
    those of its rows.

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
    # that progresses has no NULLs, and a sort WITHIN drops them.
    never_null = (
        not first.expression.type.nullable or columns[i].progresses or plan.within is not None
    )
    if not never_null:
        return others
    direction = Monotonicity.DECREASING if first.descending else Monotonicity.INCREASING
    first_order = _strict(direction) if rows[i].strict else direction  # strict: no value repeats
    return (*others[:i], first_order, *others[i + 1 :])


def sorted_already(plan: Sort, order: Callable[[Expression], Monotonicity]) -> bool:
    """Whether rows are in the order of the keys already, so that they need not be sorted.

    ``order`` returns the monotonicity of an expression in these rows.

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
