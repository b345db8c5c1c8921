"""DuckDB: an aggregate's argument is evaluated for rows that its FILTER drops.

Expected: 3.  SQL:2016 10.9, aggregate function: the FILTER's condition is evaluated for each row,
and the argument is applied to the rows for which it is true.  DuckDB's page on FILTER: it filters
the rows of data that are fed into the aggregate function in the same way that a WHERE clause
filters rows.

Needs the package duckdb.  Exit status 1: the result is another one.
"""

import sys

import duckdb

SQL = "SELECT SUM(6 // x) FILTER (WHERE x <> 0) FROM (VALUES (0), (2)) AS t (x)"
EXPECTED = [(3,)]

try:
    actual: object = duckdb.connect().execute(SQL).fetchall()
except duckdb.Error as error:
    actual = str(error).splitlines()[0]
print(f"DuckDB {duckdb.__version__}: {SQL}")
print(f"expected: {EXPECTED}")
print(f"actual:   {actual}")
sys.exit(actual != EXPECTED)
