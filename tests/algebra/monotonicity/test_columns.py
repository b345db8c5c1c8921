"""The orders of columns that each node preserves, creates and destroys."""

from dataclasses import replace

import pytest

from algebra.catalog import Column, Ordering, Profile, Stream, Table
from algebra.expression import (
    AggregateCall,
    AggregateFunction,
    Call,
    Expression,
    InputRef,
    Literal,
    Op,
    Round,
    SortKey,
    WindowCall,
    WindowFunction,
)
from algebra.monotonicity.columns import (
    OrderOf,
    column_monotonicity,
    is_in_time_order,
    key_progresses,
    order_progresses,
    rowtime_column,
)
from algebra.monotonicity.tables import Monotonicity
from algebra.plan import (
    Aggregate,
    Delta,
    Filter,
    Frame,
    FrameBound,
    Hop,
    Join,
    Plan,
    Project,
    RangeOffset,
    Reads,
    RowOffset,
    Scan,
    SetOp,
    Side,
    Sort,
    TimeWindow,
    Unbounded,
    Values,
    Window,
    WindowGroup,
    WindowJoin,
    is_streaming,
)
from algebra.types import BIGINT, BOOLEAN, INTEGER, TIMESTAMP, Field, interval
from grammar.tree import JoinKind, SetOperator, TimeUnit

C = Monotonicity.CONSTANT
S = Monotonicity.STRICTLY_INCREASING
I = Monotonicity.INCREASING  # noqa: E741  the lattice's own letter
D = Monotonicity.DECREASING
N = Monotonicity.NOT_MONOTONIC

UNION = SetOperator.UNION

T = TIMESTAMP.as_nullable(False)
HOURS = interval(TimeUnit.HOUR)
HOUR, THREE = Literal(3_600_000, HOURS), Literal(10_800_000, HOURS)
CALCITE, SQLSTREAM = Profile.CALCITE, Profile.SQLSTREAM
RT, ID, PRODUCT, DOWN = (
    InputRef(0, T),
    InputRef(1, INTEGER),
    InputRef(2, INTEGER),
    InputRef(3, INTEGER),
)


def stream(rowtime: Ordering, reads: Reads = Reads.STREAM) -> Scan:
    """ROWTIME as declared, ORDERID strictly ascending, PRODUCTID, REST descending."""
    columns = (
        Column("ROWTIME", T, rowtime),
        Column("ORDERID", INTEGER, Ordering(strict=True)),
        Column("PRODUCTID", INTEGER),
        Column("REST", INTEGER, Ordering(descending=True)),
    )
    return Scan(Stream(("ORDERS",), columns), reads)


ORDERS = stream(Ordering())
STRICT = stream(Ordering(strict=True))
LATE = stream(Ordering(slack=10_000))
TABLE = Scan(Table(("T",), (Column("ROWTIME", T, Ordering()), Column("A", INTEGER))), Reads.TABLE)
TRUE = Literal(True, BOOLEAN)
COUNT = AggregateCall(AggregateFunction.COUNT, (), BIGINT)
FLOOR = Round(False, RT, TimeUnit.HOUR, T)


def call(op: Op, *operands: Expression) -> Call:
    return Call(op, operands, BOOLEAN)


def ascending(expression: Expression) -> SortKey:
    return SortKey(expression, False, False)


def group(input: Plan, *keys: Expression, sets: tuple[tuple[int, ...], ...] = ()) -> Aggregate:
    all_ = (tuple(range(len(keys))),)
    names = (*(f"K{i}" for i in range(len(keys))), "C")
    return Aggregate(input, keys, sets or all_, (COUNT,), names)


def hop(emit: Literal, retain: Literal, input: Plan = ORDERS) -> Hop:
    return Hop(input, RT, emit, retain, 0)


START, END = InputRef(4, T), InputRef(5, T)


def window(input: Plan, end: FrameBound, function: WindowFunction | None = None) -> Window:
    kind = AggregateFunction.SUM if function is None else function
    sum_ = WindowCall(kind, (PRODUCT,), BIGINT)
    frame = Frame(Unbounded(), end)
    return Window(input, (WindowGroup((PRODUCT,), (ascending(RT),), frame, (sum_,)),), ("X",))


def join(left: Plan, right: Plan, on: Expression, kind: JoinKind = JoinKind.INNER) -> Join:
    return Join(left, right, kind, on)


S_RT, S_ID = InputRef(4, T), InputRef(5, INTEGER)
SAME_TIME, SAME_ID = call(Op.EQUAL, RT, S_RT), call(Op.EQUAL, ID, S_ID)

PLANS: list[tuple[str, Plan, tuple[Monotonicity, ...]]] = [
    ("a stream as declared", ORDERS, (I, S, N, D)),
    ("a history as its stream", stream(Ordering(), Reads.HISTORY), (I, S, N, D)),
    ("a table has no order", TABLE, (N, N)),
    ("k-sorted as declared", stream(Ordering(rows=5)), (I, S, N, D)),
    ("punctuated, not strict", stream(Ordering(strict=True, punctuated=True)), (I, S, N, D)),
    ("a filter keeps", Filter(ORDERS, call(Op.GREATER, PRODUCT, ID)), (I, S, N, D)),
    ("delta keeps", Delta(ORDERS), (I, S, N, D)),
    (
        "a projection deduces",
        Project(ORDERS, (FLOOR, Literal(1, INTEGER), PRODUCT), ("ROWTIME", "A", "B")),
        (I, C, N),
    ),
    ("a column equal to one in order", Filter(ORDERS, call(Op.EQUAL, PRODUCT, ID)), (I, S, S, D)),
    ("tumbling windows follow", hop(HOUR, HOUR), (I, S, N, D, I, I)),
    ("windows with gaps between follow", hop(THREE, HOUR), (I, S, N, D, I, I)),
    ("hopping windows go back", hop(HOUR, THREE), (I, I, N, D, N, N)),
    ("groups of an hour", group(ORDERS, FLOOR, PRODUCT), (I, N, N)),
    ("a sole key is strict", group(ORDERS, FLOOR), (S, N)),
    ("beside a constant, too", group(ORDERS, FLOOR, Literal(1, INTEGER)), (S, C, N)),
    ("a sole falling key", group(ORDERS, DOWN), (Monotonicity.STRICTLY_DECREASING, N)),
    ("the two ends of one window", group(hop(HOUR, THREE), START, END), (S, S, N)),
    ("ends and another", group(hop(HOUR, THREE), START, END, PRODUCT), (I, I, N, N)),
    ("two monotonic keys agree", group(ORDERS, RT, ID), (I, I, N)),
    ("keys that stray may not", group(LATE, RT, ID), (I, N, N)),
    ("two functions of one do", group(LATE, RT, FLOOR), (I, I, N)),
    ("several sets repeat", group(ORDERS, FLOOR, PRODUCT, sets=((0, 1), (0,))), (I, N, N)),
    ("a key left out is NULL", group(ORDERS, FLOOR, RT, sets=((0, 1), (0,))), (I, N, N)),
    ("the same set twice", group(ORDERS, FLOOR, sets=((0,), (0,))), (I, N)),
    ("no monotonic key", group(ORDERS, PRODUCT), (N, N)),
    ("a running window", window(ORDERS, RowOffset(0)), (I, S, N, D, N)),
    (
        "a window up to peers",
        window(ORDERS, RangeOffset(Literal(0, HOURS), False)),
        (I, S, N, D, N),
    ),
    ("rows that follow may overtake ties", window(ORDERS, RowOffset(1)), (I, N, N, N, N)),
    ("but not without ties", window(STRICT, RowOffset(1)), (S, S, N, D, N)),
    ("LEAD waits", window(ORDERS, RowOffset(1), WindowFunction.LEAD), (I, N, N, N, N)),
    ("stream and table", join(ORDERS, TABLE, TRUE), (I, I, N, D, N, N)),
    ("table and stream", join(TABLE, ORDERS, TRUE), (N, N, I, I, N, D)),
    ("streams at one time", join(ORDERS, ORDERS, SAME_TIME), (I, N, N, N, I, N, N, N)),
    ("streams at strict times", join(STRICT, ORDERS, SAME_TIME), (I, I, N, D, I, N, N, N)),
    ("streams of one order", join(ORDERS, ORDERS, SAME_ID), (I, I, N, D, N, I, N, N)),
    (
        "the left one is padded",
        join(STRICT, STRICT, SAME_TIME, JoinKind.RIGHT),
        (N, N, N, N, I, I, N, D),
    ),
    ("both are padded", join(ORDERS, ORDERS, SAME_TIME, JoinKind.FULL), (N,) * 8),
    (
        "a window join at the left's time",
        WindowJoin(STRICT, ORDERS, JoinKind.INNER, TRUE, TimeWindow(0, 0), TimeWindow(0, 9), 0, 0),
        (I, I, N, D, N, N, N, N, I),
    ),
    (
        "a window join in full",
        WindowJoin(ORDERS, ORDERS, JoinKind.FULL, TRUE, TimeWindow(0, 0), TimeWindow(0, 9), 0, 0),
        (*(N,) * 8, I),
    ),
    ("a merge by rowtime", SetOp((ORDERS, STRICT), SetOperator.UNION, True), (I, N, N, N)),
    (
        "a merge of what is made of the rowtime",
        SetOp((Project(ORDERS, (RT, FLOOR, ID), ("ROWTIME", "H", "ID")),) * 2, UNION, True),
        (I, I, N),
    ),
    (
        "a merge of what differs",
        SetOp(
            (
                Project(ORDERS, (RT, FLOOR), ("ROWTIME", "H")),
                Project(ORDERS, (RT, RT), ("ROWTIME", "H")),
            ),
            UNION,
            True,
        ),
        (I, N),
    ),
    (
        "a merge of one constant",
        SetOp((Project(ORDERS, (RT, Literal(1, INTEGER)), ("ROWTIME", "A")),) * 2, UNION, True),
        (I, C),
    ),
    (
        "a merge of two constants",
        SetOp(
            tuple(Project(ORDERS, (RT, Literal(i, INTEGER)), ("ROWTIME", "A")) for i in (1, 2)),
            UNION,
            True,
        ),
        (I, N),
    ),
    ("a union by rowtime", SetOp((ORDERS, STRICT), SetOperator.UNION, False), (I, N, N, N)),
    (
        "a union of one column",
        SetOp((Project(ORDERS, (RT,), ("ROWTIME",)),) * 2, SetOperator.UNION, False),
        (S,),
    ),
    (
        "an intersection by orderId",
        SetOp((Project(ORDERS, (PRODUCT, ID), ("P", "ID")),) * 2, SetOperator.INTERSECT, False),
        (N, I),
    ),
    (
        "a merge by a hidden clock",
        SetOp((Project(ORDERS, (PRODUCT, ID), ("P", "ID")),) * 2, SetOperator.UNION, True),
        (N, N),
    ),
    ("a sort that is none", Sort(ORDERS, (ascending(RT), ascending(ID))), (I, S, N, D)),
    ("a sort among ties", Sort(ORDERS, (ascending(RT), ascending(PRODUCT))), (I, N, N, N)),
    ("no ties, no sort", Sort(STRICT, (ascending(RT), ascending(PRODUCT))), (S, S, N, D)),
    ("a sort within the hour", Sort(ORDERS, (ascending(FLOOR), ascending(PRODUCT))), (N, N, N, N)),
    (
        "a sort within the hour that is a column",
        Sort(
            Project(ORDERS, (RT, FLOOR, FLOOR, PRODUCT), ("ROWTIME", "H", "G", "P")),
            (ascending(InputRef(1, T)), ascending(InputRef(3, INTEGER))),
        ),
        (N, I, I, N),
    ),
    ("a falling key", Sort(ORDERS, (SortKey(DOWN, True, True),)), (I, S, N, D)),
    ("a t-sort", Sort(ORDERS, (ascending(PRODUCT),), within=HOUR), (N, N, I, N)),
    (
        "equal rows of VALUES",
        Values(
            (
                (Literal(1, INTEGER), Literal(1, INTEGER)),
                (Literal(1, INTEGER), Literal(2, INTEGER)),
            ),
            (Field("A", INTEGER), Field("B", INTEGER)),
        ),
        (C, N),
    ),
]


@pytest.mark.parametrize(
    ("plan", "expected"), [each[1:] for each in PLANS], ids=[each[0] for each in PLANS]
)
def test_each_node_says_how_its_columns_come(
    plan: Plan, expected: tuple[Monotonicity, ...]
) -> None:
    """S-501.a, S-501.b: a filter and a projection among them."""
    assert column_monotonicity(plan) == expected


def test_a_column_out_of_order_is_distinguished() -> None:
    """CAL-039, CAL-048, S-501.c: its direction is that of its bound; its rows are in no order."""
    assert column_monotonicity(LATE) == (I, S, N, D)
    assert column_monotonicity(LATE, OrderOf.ROWS) == (N, S, N, D)
    in_order = Sort(LATE, (ascending(RT),))
    assert column_monotonicity(in_order) == column_monotonicity(in_order, OrderOf.ROWS)


#: Streams without a rowtime among their columns; that of the second strays.
IDS, STRAYING = (Project(each, (PRODUCT, ID), ("P", "ID")) for each in (ORDERS, LATE))


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        (SetOp((IDS, IDS), SetOperator.INTERSECT, True), (N, I)),
        (SetOp((IDS, IDS), SetOperator.EXCEPT, False), (N, I)),
        # An equal row that the other input emits late has raised the group's clock.
        (SetOp((IDS, IDS), SetOperator.EXCEPT, True), (N, N)),
        (SetOp((IDS, IDS), UNION, False), (N, N)),
        # Of two groups that are complete at once, the greater may be the older.
        (SetOp((STRAYING, IDS), SetOperator.INTERSECT, False), (N, N)),
    ],
)
def test_groups_of_set_operations_without_a_rowtime_use_the_implicit_one(
    plan: Plan, expected: tuple[Monotonicity, ...]
) -> None:
    """S-502: its bound moves with orderId all the same."""
    assert column_monotonicity(plan, OrderOf.ROWS) == expected
    assert column_monotonicity(plan, OrderOf.BOUNDS) == (N, I)


def test_groups_of_set_operations_with_a_rowtime_come_by_that_alone() -> None:
    """S-502: not by the end of a window, although that stands before it."""
    windows = Project(Hop(ORDERS, RT, HOUR, THREE, 0), (END, FLOOR), ("E", "H"))
    plan = SetOp((windows, windows), UNION, False)
    assert column_monotonicity(plan, OrderOf.ROWS) == (N, I)
    assert rowtime_column(plan) == 1


def test_a_declared_range_decides_a_quotient() -> None:
    """CHECK feeds the ranges (S-301, S-403): 12 / orderId decreases while orderId is positive."""
    quotient = Call(Op.DIVIDE, (Literal(12, INTEGER), ID), INTEGER)
    unknown = Project(ORDERS, (quotient,), ("Q",))
    assert isinstance(ORDERS.source, Stream)
    positive = call(Op.GREATER, ID, Literal(0, INTEGER))
    checked = Scan(replace(ORDERS.source, checks=(positive,)), Reads.STREAM)
    assert column_monotonicity(unknown) == (N,)
    assert column_monotonicity(replace(unknown, input=checked)) == (D,)
    assert column_monotonicity(replace(unknown, input=Filter(ORDERS, positive))) == (D,)


# --- progress ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("input", "key", "calcite", "sqlstream"),
    [
        (ORDERS, FLOOR, True, True),
        (ORDERS, Call(Op.DIVIDE, (ID, Literal(4, INTEGER)), INTEGER), True, True),
        (ORDERS, PRODUCT, False, False),
        (ORDERS, Literal(1, INTEGER), False, False),
        (ORDERS, DOWN, True, False),
        (LATE, FLOOR, True, True),
        (stream(Ordering(punctuated=True)), FLOOR, True, True),
        (hop(HOUR, THREE), END, True, True),
        (hop(HOUR, THREE), START, True, True),
        (hop(HOUR, THREE, LATE), END, True, True),
        (TABLE, InputRef(0, T), False, False),
        (Sort(ORDERS, (ascending(PRODUCT),), within=HOUR), PRODUCT, True, True),
    ],
)
def test_a_group_is_completed_by_a_key_that_moves_on(
    input: Plan, key: Expression, calcite: bool, sqlstream: bool
) -> None:
    """S-404, S-405, S-701; CAL-038 … CAL-042, CAL-047."""
    assert key_progresses(input, key, CALCITE) == calcite
    assert key_progresses(input, key, SQLSTREAM) == sqlstream


@pytest.mark.parametrize(
    ("key", "descending", "calcite", "sqlstream"),
    [
        (FLOOR, False, True, True),
        (FLOOR, True, False, False),
        (DOWN, True, True, False),
        (DOWN, False, False, False),
        (PRODUCT, False, False, False),
        (Literal(1, INTEGER), False, False, False),
    ],
)
def test_order_by_starts_in_the_direction_of_the_stream(
    key: Expression, descending: bool, calcite: bool, sqlstream: bool
) -> None:
    """S-507; CAL-115 … CAL-118."""
    aspect = SortKey(key, descending, descending)
    assert order_progresses(ORDERS, aspect, CALCITE) == calcite
    assert order_progresses(ORDERS, aspect, SQLSTREAM) == sqlstream


# --- the rowtime ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        (ORDERS, 0),
        (Project(ORDERS, (PRODUCT, FLOOR), ("P", "H")), 1),
        (Project(ORDERS, (FLOOR, RT), ("H", "ROWTIME")), 1),
        (Project(ORDERS, (PRODUCT, ID), ("P", "ROWTIME")), None),
        (group(ORDERS, PRODUCT, FLOOR), 1),
        (group(ORDERS, ID), None),
        (Sort(ORDERS, (ascending(FLOOR), ascending(PRODUCT))), 0),
        (join(TABLE, ORDERS, TRUE), 2),
        (join(ORDERS, ORDERS, SAME_TIME, JoinKind.RIGHT), 4),
        (join(ORDERS, ORDERS, SAME_TIME, JoinKind.FULL), None),
        (
            WindowJoin(
                ORDERS, ORDERS, JoinKind.INNER, TRUE, TimeWindow(0, 0), TimeWindow(0, 9), 0, 0
            ),
            8,
        ),
        (SetOp((ORDERS, ORDERS), SetOperator.UNION, True), 0),
    ],
)
def test_the_rowtime_is_the_named_column_or_the_first_that_ascends(
    plan: Plan, expected: int | None
) -> None:
    """S-311."""
    assert rowtime_column(plan) == expected


@pytest.mark.parametrize("base", Side)
def test_pairs_are_in_the_order_of_the_base(base: Side) -> None:
    """S-510, S-511; not of the side whose rowtime is selected."""
    pairs = replace(join(ORDERS, ORDERS, SAME_ID), base=base)
    assert rowtime_column(Project(pairs, (RT, S_RT), ("A", "B"))) == (0 if base is Side.LEFT else 1)
    found = column_monotonicity(pairs, OrderOf.ROWS)
    left, right = found[:4], found[4:]
    assert (left if base is Side.LEFT else right) == (I, I, N, D)
    assert (right if base is Side.LEFT else left) == (N, I, N, N)  # its ID equals the base's


def test_a_plan_streams_if_a_scan_of_it_does() -> None:
    assert is_streaming(Delta(join(ORDERS, TABLE, TRUE)))
    assert not is_streaming(TABLE)
    assert not is_streaming(stream(Ordering(), Reads.HISTORY))


#: The order of rows as they are emitted if rows of the input stray.
EMITTED: list[tuple[str, Plan, tuple[Monotonicity, ...]]] = [
    ("a stream strays", LATE, (N, S, N, D)),
    ("groups come by their rowtime", group(LATE, FLOOR, PRODUCT), (I, N, N)),
    ("and not by another function of it", group(LATE, RT, FLOOR), (I, N, N)),
    ("both ends of a window", group(Hop(LATE, RT, HOUR, THREE, 0), START, END), (S, S, N)),
    ("a key in order does not help a time that is not", group(LATE, ID), (N, N)),
    ("rows leave a window by their time", window(LATE, RowOffset(0)), (I, N, N, N, N)),
    ("a filter does not", Filter(LATE, call(Op.EQUAL, PRODUCT, PRODUCT)), (N, S, N, D)),
    ("a merge does not", SetOp((LATE, LATE), UNION, True), (N, N, N, N)),
    ("a sort does", Sort(LATE, (ascending(RT),)), (I, N, N, N)),
]


@pytest.mark.parametrize(
    ("plan", "expected"), [each[1:] for each in EMITTED], ids=[each[0] for each in EMITTED]
)
def test_rows_out_of_order_are_emitted_out_of_order(
    plan: Plan, expected: tuple[Monotonicity, ...]
) -> None:
    assert column_monotonicity(plan, OrderOf.ROWS) == expected


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        (ORDERS, True),
        (LATE, False),
        (Filter(LATE, TRUE), False),
        (Project(LATE, (PRODUCT,), ("P",)), False),
        (Project(ORDERS, (PRODUCT,), ("P",)), True),
        (group(LATE, FLOOR), True),
        (Sort(LATE, (ascending(RT),)), True),
        (SetOp((ORDERS, LATE), UNION, True), False),
        (join(LATE, TABLE, TRUE), False),
    ],
)
def test_a_clock_is_in_order_where_no_row_is_out_of_order(plan: Plan, expected: bool) -> None:
    assert is_in_time_order(plan) is expected
