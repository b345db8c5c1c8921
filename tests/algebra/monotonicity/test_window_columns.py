"""The columns that are edges of windows, wherever they go (S-901)."""

import pytest

from algebra.catalog import Profile
from algebra.monotonicity.columns import (
    OrderOf,
    column_monotonicity,
    locked_columns,
    rowtime_column,
)
from algebra.monotonicity.tables import Monotonicity
from algebra.monotonicity.window_columns import is_edge, window_columns
from algebra.plan import Aggregate, Delta, Join, Plan, nodes, row_type
from algebra.prepare import prepare

SCRIPT = "CREATE STREAM R (t TIMESTAMP(3) ASCENDING, k INTEGER)"
HOPS = "HOP(TABLE R, DESCRIPTOR(t), INTERVAL '10' MINUTE, INTERVAL '1' HOUR)"
GROWN = "CUMULATE(TABLE R, DESCRIPTOR(t), INTERVAL '10' MINUTE, INTERVAL '1' HOUR)"


def plan(sql: str) -> Plan:
    query = prepare(SCRIPT, sql, Profile.CALCITE).query
    assert isinstance(query, Delta)
    return query.input


def names(of: Plan, places: frozenset[int | None]) -> set[str]:
    return {row_type(of)[place].name for place in places if place is not None}


_NONE: set[str] = set()


@pytest.mark.parametrize(
    ("sql", "starts", "ends"),
    [
        (f"SELECT STREAM * FROM {HOPS}", {"WINDOW_START"}, {"WINDOW_END"}),
        (f"SELECT STREAM window_end AS e, k FROM {HOPS} WHERE k > 1", _NONE, {"E"}),
        (f"SELECT STREAM window_end AS e FROM {HOPS} GROUP BY window_end", _NONE, {"E"}),
        (f"SELECT STREAM k, window_end + INTERVAL '1' HOUR AS e FROM {HOPS}", _NONE, _NONE),
        ("SELECT STREAM t, k FROM R", _NONE, _NONE),
    ],
)
def test_edges_are_followed_to_the_columns_of_a_query(
    sql: str, starts: set[str], ends: set[str]
) -> None:
    of = plan(sql)
    found = window_columns(of)
    assert (names(of, found.starts), names(of, found.ends)) == (starts, ends)


def test_a_start_of_a_window_that_grows_does_not_identify_it() -> None:
    found = window_columns(plan(f"SELECT STREAM * FROM {GROWN}"))
    assert found.identifying == found.ends
    assert window_columns(plan(f"SELECT STREAM * FROM {HOPS}")).identifying == found.both


@pytest.mark.parametrize("keys", ["window_start, window_end", "window_end, window_start"])
def test_the_rowtime_of_groups_of_windows_is_the_end(keys: str) -> None:
    sql = f"SELECT STREAM window_start, COUNT(*) FROM {GROWN} GROUP BY {keys}"
    (groups,) = [each for each in nodes(plan(sql)) if isinstance(each, Aggregate)]
    place = rowtime_column(groups)
    assert place is not None
    assert row_type(groups)[place].name == "WINDOW_END"
    orders = dict(zip(groups.names, column_monotonicity(groups, OrderOf.ROWS), strict=True))
    assert orders["WINDOW_END"] is Monotonicity.STRICTLY_INCREASING
    assert orders["WINDOW_START"] is Monotonicity.INCREASING


@pytest.mark.parametrize(
    ("on", "left", "right"),
    [
        ("a.window_start = b.window_start AND a.window_end = b.window_end", 3, 3),
        ("a.window_end = b.window_end AND a.k = b.k", 3, 3),
        ("a.window_start = b.window_start", 2, 2),
        ("a.t = b.t", 0, 0),
    ],
)
def test_a_join_is_in_lock_step_by_the_edges_that_are_equal(on: str, left: int, right: int) -> None:
    found = plan(f"SELECT STREAM a.t, b.k FROM {GROWN} AS a JOIN {GROWN} AS b ON {on}")
    (join,) = [each for each in nodes(found) if isinstance(each, Join)]
    locked = locked_columns(join)
    assert locked is not None
    assert locked[:2] == (left, right)
    assert [i for i in range(len(row_type(join))) if is_edge(join, i)] == [2, 3, 6, 7]
