"""DuckDB: the DOUBLE 3 as a DECIMAL with thirty digits is not 3.

Expected: 3.  SQL:2016 6.13, cast specification: if the target type has a representation of the
value, without loss of its leading digits, the result is that representation.  3 is a DOUBLE and a
DECIMAL(38, 30) exactly; nothing is to be rounded.

Needs the package duckdb.  Exit status 1: the result is another one.
"""

import sys
from decimal import Decimal

import duckdb

SQL = "SELECT CAST(CAST(3 AS DOUBLE) AS DECIMAL(38, 30))"
EXPECTED = [(Decimal(3),)]

actual = duckdb.connect().execute(SQL).fetchall()
print(f"DuckDB {duckdb.__version__}: {SQL}")
print(f"expected: {EXPECTED}")
print(f"actual:   {actual}")
sys.exit(actual != EXPECTED)
