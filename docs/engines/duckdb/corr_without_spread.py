"""DuckDB: CORR of values without spread is NaN.

Expected: NULL.  SQL:2016 10.9, aggregate function: if N times the sum of the squares of X equals
the square of the sum of X, the result of CORR is the null value.  (DuckDB has chosen NaN since 1.1,
as for 0 / 0: its issue 14249.)

Needs the package duckdb.  Exit status 1: the result is another one.
"""

import sys

import duckdb

SQL = "SELECT CORR(y, x) FROM (VALUES (1, 1), (2, 1)) AS t (y, x)"
EXPECTED = [(None,)]

actual = duckdb.connect().execute(SQL).fetchall()
print(f"DuckDB {duckdb.__version__}: {SQL}")
print(f"expected: {EXPECTED}")
print(f"actual:   {actual}")
sys.exit(actual != EXPECTED)
