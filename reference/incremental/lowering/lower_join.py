"""Lowering of joins other than ASOF joins: from the plan node to the operator with its inputs.

There are two operators: `TableJoin` joins a stream with a table, and `WindowJoin` joins two
streams.  Two streams that are joined by a condition are in *lock step*: their times stay within a
fixed distance.  Their join is therefore a join over windows, too.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from algebra.monotonicity.join_progress import (
    JoinWindow,
    last_time,
    lock_step_windows,
    time_window,
)
from algebra.monotonicity.lockstep import lock_step_of
from algebra.monotonicity.tables import Monotonicity
from algebra.plan import (
    Join,
    Plan,
    RowsWindow,
    SideWindow,
    WindowJoin,
    is_streaming,
    row_type,
)
from algebra.types import Kind
from grammar.tree import JoinKind
from reference.incremental.join.join_emission import Order
from reference.incremental.join.join_side import SideRows, Window
from reference.incremental.join.table_join import Contents, TableJoin
from reference.incremental.join.window_join import BoundSource, RequestedBounds
from reference.incremental.join.window_join import WindowJoin as WindowJoinOperator
from reference.incremental.network import Leaf, Node
from reference.incremental.node_facts import Input, input_of
from reference.incremental.train import Shape
from reference.relation import Row
from reference.scalar.datetimes import of_instant
from reference.scalar.expression import truth_in_turn
from reference.scalar.join_keys import equalities

if TYPE_CHECKING:
    from reference.incremental.lowering.lower import Lowering, RequestedColumns

#: Two inputs, the left one first.
Inputs: TypeAlias = tuple[Input, Input]


@dataclass(frozen=True, slots=True)
class _Output:
    """The output rows of a join of streams, and their order.

    u is the base time of an output row, the first time at which its rows are both in their windows.
    ``base`` maps the places of the output columns that have u to their scales: u is a column's
    value times its scale. ``added`` returns the values of an output row after its columns, from the
    left row, the right row (one can be None) and u. ``time_sources`` are the sources of an implicit
    rowtime other than u: each is a port (0: left, 1: right), and a place in the rows of that side.
    """

    order: Order
    base: Mapping[int, int]
    added: Callable[[Row | None, Row | None, int], Row]
    time_sources: Sequence[tuple[int, int]] = ()


def join_node(
    plan: Join, shape: Shape, requested: "RequestedColumns", lowering: "Lowering"
) -> Node:
    """Make the node of a join of two streams in lock step, or of a stream and a table."""
    if is_streaming(plan.left) and is_streaming(plan.right):
        return _lock_step_node(plan, shape, requested, lowering)
    return _table_node(plan, shape, requested, lowering)


# --- a stream and a table -----------------------------------------------------------------------


def _table_node(
    plan: Join, shape: Shape, requested: "RequestedColumns", lowering: "Lowering"
) -> Node:
    """Make the node of a join of a stream with a table.

    The stream's columns and an implicit rowtime have the same bounds in the output.
    """
    env, width = lowering.env, len(row_type(plan.left))
    on_left = is_streaming(plan.left)
    input, table = (plan.left, plan.right) if on_left else (plan.right, plan.left)
    stream, nulls = input_of(input), (None,) * len(row_type(table))
    both = equalities(plan.condition, width)
    of_left, of_right = [a for a, _ in both], [b for _, b in both]
    of_stream, of_table = (of_left, of_right) if on_left else (of_right, of_left)
    holds, own = truth_in_turn(plan.condition, env), stream.shape.width

    def side_by_side(row: Row, partner: Row) -> Row:
        """The columns of a stream row and of a table row, those of the left side first."""
        return row[:own] + partner if on_left else partner + row[:own]

    def joined(row: Row, partner: Row | None) -> Row:
        """The output row: both rows' columns, and the stream row's implicit rowtime."""
        return side_by_side(row, nulls if partner is None else partner) + row[own:]

    def values_on(row: Row) -> Row:
        return tuple([row[place] for place in of_stream])

    columns: list[int | None] = [*range(own)]
    unknown: list[int | None] = [None] * len(nulls)
    places = columns + unknown if on_left else unknown + columns
    places += [stream.shape.time] if shape.hidden else []
    needed = frozenset(each for i in requested if (each := places[i]) is not None)
    operator = TableJoin(
        shape,
        Contents(lambda: env.query(table, env.outer), env.version, of_table),
        values_on=values_on,
        matches=lambda row, partner: holds(side_by_side(row, partner)),
        joined=joined,
        preserved=plan.kind.preserves_left if on_left else plan.kind.preserves_right,
        places=places,
    )
    return Node(plan, operator, (lowering.input(stream, needed),))


# --- two streams --------------------------------------------------------------------------------


def window_join_node(
    plan: WindowJoin, shape: Shape, requested: "RequestedColumns", lowering: "Lowering"
) -> Node:
    """Make the node of a join over windows; u is the last output column, which is the rowtime."""
    inputs = input_of(plan.left), input_of(plan.right)
    windows = _window(plan.left_window), _window(plan.right_window)
    sides = _sides(plan, inputs, windows, (plan.left_rowtime, plan.right_rowtime), (1, 1))
    base = {shape.time: 1}
    for place, side, padded in zip(_places(inputs, sides), sides, _padded(plan.kind), strict=True):
        # If a row is in its window at its own time only, this time is u, so the row's time column
        # has u in all output rows; but not if it can be padded with NULL.
        if side.window == JoinWindow(0, 0) and not padded:
            base[place] = 1

    def added(_left: Row | None, _right: Row | None, time: int) -> Row:
        return (of_instant(Kind.TIMESTAMP, time),)

    output = _Output(Order.BASE, base, added)
    return _stream_node(plan, inputs, sides, shape, output, requested, lowering)


def _window(window: SideWindow) -> Window:
    """The window of a side as the operator takes it: ROWS n, or distances in milliseconds."""
    return window if isinstance(window, RowsWindow) else time_window(window)


def _lock_step_node(
    plan: Join, shape: Shape, requested: "RequestedColumns", lowering: "Lowering"
) -> Node:
    """Make the node of a join by condition, as a join over windows (S-510).

    A row of the base side is in its window at its own time only, so this time is u.  A FULL join
    has no base side.  Its implicit rowtime is u if both times are rowtimes; if not, it is the
    rowtime of the left row, or of an unmatched right row.

    Defines: S-510.m, S-510.p, S-510.x, S-510.y
    """
    inputs = input_of(plan.left), input_of(plan.right)
    lock = lock_step_of(plan)
    on_left = not lock.right_is_base
    sides = _sides(
        plan,
        inputs,
        lock_step_windows(lock),
        (lock.left, lock.right),
        lock.scales,
    )
    base_port = 0 if on_left else 1
    # The implicit rowtime of an output row is that of its row of the base side.  A FULL join takes
    # it from the left row, or from the right row if the left row is missing (the second source).
    time_sources = [(base_port, inputs[base_port].shape.time)]
    if lock.base is not None:
        place = _places(inputs, sides)[base_port]
        order = _order(inputs[base_port], sides[base_port], shape.time == place)
        # Rows that are emitted by rowtime alone are in no order of u: its least value is not known.
        base = {} if order is Order.TIME else {place: sides[base_port].scale}
    else:
        order = Order.BASE
        base = {shape.time: 1} if all(side.place == side.shape.time for side in sides) else {}
        time_sources.append((1, inputs[1].shape.time))

    def added(left: Row | None, right: Row | None, time: int) -> Row:
        """The implicit rowtime as a row of one value; an empty row if a column is the rowtime.

        ``left`` or ``right`` is None if the row of the other side is unmatched. ``time`` is u.
        """
        if not shape.hidden:
            return ()
        if shape.time in base:
            return (time,)
        rows = (left, right)
        return next(
            (row[place],) for port, place in time_sources if (row := rows[port]) is not None
        )

    output = _Output(order, base, added, time_sources)
    return _stream_node(plan, inputs, sides, shape, output, requested, lowering)


def _order(base: Input, side: SideRows, same: bool) -> Order:
    """The order of emission, from the orders in which the rows of the input ``base`` are emitted.

    ``side`` has the place of u in these rows. ``same``: u is the rowtime of the output.

    - By u, if u is the rowtime, or if the base side has no column with the rowtime.
    - By rowtime and by u, if the base side's rows are sorted by both.
    - By u, if they are sorted by u alone.
    - By rowtime, if they are not sorted by u.
    """
    if same:
        return Order.BASE
    by_base = base.emitted[side.place].progresses
    by_time = not base.shape.hidden and base.emitted[base.shape.time].progresses
    if by_base:
        return Order.BOTH if by_time else Order.BASE
    return Order.BASE if base.shape.hidden else Order.TIME


def _sides(
    plan: Join | WindowJoin,
    inputs: Inputs,
    windows: tuple[Window, Window],
    places: tuple[int, int],
    scales: tuple[int, int],
) -> tuple[SideRows, SideRows]:
    """The properties of both sides that never change.

    ``windows``, ``places`` and ``scales`` have one entry for each side: its window, the place of
    its time, and the factor that makes the time ascend in the unit of the join.
    """
    width = inputs[0].shape.width
    both = equalities(plan.condition, width)
    equal = ([a for a, _ in both], [b for _, b in both])
    preserved = (plan.kind.preserves_left, plan.kind.preserves_right)

    def side(port: int, input: Plan) -> SideRows:
        place = places[port]
        last = last_time(row_type(input)[place].type, scales[port])
        return SideRows(
            inputs[port].shape,
            place,
            windows[port],
            equal=equal[port],
            preserved=preserved[port],
            scale=scales[port],
            last=last,
        )

    return side(0, plan.left), side(1, plan.right)


def _places(inputs: Inputs, sides: tuple[SideRows, SideRows]) -> tuple[int, int]:
    """The places in the output of the two columns that hold the rows' times.

    Defines: S-510.n
    """
    return sides[0].place, inputs[0].shape.width + sides[1].place


def _padded(kind: JoinKind) -> tuple[bool, bool]:
    """For each side, whether its columns can be NULL because the other side's row is unmatched."""
    return kind.preserves_right, kind.preserves_left


def _stream_node(
    plan: Join | WindowJoin,
    inputs: Inputs,
    sides: tuple[SideRows, SideRows],
    shape: Shape,
    output: _Output,
    requested: "RequestedColumns",
    lowering: "Lowering",
) -> Node:
    """Make the node of a join of streams: the operator, and the network of each input below it."""
    holds = truth_in_turn(plan.condition, lowering.env)
    widths = inputs[0].shape.width, inputs[1].shape.width
    reported = _reported(plan, inputs, shape, output, requested)

    def matches(left: Row, right: Row) -> bool:
        """Whether a pair of rows satisfies the condition."""
        return holds(left[: widths[0]] + right)

    def joined(left: Row | None, right: Row | None, time: int) -> Row:
        """The output row of a pair or of an unmatched row; ``time`` is u."""
        a = (None,) * widths[0] if left is None else left[: widths[0]]
        b = (None,) * widths[1] if right is None else right[: widths[1]]
        return a + b + output.added(left, right, time)

    bounds = RequestedBounds(output.base, reported)
    operator = WindowJoinOperator(shape, sides, matches, joined, output.order, bounds)
    below: list[Node | Leaf] = []
    for port, (each, side) in enumerate(zip(inputs, sides, strict=True)):
        sources = [place for one in reported for at, place in one.sources if at == port]
        needed = frozenset({side.place, *sources})
        below.append(lowering.input(each, needed))
    return Node(plan, operator, tuple(below))


def _reported(
    plan: Join | WindowJoin,
    inputs: Inputs,
    shape: Shape,
    output: _Output,
    requested: "RequestedColumns",
) -> list[BoundSource]:
    """The requested columns without u that have a bound, each with the sources of its values.

    Columns that can be padded with NULL, and columns whose bounds never advance, have no bound and
    are left out.  The implicit rowtime, which comes after all columns, always has a bound.
    """
    width, padded = inputs[0].shape.width, _padded(plan.kind)
    found: list[BoundSource] = []
    for place in requested - output.base.keys():
        if place == shape.width:
            found.append(BoundSource(place, descending=False, sources=output.time_sources))
            continue
        port = 0 if place < width else 1
        own = place - port * width
        moving = inputs[port].moving[own]
        if not padded[port] and moving is not Monotonicity.NOT_MONOTONIC:
            found.append(BoundSource(place, moving.descending, [(port, own)]))
    return found
