"""DuckDB 2.0.0: the least INTEGER modulo -1 is an error; with 2.0.1 it is 0.

Expected: 0.  SQL:2016 6.30, numeric value function: MOD(n, m) is the number r with the sign of n,
of a smaller magnitude than m, for which n = m * k + r with an exact k.  Here r is 0, which is in
the range of INTEGER; that the quotient k is not does not concern it.  (PostgreSQL has it so.)

Needs the package duckdb.  Exit status 1: the result is another one.
"""

import sys

import duckdb

SQL = "SELECT CAST(-2147483648 AS INTEGER) % CAST(-1 AS INTEGER)"
EXPECTED = [(0,)]

try:
    actual: object = duckdb.connect().execute(SQL).fetchall()
except duckdb.Error as error:
    actual = str(error).splitlines()[0]
print(f"DuckDB {duckdb.__version__}: {SQL}")
print(f"expected: {EXPECTED}")
print(f"actual:   {actual}")
sys.exit(actual != EXPECTED)
