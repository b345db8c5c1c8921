"""SQLite 3.40.1: MIN and MAX ignore their FILTER if the frame of the window moves.

Expected: no value, then 7.  SQLite's page on window functions: "If a FILTER clause is provided,
then only rows for which the expr is true are included in the window frame."  The fault is known:
sqlite.work/filter-clause-ignored-in-sqlite-window-functions-with-min-max-and-non-unbounded-frames.
SQLite 3.54.1 does not have it.

Needs Python's own sqlite3.  Exit status 1: the result is another one.
"""

import sqlite3
import sys

SQL = """
SELECT i, MIN(v) FILTER (WHERE v > 5) OVER (ORDER BY i ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)
FROM (SELECT 1 AS i, 5 AS v UNION ALL SELECT 2, 7)
"""
EXPECTED = [(1, None), (2, 7)]

actual = sqlite3.connect(":memory:").execute(SQL).fetchall()
print(f"SQLite {sqlite3.sqlite_version}: {SQL}")
print(f"expected: {EXPECTED}")
print(f"actual:   {actual}")
sys.exit(actual != EXPECTED)
