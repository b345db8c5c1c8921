"""The differences of docs/differences.md, one by one, as all three engines state them."""

import sqlite3
from datetime import datetime
from pathlib import Path
from typing import Final

import duckdb
import pytest

from reference.backend import ReferenceBackend
from tck.protocol import Accepted, End, Open, Wire

_DOCUMENT: Final = Path(__file__).parents[2] / "docs" / "differences.md"

#: Number; what rowtime is asked, and its answer or error; what DuckDB is asked, and its answer.
DUCKDB: Final[tuple[tuple[str, str, Wire, str, object], ...]] = (
    ("D-02", "2147483647 + CAST(1 AS BIGINT)", 2147483648, "typeof(1 + 1.5)", "DECIMAL(12,1)"),
    ("D-03", "- (-2147483647 - 1)", "OVERFLOW", "- (-2147483648)", 2147483648),
    ("D-04", "DATE '9999-12-31' + INTERVAL '1' DAY", "OVERFLOW",
     "CAST(DATE '9999-12-31' + INTERVAL 1 DAY AS VARCHAR)", "10000-01-01 00:00:00"),
    ("D-05", "DATE '2015-01-31' + INTERVAL '1' MONTH", "2015-02-28",
     "DATE '2015-01-31' + INTERVAL 1 MONTH", datetime(2015, 2, 28)),
    ("D-06", "CAST(2.5E0 AS INTEGER)", 3, "CAST(2.5E0 AS INTEGER)", 2),
    ("D-07", "EXTRACT(DOW FROM DATE '2015-02-15')", 1, "EXTRACT(DOW FROM DATE '2015-02-15')", 0),
    ("D-08", "7 / 2", 3, "7 / 2", 3.5),
    ("D-09", "1.0 / 3", "0.333333333333", "1.0 / 3", 1 / 3),
    ("D-11", "(SELECT AVG(a) FROM (VALUES (1.5), (1.0)) AS v (a))", "1.250000",
     "(SELECT AVG(a) FROM (VALUES (1.5), (1.0)) AS v (a))", 1.25),
    ("D-13", "SUBSTRING('abc' FROM -1 FOR 3)", "a", "substring('abc', -1, 3)", "c"),
    ("D-13", "SUBSTRING('abc' FROM 2 FOR -1)", "INVALID_ARGUMENT", "substring('abc', 2, -1)", "a"),
    ("D-15", "SOME(TRUE)", True, "bool_or(TRUE)", True),
    ("D-16", "UPPER('\u00df')", "SS", "upper('\u00df')", "\u1e9e"),
    ("D-17", "0E0 / 0E0 = 0E0 / 0E0", False, "0E0 / 0E0 = 0E0 / 0E0", True),
    ("D-18", "(SELECT SUM(a) FROM (VALUES (1E308), (1E308), (-1E308)) AS v (a))", 1e308,
     "(SELECT SUM(a) FROM (VALUES (1E308), (1E308), (-1E308)) AS v (a))", float("inf")),
    ("D-19", "LN(0)", "INVALID_ARGUMENT", "ln(0)", float("-inf")),
    ("D-20", "CAST(1.5E0 AS VARCHAR)", "1.5E0", "CAST(1.5E0 AS VARCHAR)", "1.5"),
    ("D-20", "CAST(TRUE AS VARCHAR)", "TRUE", "CAST(TRUE AS VARCHAR)", "true"),
    ("D-20", "CAST('abcd' AS VARCHAR(2))", "ab", "CAST('abcd' AS VARCHAR(2))", "abcd"),
    ("D-21", "EXTRACT(EPOCH FROM TIMESTAMP '1969-12-31 23:59:59.500')", -1,
     "EXTRACT(EPOCH FROM TIMESTAMP '1969-12-31 23:59:59.500')", -0.5),
)  # fmt: skip

#: The same for SQLite.
SQLITE: Final[tuple[tuple[str, str, Wire, str, object], ...]] = (
    ("D-04", "DATE '9999-12-31' + INTERVAL '1' DAY", "OVERFLOW", "date('9999-12-31', '+1 day')",
     None),
    ("D-08", "5 / 0", "DIVISION_BY_ZERO", "5 / 0", None),
    ("D-13", "SUBSTRING('abc' FROM -1 FOR 3)", "a", "substr('abc', -1, 3)", "c"),
    ("D-16", "UPPER('\u00e9')", "\u00c9", "upper('\u00e9')", "\u00e9"),
    ("D-31", "0.1 + 0.2 = 0.3", True, "0.1 + 0.2 = 0.3", 0),
    ("D-32", "2147483647 + 1", "OVERFLOW", "2147483647 + 1", 2147483648),
    ("D-34", "DATE '2015-01-31' + INTERVAL '1' MONTH", "2015-02-28",
     "date('2015-01-31', '+1 month')", "2015-03-03"),
    ("D-35", "'a' LIKE 'A'", False, "'a' LIKE 'A'", 1),
    ("D-36", "(SELECT a FROM (VALUES (1), (2)) AS v (a))", "SCALAR_SUBQUERY_ROWS",
     "(SELECT 1 UNION ALL SELECT 2)", 1),
    ("D-37", "CAST(9007199254740993 AS DOUBLE) = 9007199254740993", True,
     "CAST(9007199254740993 AS REAL) = 9007199254740993", 0),
)  # fmt: skip


def rowtime(expression: str) -> Wire:
    """The value of an expression in the reference, or the code of its error."""
    backend = ReferenceBackend()
    reply = backend.open(Open("", f"SELECT {expression} AS x FROM (VALUES (1)) AS t (a)"))
    assert isinstance(reply, Accepted), reply
    backend.feed(End())
    output = backend.poll()
    return output.rows[0][0] if output.error is None else output.error.code


@pytest.mark.parametrize(
    ("number", "ours", "right", "theirs", "left"), DUCKDB, ids=[f"{e[0]} {e[1]}" for e in DUCKDB]
)
def test_rowtime_and_duckdb_differ_as_documented(
    number: str, ours: str, right: Wire, theirs: str, left: object
) -> None:
    row = duckdb.connect().execute(f"SELECT {theirs}").fetchone()
    assert row is not None
    assert (rowtime(ours), row[0]) == (right, left)
    assert f"**{number}**" in _DOCUMENT.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("number", "ours", "right", "theirs", "left"), SQLITE, ids=[f"{e[0]} {e[1]}" for e in SQLITE]
)
def test_rowtime_and_sqlite_differ_as_documented(
    number: str, ours: str, right: Wire, theirs: str, left: object
) -> None:
    connection = sqlite3.connect(":memory:")
    row = connection.execute(f"SELECT {theirs}").fetchone()
    connection.close()
    assert (rowtime(ours), row[0]) == (right, left)
    assert f"**{number}**" in _DOCUMENT.read_text(encoding="utf-8")


def test_duckdb_adds_to_a_key_of_range_in_the_type_of_the_key() -> None:
    """D-12: an offset beyond the type is an error there; here all rows are on one side of it."""
    frame = "OVER (ORDER BY a RANGE BETWEEN 1 PRECEDING AND CURRENT ROW)"
    with pytest.raises(duckdb.OutOfRangeException):
        duckdb.connect().execute(
            f"SELECT COUNT(*) {frame} FROM (VALUES (CAST(-2147483648 AS INTEGER)), (5)) AS t (a)"
        ).fetchall()
    backend = ReferenceBackend()
    reply = backend.open(
        Open("", f"SELECT COUNT(*) {frame} AS n FROM (VALUES (-2147483648), (5)) AS t (a)")
    )
    assert isinstance(reply, Accepted), reply
    backend.feed(End())
    assert backend.poll().rows == ((1,), (1,))


def test_nulls_go_where_each_engine_puts_them() -> None:
    """D-01: last ascending and first descending here; DuckDB last; SQLite as the least value."""
    values = "(SELECT 1 AS a UNION ALL SELECT NULL) AS t"
    lite = sqlite3.connect(":memory:")
    duck = duckdb.connect()
    asked = [f"SELECT a FROM {values} ORDER BY a{direction}" for direction in ("", " DESC")]
    assert [duck.execute(each).fetchall() for each in asked] == [[(1,), (None,)]] * 2
    assert [lite.execute(each).fetchall() for each in asked] == [
        [(None,), (1,)],
        [(1,), (None,)],
    ]
    lite.close()
    ours: list[object] = []
    for direction in ("", " DESC"):
        backend = ReferenceBackend()
        query = f"SELECT a FROM (VALUES (1), (NULL)) AS t (a) ORDER BY a{direction}"
        reply = backend.open(Open("", query))
        assert isinstance(reply, Accepted), reply
        backend.feed(End())
        ours.append(backend.poll().rows)
    assert ours == [((1,), (None,)), ((None,), (1,))]
