"""SQLite 3.40.1: a RIGHT JOIN after a join with a constant condition loses its rows.

Expected: the row of c, padded.  SQL:2016 7.10, joined table: a RIGHT JOIN keeps each row of its
right side.  SQLite 3.40.1 takes the constant condition of the first join for one of the whole
query; SQLite 3.54.1 does not.

Needs Python's own sqlite3.  Exit status 1: the result is another one.
"""

import sqlite3
import sys

SQL = """
SELECT a.x, b.x, c.x
FROM (SELECT 1 AS x) AS a JOIN (SELECT 2 AS x) AS b ON FALSE
RIGHT JOIN (SELECT 3 AS x) AS c ON TRUE
"""
EXPECTED = [(None, None, 3)]

actual = sqlite3.connect(":memory:").execute(SQL).fetchall()
print(f"SQLite {sqlite3.sqlite_version}: {SQL}")
print(f"expected: {EXPECTED}")
print(f"actual:   {actual}")
sys.exit(actual != EXPECTED)
