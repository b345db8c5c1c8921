"""Stages: one operator with state in each, and streams between them that tell what is known."""

from typing import Final

import pytest
from hypothesis import given

from algebra.catalog import Profile
from algebra.constraints.column_ranges import column_ranges
from algebra.expression import Call, Literal, Op
from algebra.monotonicity.columns import OrderOf, column_monotonicity, rowtime_column
from algebra.monotonicity.lockstep import LockStep, lockstep
from algebra.plan import Aggregate, Delta, Join, Plan, SetOp, Sort, Window, inputs_of, nodes
from algebra.prepare import prepare
from algebra.types import DAY_TO_SECOND, TIMESTAMP
from spark_backend.order.output_order import output_order
from spark_backend.stream.retention.retention import NOW, retention
from spark_backend.stream.stages import stages
from tests.streaming_plans import StreamingCase, streaming_cases

DDL: Final = """
CREATE STREAM S (
  rowtime TIMESTAMP(3) ASCENDING, id INTEGER ASCENDING, v INTEGER, t TIMESTAMP(3) ASCENDING
);
CREATE STREAM T (rowtime TIMESTAMP(3) ASCENDING, id INTEGER ASCENDING, w INTEGER);
CREATE STREAM U (rowtime TIMESTAMP(3) ASCENDING, id INTEGER ASCENDING, z INTEGER);
"""
HOURS: Final = (
    "SELECT STREAM FLOOR(rowtime TO HOUR) AS rowtime, v, COUNT(*) AS c FROM S"
    " GROUP BY FLOOR(rowtime TO HOUR), v"
)
GAP: Final = "rowtime, INTERVAL '1' HOUR"
END: Final = f"SESSION_END({GAP})"
SESSIONS: Final = "TABLE(SESSION(TABLE S, DESCRIPTOR(rowtime), INTERVAL '1' HOUR))"
HOP_OF_S: Final = "TABLE(HOP(TABLE S, DESCRIPTOR(t), INTERVAL '1' HOUR, INTERVAL '2' HOUR))"
WINDOWS: Final = f"SELECT window_start AS e, rowtime AS r FROM {HOP_OF_S}"
#: Queries, and how many stages each has.
QUERIES: Final = {
    f"SELECT STREAM rowtime, c FROM ({HOURS}) WHERE c > 1": 1,
    f"SELECT STREAM FLOOR(rowtime TO DAY) AS rowtime, MAX(c) AS m FROM ({HOURS})"
    " GROUP BY FLOOR(rowtime TO DAY)": 2,
    "SELECT STREAM HOP_END(rowtime, INTERVAL '1' HOUR, INTERVAL '1' DAY) AS rowtime, MAX(c) AS m"
    f" FROM ({HOURS}) GROUP BY HOP(rowtime, INTERVAL '1' HOUR, INTERVAL '1' DAY)": 2,
    "SELECT STREAM i / 2 AS j, COUNT(*) AS c FROM (SELECT STREAM id AS i, COUNT(*) AS c FROM S"
    " GROUP BY id) GROUP BY i / 2": 2,
    # Groups of sessions are complete together with their sessions; groups of their ends are not.
    f"SELECT STREAM {END} AS rowtime, v, COUNT(*) AS c FROM S GROUP BY SESSION({GAP}), v": 1,
    f"SELECT STREAM FLOOR(window_end TO HOUR) AS rowtime, COUNT(*) AS c FROM {SESSIONS}"
    " GROUP BY FLOOR(window_end TO HOUR)": 2,
    f"SELECT STREAM window_end AS rowtime, COUNT(*) AS c FROM {SESSIONS}"
    " GROUP BY window_end, FLOOR(window_end TO HOUR)": 2,
    f"SELECT STREAM window_end AS rowtime, now FROM (SELECT window_end, CURRENT_TIMESTAMP AS now"
    f" FROM {SESSIONS}) GROUP BY window_end, now": 2,
    "SELECT STREAM S.rowtime, z FROM S JOIN T ON S.id = T.id JOIN U ON U.id = T.id": 2,
    # The distance of T from S, which the inner join keeps, puts the outer one in lock step.
    "SELECT STREAM S.rowtime, z FROM S JOIN T ON T.rowtime BETWEEN S.rowtime AND S.rowtime +"
    " INTERVAL '1' HOUR JOIN U ON U.rowtime BETWEEN T.rowtime AND T.rowtime + INTERVAL '1' HOUR": 2,
    # Conditions above both joins put the inner one in lock step.
    "SELECT STREAM S.rowtime, z FROM S, T, U WHERE T.rowtime BETWEEN S.rowtime AND S.rowtime +"
    " INTERVAL '1' HOUR AND U.rowtime BETWEEN S.rowtime AND S.rowtime + INTERVAL '1' HOUR": 2,
    # The reader of a join uses the time of its right side.
    "SELECT STREAM FLOOR(T.rowtime TO HOUR) AS rowtime, COUNT(*) AS c FROM S JOIN T ON T.rowtime"
    " BETWEEN S.rowtime AND S.rowtime + INTERVAL '1' HOUR GROUP BY FLOOR(T.rowtime TO HOUR)": 2,
    "SELECT STREAM a.rowtime FROM S AS a JOIN S AS b ON a.id = b.id": 2,
    # What is made of the clock as a row passes, below the groups.
    "SELECT STREAM FLOOR(CURRENT_TIMESTAMP TO HOUR) AS h, COUNT(*) AS c FROM S"
    " GROUP BY FLOOR(CURRENT_TIMESTAMP TO HOUR)": 2,
    "SELECT STREAM h, COUNT(*) AS c FROM (SELECT STREAM rowtime, FLOOR(CURRENT_TIMESTAMP TO HOUR)"
    " AS h FROM S) GROUP BY h": 2,
    # Frames that start by a number, and in rows; frames that start by months, and in rows.
    "SELECT STREAM rowtime, LAG(v) OVER (ORDER BY id) AS l, SUM(v) OVER (ORDER BY id RANGE 2"
    " PRECEDING) AS s, COUNT(*) OVER (ORDER BY id) AS c FROM S": 2,
    "SELECT STREAM rowtime, MAX(v) OVER (ORDER BY rowtime RANGE INTERVAL '1' MONTH PRECEDING) AS m,"
    " COUNT(*) OVER (ORDER BY rowtime ROWS 2 PRECEDING) AS c FROM S": 2,
    "SELECT STREAM rowtime, SUM(s) OVER (ORDER BY rowtime) AS t FROM (SELECT STREAM rowtime,"
    " COUNT(*) OVER (ORDER BY rowtime ROWS 1 PRECEDING) AS s FROM (SELECT STREAM rowtime FROM S"
    " UNION ALL SELECT STREAM rowtime FROM T))": 3,
    # Windows that overlap have bounds but no order, so that the rows are in the order of r alone.
    f"SELECT STREAM e, r FROM ({WINDOWS} UNION ALL {WINDOWS} UNION ALL {WINDOWS})": 2,
    f"SELECT STREAM e, r, COUNT(*) OVER (PARTITION BY e ORDER BY r) AS c FROM ({WINDOWS} UNION ALL"
    f" {WINDOWS})": 2,
    # The conditions below the sort and the constant below it determine the order of the key.
    "SELECT STREAM d * 100 / id AS q, COUNT(*) AS c FROM (SELECT id, 2 AS d FROM S WHERE id > 0"
    " ORDER BY id, v) GROUP BY d * 100 / id": 2,
}


def planned(sql: str) -> Delta:
    """The plan of a query."""
    query = prepare(DDL, sql, Profile.CALCITE).query
    assert isinstance(query, Delta)
    return query


@pytest.mark.parametrize(("sql", "count"), QUERIES.items())
def test_each_stage_has_one_operator_with_state(sql: str, count: int) -> None:
    """Or none, where it hands on one side of a join of a stream with itself."""
    before, last = stages(planned(sql), "stage")
    found = [*(each.query for each in before), last]
    assert len(found) == count
    for each in found:
        state = [n for n in nodes(each) if isinstance(n, Aggregate | Window | Join | SetOp | Sort)]
        assert len(state) <= 1


@pytest.mark.parametrize("sql", QUERIES)
def test_the_last_stage_is_in_the_order_of_the_query(sql: str) -> None:
    """Its columns move as those of the whole query do, and the same one is the rowtime."""
    query = planned(sql)
    _, last = stages(query, "stage")
    assert rowtime_column(last.input) == rowtime_column(query.input)
    for of in OrderOf:
        whole = column_monotonicity(query.input, of)
        assert column_monotonicity(last.input, of) == whole


@given(streaming_cases(most_nodes=6))
def test_the_last_stage_knows_of_its_columns_what_is_known_without_stages(
    case: StreamingCase,
) -> None:
    """The orders, the rowtime and the ranges of the columns of generated plans."""
    _, last = stages(Delta(case.plan), "stage")
    assert rowtime_column(last.input) == rowtime_column(case.plan)
    assert column_ranges(last.input) == column_ranges(case.plan)
    for of in OrderOf:
        assert column_monotonicity(last.input, of) == column_monotonicity(case.plan, of)


@pytest.mark.parametrize("sql", [each for each in QUERIES if "JOIN" in each or "S, T" in each])
def test_joins_are_in_lock_step_in_their_stages(sql: str) -> None:
    """By what the stream before tells of its rows, or by conditions that come along."""
    before, last = stages(planned(sql), "stage")
    joins: list[Join] = []
    for query in [*(each.query for each in before), last]:
        plan: Plan = query
        while not isinstance(plan, Join) and inputs_of(plan):
            plan = inputs_of(plan)[0]
        if isinstance(plan, Join):
            joins.append(plan)
    assert joins
    assert all(isinstance(lockstep(each), LockStep) for each in joins)


def test_a_stage_retains_rows_by_the_distance_of_their_rowtime_from_another_time() -> None:
    """A window of an hour whose start is in a day that is still open ends an hour later."""
    tumble = "TABLE(TUMBLE(TABLE S, DESCRIPTOR(rowtime), INTERVAL '1' HOUR))"
    sql = (
        "SELECT STREAM FLOOR(s TO DAY) AS rowtime, COUNT(*) AS c FROM (SELECT window_end AS"
        f" rowtime, window_start AS s FROM {tumble} GROUP BY window_start, window_end)"
        " GROUP BY FLOOR(s TO DAY)"
    )
    _, last = stages(planned(sql), "stage")
    order = output_order(last)
    assert order is not None
    (needs,) = retention(order.plan, order.place).needs.values()
    hour = Literal(3_600_000, DAY_TO_SECOND)
    assert needs == [Call(Op.DATETIME_PLUS, (NOW, hour), TIMESTAMP)]


def test_streams_are_numbered_behind_those_before() -> None:
    """The stages of several statements have streams of different names."""
    sql = "SELECT STREAM S.rowtime FROM S JOIN T ON S.id = T.id JOIN U ON U.id = T.id"
    (stage,), _ = stages(planned(sql), "stage", before=3)
    assert stage.into.name == ("stage 4",)
