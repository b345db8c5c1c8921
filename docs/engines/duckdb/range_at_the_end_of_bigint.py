"""DuckDB: RANGE by a distance fails near the end of the key's type.

Expected: two rows in the first frame, one in the second.  SQL:2016 7.15, window clause: with
BETWEEN CURRENT ROW AND 5 FOLLOWING the frame's rows are those whose key is at most 5 greater.
That question has an answer for the greatest keys, too: there are no greater ones.  (PostgreSQL
has it so.)

Needs the package duckdb.  Exit status 1: the result is another one.
"""

import sys

import duckdb

SQL = """
SELECT x, COUNT(*) OVER (ORDER BY x RANGE BETWEEN CURRENT ROW AND 5 FOLLOWING) AS n
FROM (VALUES (9223372036854775800), (9223372036854775805)) AS t (x)
ORDER BY x
"""
EXPECTED = [(9223372036854775800, 2), (9223372036854775805, 1)]

try:
    actual: object = duckdb.connect().execute(SQL).fetchall()
except duckdb.Error as error:
    actual = str(error).splitlines()[0]
print(f"DuckDB {duckdb.__version__}: {SQL}")
print(f"expected: {EXPECTED}")
print(f"actual:   {actual}")
sys.exit(actual != EXPECTED)
