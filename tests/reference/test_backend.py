"""The reference after the kit's protocol: conversations in SQL."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.backend import RELEASE, ReferenceBackend
from tck.protocol import (
    Accepted,
    Bound,
    CloseProducer,
    ColumnInfo,
    End,
    Event,
    Load,
    Now,
    Open,
    OpenProducer,
    Output,
    Refused,
    Rows,
    WireRow,
)
from tests.reference.conversation import DDL, ORDERS, at, opened, rows, told

PROJECT = Path(__file__).parents[2] / "pyproject.toml"


def test_the_release_is_the_project_s() -> None:
    assert tomllib.loads(PROJECT.read_text("utf-8"))["project"]["version"] == RELEASE


# --- the pages' queries -------------------------------------------------------------------------


def test_hourly_totals() -> None:
    """CAL-050, with E-01's correction."""
    sql = """SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR) AS rowtime, productId,
               COUNT(*) AS c, SUM(units) AS units
             FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR), productId"""
    assert rows(sql, Rows("ORDERS", ORDERS)) == [
        (at("11:00:00"), 30, 2, 24),
        (at("11:00:00"), 10, 1, 1),
        (at("11:00:00"), 20, 1, 2),
        (at("12:00:00"), 10, 3, 11),
        (at("12:00:00"), 40, 1, 12),
    ]


def test_a_running_hour() -> None:
    sql = """SELECT STREAM rowtime, SUM(units) OVER (ORDER BY rowtime
               RANGE INTERVAL '1' HOUR PRECEDING) AS s FROM Orders"""
    sums = [s for _, s in rows(sql, Rows("ORDERS", ORDERS))]
    # At 11:24:11 the rows from 10:24:11 on are there: 6, 1, 12, 4.
    assert sums == [4, 5, 7, 27, 33, 34, 46, 23]


def test_a_running_total_since_the_top_of_the_hour() -> None:
    """E-35: without ORDER BY a stream's window is ordered by its rowtime."""
    sql = """SELECT STREAM rowtime, SUM(units) OVER (PARTITION BY FLOOR(rowtime TO HOUR)) AS s
             FROM Orders"""
    sums = [s for _, s in rows(sql, Rows("ORDERS", ORDERS))]
    assert sums == [4, 5, 7, 27, 6, 7, 19, 23]


def test_orders_with_their_products() -> None:
    sql = """SELECT STREAM o.orderId, p.name FROM Orders o LEFT JOIN Products p
             ON o.productId = p.productId WHERE o.units < 5"""
    assert rows(sql, Rows("ORDERS", ORDERS)) == [
        (5, "Cheese"), (6, "Beer"), (7, None), (10, "Beer"), (12, "Beer"),
    ]  # fmt: skip


def test_a_relational_query_reads_history_and_what_has_passed() -> None:
    before = Load("ORDERS", ((at("09:00:00"), 20, 1, 7),))
    sql = "SELECT productId, SUM(units) AS u FROM Orders GROUP BY productId ORDER BY productId"
    assert rows(sql, before, Rows("ORDERS", ORDERS)) == [(10, 12), (20, 9), (30, 24), (40, 12)]
    # A streaming query sees only what passes.
    streaming = "SELECT STREAM orderId FROM Orders WHERE productId = 20"
    assert rows(streaming, before, Rows("ORDERS", ORDERS)) == [(7,)]


# --- answers to open ----------------------------------------------------------------------------


def test_an_accepted_stream_shows_columns_and_monotonicity() -> None:
    answer = ReferenceBackend().open(
        Open(DDL, "SELECT STREAM rowtime, units * 1.5 AS x, productId IS NULL AS n FROM Orders")
    )
    assert isinstance(answer, Accepted)
    assert answer.streaming
    assert answer.columns == (
        ColumnInfo("ROWTIME", "TIMESTAMP(3)", False),
        ColumnInfo("X", "DECIMAL(12, 1)", True),
        ColumnInfo("N", "BOOLEAN", False),
    )
    assert answer.monotonicity == {
        "ROWTIME": "INCREASING", "X": "NOT_MONOTONIC", "N": "NOT_MONOTONIC",
    }  # fmt: skip


def test_a_script_alone_is_accepted() -> None:
    assert ReferenceBackend().open(Open(DDL, None)) == Accepted(False, ())
    assert told(opened(None)) == Output(bound="end")


@pytest.mark.parametrize(
    ("ddl", "sql", "code", "guilty", "in_ddl"),
    [
        (DDL, "SELECT nope FROM Orders", "UNKNOWN_COLUMN", "nope", False),
        (DDL + "DROP TABLE Nope", "SELECT 1 FROM Orders", "UNKNOWN_OBJECT", "Nope", True),
    ],
)
def test_a_refusal_points_into_its_text(
    ddl: str, sql: str, code: str, guilty: str, in_ddl: bool
) -> None:
    answer = ReferenceBackend().open(Open(ddl, sql))
    assert isinstance(answer, Refused)
    start, end = answer.at
    assert (answer.code, answer.in_ddl) == (code, in_ddl)
    assert (ddl if in_ddl else sql)[start:end] == guilty
    assert code in answer.rendered


def test_a_script_that_fails_as_it_runs_is_refused() -> None:
    twice = DDL + "INSERT INTO Products VALUES (10, 'Wine')"
    answer = ReferenceBackend().open(Open(twice, "SELECT * FROM Products"))
    assert isinstance(answer, Refused)
    assert (answer.code, answer.in_ddl) == ("BAD_ROW", True)
    assert twice[slice(*answer.at)] == "VALUES (10, 'Wine')"


def test_it_claims_both_profiles_and_no_gap() -> None:
    hello = ReferenceBackend().start()
    assert (hello.name, hello.tier, hello.gaps) == ("reference", "exact", {})
    assert set(hello.profiles) == {"calcite", "sqlstream"}


def test_explain_is_the_plan() -> None:
    assert "PRODUCTS" in opened("SELECT * FROM Products").explain()
    assert opened(None).explain() == ""


# --- input --------------------------------------------------------------------------------------


def test_late_and_bad_rows_are_told_at_once_with_their_places() -> None:
    backend = opened("SELECT STREAM orderId FROM Orders")
    late = (at("10:00:00"), 1, 99, 1)
    broken = (at("12:00:00"), 1, 98, 1001)
    narrow = (at("12:00:00"),)
    backend.feed(Rows("ORDERS", ORDERS[:2]))
    assert backend.poll().rows == ((5,), (6,))
    backend.feed(Rows("ORDERS", (late, ORDERS[2], narrow, broken)))
    output = backend.poll()
    assert [(each.row, each.place, each.code) for each in output.late] == [
        (late, 2, "LATE"), (narrow, 4, "BAD_ROW"), (broken, 5, "BAD_ROW"),
    ]  # fmt: skip
    assert output.rows == ((7,),)
    assert told(backend).rows == ()


def test_the_rows_come_once() -> None:
    backend = opened("SELECT STREAM orderId FROM Orders")
    assert told(backend, Rows("ORDERS", ORDERS[:1])).rows == ((5,),)
    again = backend.poll()
    assert (again.rows, again.bound) == ((), "end")


def test_what_is_no_open_producer_sends_nothing() -> None:
    backend = opened("SELECT STREAM orderId FROM Orders")
    for event in (Rows("ORDERS", ORDERS[:1], "p1"), CloseProducer("ORDERS", "p1")):
        with pytest.raises(ValueError, match="producer"):
            backend.feed(event)
    backend.feed(OpenProducer("ORDERS", "p1"))
    for wrong in (OpenProducer("ORDERS", "p1"), Bound("ORDERS", at("10:00:00"), producer="p2")):
        with pytest.raises(ValueError, match="producer"):
            backend.feed(wrong)


def test_a_bound_below_the_clock_is_told_and_ignored() -> None:
    backend = opened("SELECT STREAM orderId FROM Orders")
    backend.feed(Rows("ORDERS", ORDERS[:1]))
    backend.feed(Bound("ORDERS", at("10:00:00")))
    output = backend.poll()
    assert [(each.event, each.code) for each in output.warnings] == [(1, "BOUND_BACKWARDS")]
    assert (output.error, output.rows) == (None, ((5,),))
    assert backend.poll().warnings == ()
    assert told(backend, Rows("ORDERS", ORDERS[1:2])).rows == ((6,),)


def test_a_strict_bound_makes_a_row_at_it_late() -> None:
    for strict, taken in ((False, 1), (True, 0)):
        backend = opened("SELECT STREAM orderId FROM Orders")
        events = (Bound("ORDERS", at("10:17:00"), strict), Rows("ORDERS", ORDERS[:1]))
        assert len(told(backend, *events).rows) == taken


def test_the_end_of_the_streams_it_reads_is_the_end_of_a_query() -> None:
    ddl = DDL + "CREATE STREAM Other (rowtime TIMESTAMP(3) ASCENDING);"
    backend = opened("SELECT STREAM orderId FROM Orders", ddl)
    backend.feed(Rows("ORDERS", ORDERS[:1]))
    backend.feed(End("OTHER"))
    output = backend.poll()
    assert (output.rows, output.bound) == (((5,),), at("10:17:00"))
    backend.feed(End("ORDERS"))
    output = backend.poll()
    assert (output.rows, output.bound) == ((), "end")


def test_a_run_time_error_ends_the_query() -> None:
    output = told(opened("SELECT STREAM 1 / (units - 4) AS x FROM Orders"), Rows("ORDERS", ORDERS))
    assert output.rows == ()
    assert output.error is not None
    assert output.error.code == "DIVISION_BY_ZERO"


def test_now_is_the_clock_of_the_session() -> None:
    sql = "SELECT CURRENT_TIMESTAMP AS t FROM Products WHERE productId = 10"
    assert rows(sql, Now(at("10:17:00.250"))) == [(at("10:17:00.250"),)]


def test_a_history_too_short_is_an_error_unless_the_query_needs_no_more() -> None:
    old = Load("ORDERS", (("2015-02-14 08:00:00", 10, 1, 1),))
    new = Rows("ORDERS", ORDERS[:1])
    everything = told(opened("SELECT COUNT(*) AS c FROM Orders"), old, new)
    assert everything.error is not None
    assert everything.error.code == "INSUFFICIENT_HISTORY"
    recent = "SELECT COUNT(*) AS c FROM Orders WHERE rowtime >= TIMESTAMP '2015-02-15 00:00:00'"
    assert rows(recent, old, new) == [(1,)]
    # 24 hours back from 10:17:00, the end included.
    edge = Load("ORDERS", (("2015-02-14 10:17:00", 10, 1, 1),))
    assert rows("SELECT COUNT(*) AS c FROM Orders", edge, new) == [(2,)]


def test_a_loaded_history_has_passed_and_moves_the_clock() -> None:
    backend = opened("SELECT orderId FROM Orders")
    backend.feed(Load("ORDERS", ((at("10:17:00"), 10, 1, 1), (at("10:16:00"), 10, 2, 1))))
    (late,) = backend.poll().late
    assert (late.place, late.code) == (1, "LATE")
    backend.feed(Rows("ORDERS", ((at("10:16:59"), 10, 3, 1), (at("10:17:00"), 10, 4, 1))))
    (late,) = backend.poll().late
    assert (late.place, late.code) == (0, "LATE")
    assert told(backend).rows == ((1,), (4,))


def test_a_loaded_history_is_remembered_from_its_own_end() -> None:
    two_days = (("2015-02-14 08:00:00", 10, 1, 1), ("2015-02-15 09:00:00", 10, 2, 1))
    output = told(opened("SELECT orderId FROM Orders"), Load("ORDERS", two_days))
    assert output.error is not None
    assert output.error.code == "INSUFFICIENT_HISTORY"


def test_objects_of_a_schema_have_qualified_names() -> None:
    ddl = "CREATE SCHEMA Sales; CREATE TABLE Sales.T (a INTEGER);"
    assert rows("SELECT a FROM Sales.T", Load("SALES.T", ((1,),)), ddl=ddl) == [(1,)]
    with pytest.raises(ValueError, match="no stream or table"):
        opened("SELECT a FROM Sales.T", ddl).feed(Load("T", ((1,),)))


def test_rows_into_a_table_keep_its_constraints() -> None:
    sql = "SELECT productId FROM Products"
    output = told(opened(sql), Rows("PRODUCTS", ((10, "Ale"), (40, "Bread"))))
    assert output.rows == ((10,), (30,), (40,))
    assert [(each.place, each.code) for each in output.late] == [(0, "BAD_ROW")]


# --- laws ---------------------------------------------------------------------------------------

QUERIES = [
    "SELECT STREAM * FROM Orders",
    "SELECT STREAM rowtime, productId FROM Orders WHERE units > 2",
    """SELECT STREAM FLOOR(rowtime TO MINUTE) AS rowtime, productId, SUM(units) AS u FROM Orders
       GROUP BY FLOOR(rowtime TO MINUTE), productId""",
    """SELECT STREAM rowtime, MAX(units) OVER (PARTITION BY productId ORDER BY rowtime
       RANGE INTERVAL '1' MINUTE PRECEDING) AS m FROM Orders""",
    """SELECT STREAM rowtime, units FROM Orders UNION ALL
       SELECT STREAM rowtime, -units FROM Orders""",
]
arrivals = st.lists(
    st.tuples(st.integers(0, 5), st.integers(1, 2), st.integers(1, 4)), max_size=8
).map(lambda rows: tuple((at(f"10:0{m}:00"), p, 0, u) for m, p, u in sorted(rows)))


@given(st.sampled_from(QUERIES), arrivals, st.data())
def test_bounds_and_batches_never_change_rows(
    sql: str, arriving: tuple[WireRow, ...], data: st.DataObject
) -> None:
    """S-304: but for the order of ties."""
    whole = rows(sql, Rows("ORDERS", arriving))
    events: list[Event] = []
    for row in arriving:
        if data.draw(st.booleans()):
            events.append(Bound("ORDERS", str(row[0])))
        events.append(Rows("ORDERS", (row,)))
    found = rows(sql, *events)
    assert sorted(map(repr, found)) == sorted(map(repr, whole))
    assert [row[0] for row in found] == [row[0] for row in whole]


@given(st.sampled_from(QUERIES), arrivals)
def test_a_stream_has_the_rows_of_its_relation(sql: str, arriving: tuple[WireRow, ...]) -> None:
    """S-303."""
    relation = rows(sql.replace("STREAM", ""), Rows("ORDERS", arriving))
    stream = rows(sql, Rows("ORDERS", arriving))
    assert sorted(map(repr, stream)) == sorted(map(repr, relation))
    times = [str(row[0]) for row in stream]
    assert times == sorted(times)
