"""EMIT CHANGES over groups on Spark: a micro-batch reads its own rows, and a row for each group."""

from collections.abc import Callable
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algebra.catalog import Profile
from algebra.plan import Changes
from algebra.prepare import prepare
from reference.evaluate import World, evaluate
from reference.relation import Row
from reference.relational.changelog import difference
from spark_backend.stream.compaction.grouped_changelog import grouped_changelog
from tck.protocol import Output, WireRow, weighted
from tests.spark_backend.stream.conftest import Steps

DDL = "CREATE STREAM R (k VARCHAR(3), v INTEGER, d DOUBLE)"


def _has_groups(sql: str) -> bool:
    query = prepare(DDL, f"{sql} EMIT CHANGES", Profile.CALCITE).query
    assert isinstance(query, Changes)
    return grouped_changelog(query) is not None


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT STREAM k, SUM(v) AS s FROM R GROUP BY k",
        "SELECT STREAM COUNT(*) + 1 AS n, AVG(d) AS a FROM R WHERE v > 1 GROUP BY k, v",
        "SELECT STREAM DISTINCT k FROM R",
    ],
)
def test_groups_of_one_stream_are_followed_by_accumulators(sql: str) -> None:
    assert _has_groups(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT STREAM COUNT(*) AS n FROM R",
        "SELECT STREAM k, COUNT(DISTINCT v) AS n FROM R GROUP BY k",
        "SELECT STREAM k, COUNT(*) AS n FROM R GROUP BY k HAVING COUNT(*) > 1",
        "SELECT STREAM k, COUNT(*) AS n FROM R GROUP BY ROLLUP (k)",
        "SELECT STREAM a.k, COUNT(*) AS n FROM R AS a JOIN R AS b ON a.k = b.k GROUP BY a.k",
        "SELECT STREAM k, v FROM R",
    ],
)
def test_other_queries_are_evaluated_whole(sql: str) -> None:
    assert not _has_groups(sql)


_ROWS: st.SearchStrategy[list[Row]] = st.lists(
    st.tuples(
        st.sampled_from([None, "a", "b"]),
        st.sampled_from([None, -3, 1, 2, 150]),
        st.sampled_from([None, Decimal("1.25"), Decimal("-3.10")]),
    ),
    max_size=4,
)


@pytest.mark.parametrize(
    "sql",
    [
        (
            "SELECT STREAM k, COUNT(*) AS n, SUM(v) * 10 AS s, MAX(v) AS m, AVG(d) AS a FROM R "
            "WHERE v IS NULL OR v < 100 GROUP BY k"
        ),
        (
            "SELECT STREAM MIN(k) AS j, COUNT(*) FILTER (WHERE v > 1) AS c, AVG(v) AS a, "
            "EVERY(v > 1) AS e FROM R GROUP BY k, v"
        ),
        "SELECT STREAM v + 1 AS x, SUM(d) / 2 AS h, COUNT(k) AS c FROM R GROUP BY v",
        "SELECT STREAM DISTINCT k FROM R",
    ],
)
@given(batches=st.lists(_ROWS, min_size=1, max_size=5))
def test_accumulators_give_the_answer_over_all_rows(sql: str, batches: list[list[Row]]) -> None:
    """The plan of a step, as the reference evaluates it."""
    ddl = DDL.replace("DOUBLE", "DECIMAL(6, 2)")
    query = prepare(ddl, f"{sql} EMIT CHANGES", Profile.CALCITE).query
    assert isinstance(query, Changes)
    groups = grouped_changelog(query)
    assert groups is not None
    width, stored, so_far = len(groups.table.columns), list[Row](), list[Row]()
    for rows in batches:
        so_far += rows
        world = World(tables={groups.table.name: stored}, streams={groups.stream.name: rows})
        found = evaluate(groups.step.input, world)
        stored, answer = [row[:width] for row in found], [row[width:] for row in found]
        expected = evaluate(query.input, World(streams={groups.stream.name: so_far}))
        assert not difference(answer, expected)


def _changes(output: Output) -> list[tuple[int, WireRow]]:
    """The weight of each change and its row, in the order of their texts."""
    assert output.error is None, output.error
    changes = [(weight, row) for row, weight in weighted(output.rows, output.weights)]
    return sorted(changes, key=str)


@pytest.mark.spark
def test_each_micro_batch_changes_the_groups_of_its_rows(query: Callable[..., Steps]) -> None:
    steps = query(
        DDL,
        "SELECT STREAM k, COUNT(*) AS n, SUM(v) * 10 AS s, MAX(v) AS m, AVG(d) AS a "
        "FROM R WHERE v IS NULL OR v < 100 GROUP BY k EMIT CHANGES",
    )
    first = steps.rows(R=[("a", 1, 0.5), ("b", None, None), ("a", 4, 1.5), (None, 7, 2.0)])
    assert _changes(first) == [
        (1, ("a", 2, 50, 4, 1.0)),
        (1, ("b", 1, None, None, None)),
        (1, (None, 1, 70, 7, 2.0)),
    ]
    second = steps.rows(R=[("a", 2, 4.0), (None, -7, None), ("c", 100, 1.0)])
    assert _changes(second) == [
        (-1, ("a", 2, 50, 4, 1.0)),
        (-1, (None, 1, 70, 7, 2.0)),
        (1, ("a", 3, 70, 4, 2.0)),
        (1, (None, 2, 0, 7, 2.0)),
    ]
    third = steps.rows(R=[("b", 3, 1.0)])
    assert _changes(third) == [
        (-1, ("b", 1, None, None, None)),
        (1, ("b", 2, 30, 3, 1.0)),
    ]
    assert third.state is not None
    assert third.state.rows == 3, "a row for each group, and none of the stream"
    assert _changes(steps.end()) == []
