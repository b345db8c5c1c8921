"""A group window in GROUP BY is spelled as a table function, and HOP has the declared order."""

# ruff: noqa: E501 - a line of a table is a line

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tck.backends import RunningBackend
from tck.protocol import Accepted, Hello, Open, Refused
from tck.run import run_case
from tck.wire.window_spelling import with_size_first, with_table_functions
from tests.tck import toy
from tests.tck.corpora import load_case

HOUR = "INTERVAL '1' HOUR"


@pytest.mark.parametrize(
    ("functions", "table_functions"),
    [
        (
            f"SELECT STREAM TUMBLE_END(rowtime, {HOUR}) AS rowtime, k, COUNT(*) AS c FROM Orders GROUP BY TUMBLE(rowtime, {HOUR}), k",
            f"SELECT STREAM window_end AS rowtime, k, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE Orders, DESCRIPTOR(rowtime), {HOUR})) GROUP BY window_start, window_end, k",
        ),
        (
            f"SELECT STREAM TUMBLE_START(rowtime) AS s, SUM(v) AS v FROM Orders AS o WHERE v > 1 GROUP BY k, TUMBLE(rowtime, {HOUR}) HAVING COUNT(*) > 1",
            f"SELECT STREAM window_start AS s, SUM(v) AS v FROM TABLE(TUMBLE(TABLE Orders, DESCRIPTOR(rowtime), {HOUR})) AS o WHERE v > 1 GROUP BY k, window_start, window_end HAVING COUNT(*) > 1",
        ),
        (
            f"SELECT STREAM HOP_END(rowtime, {HOUR}, INTERVAL '3' HOUR) AS e FROM sales.Orders GROUP BY HOP(rowtime, {HOUR}, INTERVAL '3' HOUR)",
            f"SELECT STREAM window_end AS e FROM TABLE(HOP(TABLE sales.Orders, DESCRIPTOR(rowtime), {HOUR}, INTERVAL '3' HOUR)) GROUP BY window_start, window_end",
        ),
        (
            f"SELECT TUMBLE_END(t, {HOUR}) AS e FROM Orders GROUP BY TUMBLE(t, {HOUR}) ORDER BY TUMBLE_END(t, {HOUR})",
            f"SELECT window_end AS e FROM TABLE(TUMBLE(TABLE Orders, DESCRIPTOR(t), {HOUR})) GROUP BY window_start, window_end ORDER BY window_end",
        ),
    ],
)
def test_a_window_becomes_a_table_function(functions: str, table_functions: str) -> None:
    assert with_table_functions(functions) == table_functions


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT STREAM * FROM Orders WHERE v > 1",
        "SELECT k FROM Orders GROUP BY k",
        f"SELECT COUNT(*) FROM Orders GROUP BY TUMBLE(rowtime, {HOUR}, TIME '00:12:00')",
        f"SELECT COUNT(*) FROM (SELECT * FROM Orders) GROUP BY TUMBLE(rowtime, {HOUR})",
        f"SELECT COUNT(*) FROM a JOIN b ON a.k = b.k GROUP BY TUMBLE(rowtime, {HOUR})",
        f"SELECT COUNT(*) FROM Orders GROUP BY TUMBLE(rowtime, {HOUR}), TUMBLE(t, {HOUR})",
        f"SELECT TUMBLE_END(rowtime, INTERVAL '2' HOUR) FROM Orders GROUP BY TUMBLE(rowtime, {HOUR})",
        f"SELECT COUNT(*) FROM Orders GROUP BY HOP(rowtime, {HOUR})",
        f"SELECT 1 FROM a GROUP BY TUMBLE(t, {HOUR}) UNION ALL SELECT 2 FROM b",
    ],
)
def test_a_query_of_another_shape_stays_as_it_is(sql: str) -> None:
    assert with_table_functions(sql) == sql


CASE = f"""
id: hours
cites: [S-504]
sql: SELECT STREAM TUMBLE_END(rowtime, {HOUR}) AS rowtime FROM Orders GROUP BY TUMBLE(rowtime, {HOUR})
"""


@pytest.mark.parametrize(
    ("windows", "expects", "table"),
    [
        ("table-functions", "rows: []", True),
        ("functions", "rows: []", False),
        ("table-functions", "error: {code: BAD_GROUP_WINDOW, at: SELECT}", False),
        ("table-functions", "schema: [ROWTIME TIMESTAMP(3)]", False),
    ],
)
def test_a_backend_gets_the_spelling_that_it_declares(
    windows: str, expects: str, table: bool, tmp_path: Path
) -> None:
    asked: list[str] = []

    class Asked(toy.Faithful):
        """Keeps the queries."""

        def start(self) -> Hello:
            return replace(super().start(), windows=windows)  # type: ignore[arg-type]  # one of two

        def open(self, request: Open) -> Accepted | Refused:
            asked.append(request.sql or "")
            return super().open(request)

    backend = Asked()
    run_case(
        RunningBackend("toy", Asked, backend, backend.start()), load_case(tmp_path, CASE + expects)
    )
    (sql,) = asked
    assert ("FROM TABLE(TUMBLE(TABLE Orders," in sql) == table


THREE = "INTERVAL '3' HOUR"


@pytest.mark.parametrize(
    ("step_first", "size_first"),
    [
        (
            f"GROUP BY HOP(rowtime, {HOUR}, {THREE}), k",
            f"GROUP BY HOP(rowtime, {THREE}, {HOUR}), k",
        ),
        (
            f"SELECT hop_end ( o.t , {HOUR} , {THREE} )",
            f"SELECT hop_end ( o.t , {THREE} , {HOUR} )",
        ),
        (f"HOP(t, {HOUR}, {THREE}, TIME '00:12:00')", f"HOP(t, {THREE}, {HOUR}, TIME '00:12:00')"),
        (f"HOP(t + {HOUR}, {HOUR}, {THREE})", f"HOP(t + {HOUR}, {THREE}, {HOUR})"),
        (
            f"FROM TABLE(HOP(TABLE a, DESCRIPTOR(t), {HOUR}, {THREE})), TABLE(HOP((SELECT * FROM (b)), DESCRIPTOR(t), {THREE}, {HOUR}, {HOUR}))",
            f"FROM TABLE(HOP(TABLE a, DESCRIPTOR(t), {THREE}, {HOUR})), TABLE(HOP((SELECT * FROM (b)), DESCRIPTOR(t), {HOUR}, {THREE}, {HOUR}))",
        ),
        (
            "HOP(t, INTERVAL '0:30' HOUR TO MINUTE, INTERVAL '90' MINUTE(3))",
            "HOP(t, INTERVAL '90' MINUTE(3), INTERVAL '0:30' HOUR TO MINUTE)",
        ),
    ],
)
def test_the_size_of_hop_stands_first(step_first: str, size_first: str) -> None:
    assert with_size_first(step_first) == size_first


@pytest.mark.parametrize(
    "sql",
    [
        f"HOP(DATA => TABLE o, TIMECOL => DESCRIPTOR(t), SLIDE => {HOUR}, SIZE => {THREE})",
        f"GROUP BY SHOP(t, {HOUR}, {THREE})",
        f"GROUP BY HOP(t, {HOUR}), k HAVING f({HOUR}, {THREE})",
        f"CUMULATE(TABLE o, DESCRIPTOR(t), {HOUR}, {THREE})",
    ],
)
def test_what_is_not_hop_with_two_intervals_stays_as_it_is(sql: str) -> None:
    assert with_size_first(sql) == sql


@pytest.mark.parametrize("expects", ["rows: []", "error: {code: BAD_GROUP_WINDOW, at: SELECT}"])
@pytest.mark.parametrize("windows", ["functions", "table-functions"])
@pytest.mark.parametrize(("order", "first"), [("size-first", THREE), ("step-first", HOUR)])
def test_a_backend_gets_the_order_of_hop_that_it_declares(
    windows: str, order: str, first: str, expects: str, tmp_path: Path
) -> None:
    asked: list[Open] = []

    class Asked(toy.Faithful):
        """Keeps the requests."""

        def start(self) -> Hello:
            hello = replace(super().start(), gaps={})
            return replace(hello, windows=windows, hop=order)  # type: ignore[arg-type]  # one of two

        def open(self, request: Open) -> Accepted | Refused:
            asked.append(request)
            return super().open(request)

    hop = f"HOP(rowtime, {HOUR}, {THREE})"
    view = f"CREATE VIEW v AS SELECT COUNT(*) AS c FROM Orders GROUP BY {hop}"
    text = f"id: hops\ncites: [S-504]\nddl: {view}\nsql: SELECT STREAM COUNT(*) AS c FROM Orders GROUP BY {hop}\n{expects}"
    backend = Asked()
    run_case(RunningBackend("toy", Asked, backend, backend.start()), load_case(tmp_path, text))
    (request,) = asked
    for each in (request.sql or "", request.ddl):
        assert re.search(r"HOP\(.*?(INTERVAL '\d')", each.replace("\n", " "))[1] in first  # type: ignore[index]  # found
