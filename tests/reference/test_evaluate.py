"""Plans: what each node reads, and what a stream emits in what order (S-303, S-407, S-507)."""

from collections import Counter

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from algebra.build import and_
from algebra.catalog import Column, Ordering
from algebra.expression import AggregateFunction, InQuery, Op, OuterRef, ScalarQuery, SortKey
from algebra.monotonicity.columns import rowtime_column
from algebra.plan import (
    Aggregate,
    Delta,
    Filter,
    Frame,
    Hop,
    Join,
    Plan,
    Project,
    Reads,
    RowOffset,
    SetOp,
    Side,
    Sort,
    TimeWindow,
    Unbounded,
    Values,
    Window,
    WindowGroup,
    WindowJoin,
)
from algebra.types import BIGINT, BOOLEAN, INTEGER
from grammar.codes import Code
from grammar.source import SqlError
from grammar.tree import JoinKind, SetOperator, TimeUnit
from reference.evaluate import World, evaluate
from reference.relation import Row
from reference.values import integer
from tests.reference.building import (
    ROWTIME,
    aggregate_call,
    ascending,
    call,
    count,
    descending,
    given,
    literal,
    ref,
    rows_of,
    scan,
    span_of,
    stream,
    table,
)

ID = Column("ID", INTEGER)
ORDERS = stream("ORDERS", None, ID)
TRADES = stream("TRADES", None, ID)
PRODUCTS = table("PRODUCTS", ID)
NUMBERS = given([(1,), (2,), (3,)], INTEGER)
TIME = ref(0, ROWTIME)
HOUR = 3_600_000


# --- what is read -------------------------------------------------------------------------------


def test_a_scan_reads_the_table_the_history_or_the_stream() -> None:
    world = World(
        tables={("PRODUCTS",): [(1,)]},
        histories={("ORDERS",): [(1, 1), (2, 2)]},
        streams={("ORDERS",): [(2, 2)]},
    )
    assert evaluate(scan(PRODUCTS, Reads.TABLE), world) == [(1,)]
    assert evaluate(scan(ORDERS, Reads.HISTORY), world) == [(1, 1), (2, 2)]
    assert evaluate(scan(ORDERS), world) == [(2, 2)]
    assert list(evaluate(scan(TRADES), world)) == []


def test_values_filter_and_project() -> None:
    doubled = call(Op.TIMES, INTEGER, ref(0), literal(2))
    above = call(Op.GREATER, BOOLEAN, ref(0), literal(1))
    assert rows_of(Project(Filter(NUMBERS, above), (doubled, ref(0)), ("A", "B"))) == [
        (4, 2),
        (6, 3),
    ]
    unknown = call(Op.GREATER, BOOLEAN, ref(0), literal(None, INTEGER))
    assert rows_of(Filter(NUMBERS, unknown)) == []
    assert rows_of(Values(((),), ())) == [()]


def test_a_sub_query_below_a_stream_reads_its_table_with_the_row_outside() -> None:
    known = InQuery((ref(1),), scan(PRODUCTS, Reads.TABLE))
    plan = Delta(Filter(scan(ORDERS), known))
    orders: list[Row] = [(1, 10), (2, 20)]
    world = World(tables={("PRODUCTS",): [(20,)]}, streams={("ORDERS",): orders})
    assert evaluate(plan, world) == [(2, 20)]
    same = call(Op.EQUAL, BOOLEAN, ref(0), OuterRef(1, 1, INTEGER))
    looked_up = ScalarQuery(Filter(scan(PRODUCTS, Reads.TABLE), same), INTEGER)
    lookup = Delta(Project(scan(ORDERS), (TIME, looked_up), ("ROWTIME", "P")))
    assert evaluate(lookup, world) == [(1, None), (2, 20)]


def test_errors_come_out_of_the_plan() -> None:
    failing = Project(NUMBERS, (call(Op.DIVIDE, INTEGER, ref(0), literal(0)),), ("A",))
    with pytest.raises(SqlError) as caught:
        rows_of(failing)
    assert caught.value.code is Code.DIVISION_BY_ZERO


def test_sort_offset_and_limit_are_of_the_node() -> None:
    plan = Sort(NUMBERS, (descending(ref(0)),), offset=literal(1), limit=literal(1))
    assert rows_of(plan) == [(2,)]


# --- streams ------------------------------------------------------------------------------------


def test_a_union_of_streams_is_merged_by_rowtime() -> None:
    plan = SetOp((scan(ORDERS), scan(TRADES)), SetOperator.UNION, all=True)
    orders: list[Row] = [(1, 1), (4, 2)]
    trades: list[Row] = [(0, 3), (1, 4), (9, 5)]
    merged = rows_of(Delta(plan), ORDERS=orders, TRADES=trades)
    assert merged == [(0, 3), (1, 1), (1, 4), (4, 2), (9, 5)]
    # Relationally the order is open, and nothing is moved.
    assert rows_of(plan, ORDERS=orders, TRADES=trades) == orders + trades


def test_groups_come_by_their_windows_end() -> None:
    hop = Hop(scan(ORDERS), TIME, span_of("1", TimeUnit.HOUR), span_of("2", TimeUnit.HOUR), 0)
    end = ref(3, ROWTIME)
    plan = Delta(Aggregate(hop, (end, ref(1)), ((0, 1),), (count(),), ("ROWTIME", "ID", "C")))
    orders: list[Row] = [(10, 7), (20, 8), (HOUR, 7)]
    assert rows_of(plan, ORDERS=orders) == [
        (HOUR, 7, 1), (HOUR, 8, 1), (2 * HOUR, 7, 2), (2 * HOUR, 8, 1), (3 * HOUR, 7, 1),
    ]  # fmt: skip


def test_a_join_comes_by_the_rowtime_it_selects() -> None:
    on = call(Op.EQUAL, BOOLEAN, ref(1), ref(3))
    near = call(Op.GREATER_OR_EQUAL, BOOLEAN, ref(2, ROWTIME), TIME)
    join = Join(scan(ORDERS), scan(TRADES), JoinKind.INNER, and_(on, near), Side.RIGHT)
    plan = Delta(Project(join, (ref(2, ROWTIME), ref(1)), ("ROWTIME", "ID")))
    orders: list[Row] = [(1, 1), (2, 2)]
    trades: list[Row] = [(3, 2), (4, 1)]
    rows = rows_of(plan, ORDERS=orders, TRADES=trades)
    assert Counter(rows) == Counter([(3, 2), (4, 1)])


def test_a_window_join_comes_by_its_base_time() -> None:
    on = call(Op.EQUAL, BOOLEAN, ref(1), ref(3))
    windows = (TimeWindow(10, 0), TimeWindow(0, 0))
    plan = WindowJoin(scan(ORDERS), scan(TRADES), JoinKind.LEFT, on, *windows, 0, 0)
    orders: list[Row] = [(1, 1), (2, 2)]
    trades: list[Row] = [(3, 2)]
    assert rows_of(Delta(plan), ORDERS=orders, TRADES=trades) == [
        (2, 2, 3, 2, 3), (1, 1, None, None, 11),
    ]  # fmt: skip


def test_a_sorted_hour_keeps_its_order_with_rowtime_selected() -> None:
    key = call(Op.STEP, ROWTIME, TIME, span_of("1", TimeUnit.HOUR))
    plan = Delta(Sort(scan(ORDERS), (ascending(key), descending(ref(1)))))
    orders: list[Row] = [(1, 5), (2, 9), (HOUR, 1), (HOUR + 1, 2)]
    assert rows_of(plan, ORDERS=orders) == [(2, 9), (1, 5), (HOUR + 1, 2), (HOUR, 1)]


def test_a_quasi_monotonic_stream_stays_in_order_of_arrival() -> None:
    loose = stream("LOOSE", Ordering(slack=100), ID)
    rows: list[Row] = [(5, 1), (3, 2), (4, 3)]
    assert rows_of(Delta(scan(loose)), LOOSE=rows) == rows


def test_a_t_sort_drops_what_is_behind_its_slack_only_when_streaming() -> None:
    loose = stream("LOOSE", Ordering(punctuated=True), ID)
    slack = span_of("0.010", TimeUnit.SECOND)
    plan = Sort(scan(loose), (ascending(TIME),), within=slack)
    rows: list[Row] = [(100, 1), (90, 2), (89, 3), (120, 4), (105, 5), (110, 6)]
    assert rows_of(Delta(plan), LOOSE=rows) == [(90, 2), (100, 1), (110, 6), (120, 4)]
    assert [row[1] for row in rows_of(plan, LOOSE=rows)] == [3, 2, 1, 5, 6, 4]


def test_a_row_that_breaks_monotonic_is_late_there_only_when_streaming() -> None:
    declared = call(Op.MONOTONIC, INTEGER, ref(1))
    project = Project(scan(ORDERS), (TIME, declared), ("ROWTIME", "M"))
    orders: list[Row] = [(1, 5), (2, 4), (3, 5), (4, None), (5, 6)]
    assert rows_of(Delta(project), ORDERS=orders) == [(1, 5), (3, 5), (5, 6)]
    assert rows_of(project, ORDERS=orders) == orders
    counted = Aggregate(scan(ORDERS), (declared,), ((0,),), (count(),), ("M", "C"))
    assert rows_of(Delta(counted), ORDERS=orders) == [(5, 2), (6, 1)]


# --- the law ------------------------------------------------------------------------------------

arrivals = st.lists(
    st.tuples(st.integers(0, 4).map(lambda n: n * HOUR // 2), st.integers(0, 2)), max_size=8
).map(sorted)
HOURLY = Hop(scan(ORDERS), TIME, span_of("1", TimeUnit.HOUR), span_of("1", TimeUnit.HOUR), 0)
TOTAL = aggregate_call(AggregateFunction.SUM, BIGINT, ref(1))
RUNNING = WindowGroup(
    (ref(1),),
    (SortKey(TIME, descending=False, nulls_first=False),),
    Frame(Unbounded(), RowOffset(0)),
    (),
)
SAME = call(Op.EQUAL, BOOLEAN, ref(1), ref(3))
STREAMABLE: list[Plan] = [
    scan(ORDERS),
    Filter(scan(ORDERS), call(Op.GREATER, BOOLEAN, ref(1), literal(0))),
    Project(scan(ORDERS), (ref(1), TIME), ("ID", "ROWTIME")),
    HOURLY,
    Aggregate(HOURLY, (ref(3, ROWTIME), ref(1)), ((0, 1),), (TOTAL,), ("ROWTIME", "ID", "S")),
    Aggregate(HOURLY, (ref(3, ROWTIME), ref(1)), ((0, 1), (0,)), (TOTAL,), ("ROWTIME", "ID", "S")),
    Window(scan(ORDERS), (RUNNING,), ()),
    SetOp((scan(ORDERS), scan(TRADES)), SetOperator.UNION, all=True),
    SetOp((scan(ORDERS), scan(TRADES)), SetOperator.EXCEPT, all=False),
    WindowJoin(
        scan(ORDERS), scan(TRADES), JoinKind.FULL, SAME, TimeWindow(HOUR, 0), TimeWindow(0, 0), 0, 0
    ),
]


@for_all(st.sampled_from(STREAMABLE), arrivals, arrivals)
def test_a_stream_has_the_rows_of_the_relation_in_the_order_of_rowtime(
    plan: Plan, orders: list[Row], trades: list[Row]
) -> None:
    relation = rows_of(plan, ORDERS=orders, TRADES=trades)
    emitted = rows_of(Delta(plan), ORDERS=orders, TRADES=trades)
    assert Counter(emitted) == Counter(relation)
    place = rowtime_column(plan)
    assert place is not None
    rowtimes = [integer(row[place]) for row in emitted]
    assert rowtimes == sorted(rowtimes)
