"""Whose an aggregate in a sub-query is: the reference says what DuckDB and SQLite say (S-512)."""

import sqlite3
from typing import Final

import duckdb
import pytest

from reference.backend import ReferenceBackend
from tck.protocol import Accepted, End, Load, Open

TABLES: Final[dict[str, tuple[str, list[tuple[int | None, ...]]]]] = {
    "E": ("ID INTEGER, G INTEGER, S INTEGER", [
        (1, 1, 10), (2, 1, 30), (3, 2, 20), (4, 2, None), (5, 3, 5), (6, None, 7),
    ]),
    "D": ("G INTEGER, LEAST_OF INTEGER", [(1, 35), (2, 20), (3, 1), (4, 0)]),
}  # fmt: skip

#: Texts that all three read.
QUERIES: Final = (
    "SELECT (SELECT MAX(e.s)) AS m FROM e",
    "SELECT (SELECT MAX(e.s) FROM d WHERE d.g = 1) AS m FROM e",
    "SELECT e.g, (SELECT COUNT(*) FROM d WHERE d.least_of < SUM(e.s)) AS n FROM e GROUP BY e.g",
    "SELECT e.g, (SELECT COUNT(*) + COUNT(e.s) FROM d) AS n FROM e GROUP BY e.g",
    "SELECT e.id, (SELECT MAX(e.id * 10 + d.g) FROM d) AS m FROM e",
    "SELECT e.id, (SELECT COUNT(e.s + d.g) FROM d) AS m FROM e",
    "SELECT e.g FROM e GROUP BY e.g HAVING SUM(e.s) > (SELECT MIN(d.g) + COUNT(e.id) FROM d)",
    "SELECT g, (SELECT (SELECT SUM(e.s) + d.g) FROM d WHERE g = 4) AS s FROM e GROUP BY g",
    "SELECT COUNT(*) AS c, (SELECT SUM(d.g) FROM d WHERE d.g <= COUNT(e.g)) AS s FROM e",
)
#: Texts that SQLite does not: an aggregate of HAVING's query in the WHERE of a sub-query.
OF_DUCKDB: Final = (
    "SELECT g FROM e GROUP BY g HAVING EXISTS (SELECT 1 FROM d WHERE d.least_of + 5 = MAX(e.s))",
    "SELECT e.g FROM e GROUP BY e.g HAVING e.g IN (SELECT d.g FROM d WHERE d.g >= COUNT(e.id))",
)


def answer_of_reference(sql: str) -> list[tuple[object, ...]]:
    backend = ReferenceBackend()
    ddl = "".join(f"CREATE TABLE {name} ({columns});" for name, (columns, _) in TABLES.items())
    answer = backend.open(Open(ddl, sql))
    assert isinstance(answer, Accepted), answer
    for name, (_, rows) in TABLES.items():
        backend.feed(Load(name, tuple(rows)))
    backend.feed(End())
    output = backend.poll()
    assert output.error is None, output.error
    return sorted(map(tuple, output.rows), key=str)


def query_for(connection: sqlite3.Connection | duckdb.DuckDBPyConnection, sql: str) -> object:
    for name, (columns, rows) in TABLES.items():
        connection.execute(f"DROP TABLE IF EXISTS {name}")
        connection.execute(f"CREATE TABLE {name} ({columns})")
        places = ", ".join("?" for _ in rows[0])
        connection.executemany(f"INSERT INTO {name} VALUES ({places})", rows)
    return sorted(map(tuple, connection.execute(sql).fetchall()), key=str)


@pytest.mark.parametrize("sql", [*QUERIES, *OF_DUCKDB])
def test_an_aggregate_is_of_the_innermost_query_that_it_takes_a_column_of(sql: str) -> None:
    found = answer_of_reference(sql)
    assert found
    assert query_for(duckdb.connect(), sql) == found
    if sql in QUERIES:
        assert query_for(sqlite3.connect(":memory:"), sql) == found
