"""The rows of chDB's materialized views, next to the answers of the queries that define them.

The statements of docs/engines/chdb.md about materialized views, each tried on the engine; exit
status 1 if one of them does not hold.  It imports nothing of rowtime.

Run with: pip install chdb==4.4.0; python materialized_views.py
"""

import importlib
import json
import sys
import tempfile
from typing import Any

ENGINE = "ENGINE = MergeTree ORDER BY k"
SUM = "SELECT k, sum(v) AS total FROM s GROUP BY k"
PAIRS = "SELECT s.k AS k, v, name FROM s JOIN r ON s.k = r.k"
SCRIPT = f"""
  CREATE DATABASE views;
  USE views;
  CREATE TABLE s (k Int32, v Int32) {ENGINE};
  CREATE TABLE r (k Int32, name String) {ENGINE};
  CREATE MATERIALIZED VIEW sums {ENGINE} AS {SUM};
  CREATE MATERIALIZED VIEW states ENGINE = AggregatingMergeTree ORDER BY k
    AS SELECT k, sumState(v) AS total FROM s GROUP BY k;
  CREATE MATERIALIZED VIEW pairs {ENGINE} AS {PAIRS}
"""
#: Statements, and then queries with their expected rows.
STEPS: list[tuple[list[str], list[tuple[str, list[list[object]]]]]] = [
    (
        ["INSERT INTO s VALUES (1, 10), (2, 20)", "INSERT INTO s VALUES (1, 5)"],
        [
            (SUM, [[1, 15], [2, 20]]),
            ("SELECT * FROM sums", [[1, 5], [1, 10], [2, 20]]),
            ("SELECT k, sumMerge(total) FROM states GROUP BY k", [[1, 15], [2, 20]]),
        ],
    ),
    (
        ["INSERT INTO r VALUES (1, 'one')"],
        [(PAIRS, [[1, 5, "one"], [1, 10, "one"]]), ("SELECT * FROM pairs", [])],
    ),
    (["INSERT INTO s VALUES (1, 7)"], [("SELECT * FROM pairs", [[1, 7, "one"]])]),
    (
        ["ALTER TABLE s DELETE WHERE k = 2 SETTINGS mutations_sync = 2"],
        [(SUM, [[1, 22]]), ("SELECT * FROM sums", [[1, 5], [1, 7], [1, 10], [2, 20]])],
    ),
    (
        ["ALTER TABLE s UPDATE v = 0 WHERE k = 1 SETTINGS mutations_sync = 2"],
        [(SUM, [[1, 0]]), ("SELECT * FROM sums", [[1, 5], [1, 7], [1, 10], [2, 20]])],
    ),
    (
        ["DELETE FROM s WHERE k = 1"],
        [(SUM, []), ("SELECT * FROM sums", [[1, 5], [1, 7], [1, 10], [2, 20]])],
    ),
    (
        [
            "INSERT INTO s VALUES (3, 1)",
            f"CREATE MATERIALIZED VIEW again REFRESH EVERY 1 HOUR {ENGINE} AS {SUM}",
            "SYSTEM WAIT VIEW again",
        ],
        [("SELECT * FROM again", [[3, 1]])],
    ),
    (
        ["INSERT INTO s VALUES (3, 4)"],
        [(SUM, [[3, 5]]), ("SELECT * FROM again", [[3, 1]])],
    ),
    (
        ["SYSTEM REFRESH VIEW again", "SYSTEM WAIT VIEW again"],
        [("SELECT * FROM again", [[3, 5]])],
    ),
]


def rows_of(session: Any, query: str) -> list[list[object]]:
    """The rows of a query, sorted."""
    lines = str(session.query(query, "JSONCompactEachRow")).splitlines()
    return sorted(json.loads(line) for line in lines)


def main() -> None:
    """Print each query with its rows; exit status 1 if they are not those of `STEPS`."""
    session = importlib.import_module("chdb.session").Session(tempfile.mkdtemp())
    for statement in SCRIPT.split(";"):
        session.query(statement.strip())
    differs = False
    for statements, queries in STEPS:
        for statement in statements:
            session.query(statement)
            print(statement)
        for query, expected in queries:
            found = rows_of(session, query)
            differs = differs or found != expected
            print(f"  {query}: {found}", "" if found == expected else f"EXPECTED {expected}")
    sys.exit(differs)


if __name__ == "__main__":
    main()
