"""The monotonicity of each column of a plan, and its rowtime column (S-311, S-401 to S-408).

`column_monotonicity` walks over the plan, and finds one of three orders of each column: that of its
rows, its declared order, or that of its bounds (`OrderOf`).  They differ for a quasi-monotonic
column, whose rows are out of order while its bound moves in one direction.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import Enum
from typing import Final

from algebra.build import and_, equal
from algebra.catalog import Ordering, Profile, Stream
from algebra.constraints.column_ranges import column_ranges
from algebra.constraints.distance import Distance, comparable, join_distance
from algebra.expression import Expression, InputRef, Literal, SortKey
from algebra.facts import deduced_once
from algebra.monotonicity.deduction import monotonicity
from algebra.monotonicity.equality import implied
from algebra.monotonicity.operators import (
    aggregate_orders,
    asof_orders,
    constant_only,
    gathered_orders,
    has_groups,
    hop_orders,
    session_orders,
    set_operation_orders,
    side_orders,
    sort_orders,
    values_orders,
    window_join_orders,
    window_orders,
)
from algebra.monotonicity.tables import Monotonicity
from algebra.monotonicity.window_columns import window_columns
from algebra.plan import (
    Aggregate,
    AsofJoin,
    Filter,
    Hop,
    Join,
    Passing,
    Plan,
    Project,
    Reads,
    Scan,
    Session,
    SetOp,
    Side,
    Sort,
    Unary,
    Values,
    Widening,
    Window,
    WindowJoin,
    is_streaming,
    row_type,
)
from algebra.types import Kind
from grammar.tree import JoinKind, SetOperator

_N: Final = Monotonicity.NOT_MONOTONIC

Orders = tuple[Monotonicity, ...]


class OrderOf(Enum):
    """The sequence of values whose order a monotonicity describes."""

    ROWS = "the values in the rows as they are emitted"
    DECLARED = (
        "as ROWS; but for a column whose rows are out of order, the order of the declared "
        "direction, not strict"
    )
    BOUNDS = "the bounds of the column; those of HOP windows advance, although the rows go back"


# --- orders of columns ------------------------------------------------------------------------


@deduced_once
def column_monotonicity(plan: Plan, of: OrderOf = OrderOf.DECLARED) -> Orders:
    """The monotonicity of each column of ``plan`` if it is emitted as a streaming query.

    ``of`` selects one of the three orders.  It follows from the rules of the nodes, or because the
    column equals an expression over other columns.  Equality does not apply to bounds, because no
    operator derives a column's bound from that of another column.  A relational plan over histories
    has the orders that it would have if it streamed, so that OVER has the same default order
    (S-505).
    """
    found = _own_orders(plan, of)
    match plan:
        case Filter() | Join() | Sort() if of is not OrderOf.BOUNDS:
            return implied(plan, found, constants=frozenset())
        case SetOp() if of is not OrderOf.BOUNDS:
            return implied(plan, found, constants=_constant_columns(plan, of))
        case _:  # equality adds nothing: computed columns have deduced orders, others keep theirs
            return found


def key_progresses(input: Plan, key: Expression, profile: Profile) -> bool:
    """Whether bounds complete the groups of ``input`` by ``key`` (S-405).

    The bound of a constant completes no group (S-404).  The bounds of quasi-monotonic columns and
    of HOP windows complete groups, although the rows are out of order.  In profile sqlstream only
    the bound of an ascending key completes groups (S-701).

    Defines: S-701.c
    """
    return _completes_groups(_key_order(input, key), profile)


def order_progresses(input: Plan, key: SortKey, profile: Profile) -> bool:
    """Whether ORDER BY may start with ``key`` over the stream ``input`` (S-507).

    The key must progress, as in `key_progresses`, in the direction of the sort.
    """
    order = _key_order(input, key.expression)
    return _completes_groups(order, profile) and order.descending == key.descending


def _key_order(input: Plan, key: Expression) -> Monotonicity:
    """The order of the bounds of ``key`` over the rows of ``input``."""
    columns = column_monotonicity(input, OrderOf.BOUNDS)
    return monotonicity(key, columns, column_ranges(input))


def _completes_groups(order: Monotonicity, profile: Profile) -> bool:
    """Whether bounds of this order complete groups in ``profile``."""
    return order.ascending if profile is Profile.SQLSTREAM else order.progresses


# --- the rowtime ------------------------------------------------------------------------------


@deduced_once
def rowtime_column(plan: Plan) -> int | None:
    """The place of the column that is the rowtime of ``plan`` (S-311); None: it is implicit.

    It is the TIMESTAMP column named ROWTIME, even if it does not ascend: such a streaming query is
    rejected, unless its ORDER BY is the reason that the column goes back (S-507).  Among the keys
    of groups the column named ROWTIME must ascend, because a grouping set may lack it.  If there is
    no such column, it is the first TIMESTAMP that ascends.  In a join it is the rowtime of the
    `base_side`, and in a window join the time of the pair.

    Defines: S-311.a, S-507.m, S-901.l
    """
    match plan:
        case Sort(input, within=Literal()):
            # A sort WITHIN an interval puts a column in order; that column can then be the rowtime.
            found = _rowtime_among(plan, named_only_ascending=False)
            return rowtime_column(input) if found is None else found
        case WindowJoin() | Session():
            return len(row_type(plan)) - 1
        case Passing() | Widening():
            return rowtime_column(plan.input)
        case AsofJoin(left):
            return rowtime_column(left)
        case Scan(Stream(carries=carried)) if carried is not None:
            # The stream carries the rows of a query, whose rowtime it has.
            found = rowtime_column(carried)
            return _rowtime_among(plan, named_only_ascending=False) if found is None else found
        case Join(left, right):
            base = base_side(plan)
            if base is None:
                return None
            column = rowtime_column(left if base is Side.LEFT else right)
            offset = 0 if base is Side.LEFT else len(row_type(left))
            return None if column is None else offset + column
        case Scan() | Values() | Project() | Aggregate() | SetOp():
            return _rowtime_among(plan, named_only_ascending=has_groups(plan))


def side_rowtimes(join: Join) -> tuple[int | None, int | None]:
    """`rowtime_column` of the left and of the right side, each a place in its own side's row."""
    return rowtime_column(join.left), rowtime_column(join.right)


@deduced_once
def is_in_time_order(plan: Plan) -> bool:
    """Whether rows are in the order of their explicit or implicit rowtime (S-311).

    They are not if the stream is quasi-monotonic, or if its rowtime goes back because of an ORDER
    BY.
    """
    place = rowtime_column(plan)
    if place is not None:
        order = column_monotonicity(plan, OrderOf.ROWS)[place]
        return order is Monotonicity.CONSTANT or order.ascending
    match plan:
        case Scan() | Values() | Session() | Aggregate() | WindowJoin():
            return True
        case AsofJoin(left, right):
            return is_streaming(right) or is_in_time_order(left)
        case Unary():
            return is_in_time_order(plan.input)
        case Join(left, right):
            return is_in_time_order(left) and is_in_time_order(right)
        case SetOp(inputs):
            return all(map(is_in_time_order, inputs))


def _rowtime_among(plan: Plan, named_only_ascending: bool) -> int | None:
    """The TIMESTAMP column that is the rowtime by its name or order; None if there is none.

    It is the column named ROWTIME, else the first that ascends.  ``named_only_ascending``: the
    column named ROWTIME counts only if it ascends, too.
    """
    times = [i for i, each in enumerate(row_type(plan)) if each.type.kind is Kind.TIMESTAMP]
    named = [i for i in times if row_type(plan)[i].name == "ROWTIME"]
    if named and not named_only_ascending:
        return named[0]
    orders = column_monotonicity(plan)
    ascending = [i for i in times if orders[i].ascending]
    if isinstance(plan, Aggregate):
        windows = window_columns(plan)
        # Starts of windows are moved after all other columns, because ends are preferred (S-311).
        ascending.sort(key=lambda i: bool(windows.ends) and i in windows.starts)
    return next((i for i in (*named, *ascending) if i in ascending), None)


def base_side(join: Join) -> Side | None:
    """The side from which the rows of a join have their rowtime (S-508, S-510).

    If one side is a stream, it is this side.  If both are streams, it is the preserved side of an
    outer join, and ``join.base`` of an inner join.  None: neither side streams, or both do and the
    join is FULL.

    Defines: S-510.w
    """
    left, right = streaming_sides(join)
    if not (left and right):
        return Side.LEFT if left else Side.RIGHT if right else None
    match join.kind:
        case JoinKind.LEFT:
            return Side.LEFT
        case JoinKind.RIGHT:
            return Side.RIGHT
        case JoinKind.FULL:
            return None
        case JoinKind.INNER | JoinKind.CROSS:
            return join.base


def streaming_sides(join: Join | AsofJoin) -> tuple[bool, bool]:
    """Whether the left and the right side stream.

    In a relational plan: whether they read the histories of streams.
    """
    reads = Reads.STREAM if is_streaming(join) else Reads.HISTORY
    return is_streaming(join.left, reads), is_streaming(join.right, reads)


# --- node by node -----------------------------------------------------------------------------


def _own_orders(plan: Plan, of: OrderOf) -> Orders:
    """The monotonicity of each column by the rule for the top node of ``plan``, without equality.

    Defines: S-501.c
    """

    def below(input: Plan, which: OrderOf = of) -> Orders:
        return column_monotonicity(input, which)

    match plan:
        case Scan(Stream(columns=declared, carries=carried)):
            known = () if carried is None else below(carried)
            return (*known, *(_declared(each.ordering, of) for each in declared[len(known) :]))
        case Scan(source):
            return (_N,) * len(source.columns)
        case Values():
            return values_orders(plan)
        case Sort(input):
            return sort_orders(plan, below(input), below(input, OrderOf.ROWS))
        case Passing():
            return below(plan.input)
        case Project(input, expressions):
            columns, ranges = below(input), column_ranges(input)
            return tuple(monotonicity(each, columns, ranges) for each in expressions)
        case Hop(input):
            return hop_orders(plan, below(input), bounds=of is OrderOf.BOUNDS)
        case Session(input):
            return session_orders(plan, below(input), below(input, OrderOf.BOUNDS))
        case Aggregate(input):
            return aggregate_orders(
                plan,
                bounds=below(input, OrderOf.BOUNDS),
                rows=below(input, OrderOf.ROWS),
                emitted=of is OrderOf.ROWS,
                in_order=is_in_time_order(input),
            )
        case Window(input):
            return window_orders(
                plan,
                below(input),
                rows=below(input, OrderOf.ROWS),
                bounds=below(input, OrderOf.BOUNDS),
                rowtime=rowtime_column(input),
                in_order=is_in_time_order(input),
            )
        case Join(left, right):
            sides = (below(left), below(right))
            return _join_orders(plan, sides, base_side(plan))
        case AsofJoin(left, right):
            if False in streaming_sides(plan):
                return side_orders(plan.kind, below(left), constant_only(below(right)))
            return asof_orders(
                plan,
                below(left),
                below(right),
                rows=below(left, OrderOf.ROWS),
                bounds=below(left, OrderOf.BOUNDS),
                rowtime=rowtime_column(left),
                in_order=is_in_time_order(left),
            )
        case WindowJoin(left, right):
            return window_join_orders(plan, below(left), below(right))
        case SetOp(inputs, operator, all):
            merged = all and operator is SetOperator.UNION
            if of is not OrderOf.ROWS or merged:
                return set_operation_orders(plan, [below(each) for each in inputs])
            # Groups of equal rows are emitted when bounds complete them.
            bounds = [below(each, OrderOf.BOUNDS) for each in inputs]
            unknown = (_N,) * len(row_type(plan))
            # The order of an input's rows counts only if they are also in the order of rowtime.
            rows = [below(e) if is_in_time_order(e) else unknown for e in inputs]
            return gathered_orders(plan, bounds, rows, rowtime_column(plan))


def _constant_columns(plan: SetOp, of: OrderOf) -> frozenset[int]:
    """The columns that a set operation may have as CONSTANT because of an equality (`implied`).

    They are those that are CONSTANT in all inputs of UNION, in any input of INTERSECT, or in the
    first input of EXCEPT, because each row is in one input, in all inputs, or in the first input.
    A predicate of an input alone does not make a column CONSTANT.

    Defines: S-507.l
    """
    of_inputs = [column_monotonicity(each, of) for each in plan.inputs]
    if plan.operator is SetOperator.EXCEPT:
        of_inputs = of_inputs[:1]
    required = any if plan.operator is SetOperator.INTERSECT else all
    columns = enumerate(zip(*of_inputs, strict=True))
    return frozenset(
        i for i, orders in columns if required(each is Monotonicity.CONSTANT for each in orders)
    )


def _declared(ordering: Ordering | None, of: OrderOf) -> Monotonicity:
    """The monotonicity of a stream's column, by its declared ordering (S-301)."""
    if ordering is None:
        return _N
    order = Monotonicity.STRICTLY_INCREASING if ordering.strict else Monotonicity.INCREASING
    order = order.reverse() if ordering.descending else order
    if ordering.slack is None and ordering.rows is None and not ordering.punctuated:
        return order
    return _N if of is OrderOf.ROWS else order.unstrict()


def _join_orders(plan: Join, sides: tuple[Orders, Orders], base: Side | None) -> Orders:
    """The monotonicity of each column of a join; ``sides`` are the orders of both sides.

    Only the columns of the base side can have an order that is not CONSTANT.  A stream is joined
    with a table row by row, so all columns of the stream keep their directions.  Two streams are
    joined in the order of the base side's rowtime, or of its column in lock step (S-510).  If this
    column is strict, the other columns of the base side keep their directions, too.  No column
    stays strict, because a row can occur in several pairs.
    """
    if base is None:
        return side_orders(plan.kind, *map(constant_only, sides))
    own = sides[0 if base is Side.LEFT else 1]
    base_orders = tuple(each.unstrict() for each in own)
    if all(streaming_sides(plan)):
        leading = _leading(plan, base)
        if not any(own[i].strict for i in leading):
            other = constant_only(base_orders)
            base_orders = tuple(
                base_orders[i] if i in leading else other[i] for i in range(len(base_orders))
            )
    if base is Side.LEFT:
        return side_orders(plan.kind, base_orders, constant_only(sides[1]))
    return side_orders(plan.kind, constant_only(sides[0]), base_orders)


def _leading(join: Join, base: Side) -> set[int]:
    """The columns of the base side by which the pairs of two streams are emitted in order."""
    rowtime = side_rowtimes(join)[0 if base is Side.LEFT else 1]
    locked = locked_columns(join)
    columns = {rowtime} if rowtime is not None else set[int]()
    if locked is not None:
        columns.add(locked[0] if base is Side.LEFT else locked[1])
    return columns


# --- lock step ----------------------------------------------------------------------------------


@deduced_once
def locked_columns(join: Join) -> tuple[int, int, Distance] | None:
    """The pair of columns by which a join of two streams is in lock step, and their distance.

    In lock step, the distance of the two columns is bounded at both ends, so that each stream
    limits how long rows of the other stream are needed.  The result is the first of these: (1) a
    pair of window edges that are equal in all joined rows, unless the condition bounds the distance
    of the rowtimes more closely than the windows do; (2) the first of `lock_candidates` whose
    distance is bounded.  Each place is in the row of its own side.  None: the two streams are not
    in lock step.

    Defines: S-510.f, S-901.m
    """
    edges = [e for e in _window_edges(join) if join_distance(join, *e) == Distance(0, 0)]
    if edges and not _is_closer(join, edges):
        return (*edges[0], Distance(0, 0))
    for i, j in lock_candidates(join):
        found = join_distance(join, i, j)
        if found.is_bounded:
            return i, j, found
    return None


def _is_closer(join: Join, edges: Sequence[tuple[int, int]]) -> bool:
    """Whether a join bounds the distance of its rowtimes more closely than equal ``edges`` do.

    The distance is compared with that in a join whose condition is only that the edges are equal.
    """
    left, right = side_rowtimes(join)
    if left is None or right is None:
        return False
    fields, width = row_type(join), len(row_type(join.left))
    columns = [InputRef(i, each.type) for i, each in enumerate(fields)]
    equal_edges = and_(*(equal(columns[i], columns[width + j]) for i, j in edges))
    by_edges = replace(join, condition=equal_edges)
    return join_distance(join, left, right) != join_distance(by_edges, left, right)


def _window_edges(join: Join) -> Iterator[tuple[int, int]]:
    """The pairs of edges of windows whose bounds move in one direction: ends, and then starts.

    A pair is a left and a right column, each a place in its own side's row.
    """
    orders = [column_monotonicity(side, OrderOf.BOUNDS) for side in (join.left, join.right)]
    left, right = window_columns(join.left), window_columns(join.right)
    for of_left, of_right in ((left.ends, right.ends), (left.starts, right.starts)):
        for i, a in enumerate(orders[0]):
            for j, b in enumerate(orders[1]):
                if i in of_left and j in of_right and _have_one_direction(a, b):
                    yield i, j


def _have_one_direction(a: Monotonicity, b: Monotonicity) -> bool:
    """Whether both orders ascend, or both descend."""
    return (a.ascending and b.ascending) or (a.descending and b.descending)


def lock_candidates(join: Join) -> Iterator[tuple[int, int]]:
    """The pairs of a left and a right column that are monotonic in one direction and comparable.

    The pair of rowtimes comes first, the others in the order of their places.
    """
    types = [[each.type for each in row_type(side)] for side in (join.left, join.right)]
    pairs = [
        (i, j)
        for i, a in enumerate(column_monotonicity(join.left))
        for j, b in enumerate(column_monotonicity(join.right))
        if _have_one_direction(a, b)
        if comparable(types[0][i], types[1][j])
    ]
    rowtimes = side_rowtimes(join)
    yield from sorted(pairs, key=lambda pair: pair != rowtimes)
