"""The average of DECIMALs wraps around without an error if their sum has more than 38 digits.

The average of 0.9 and 0.9 is 0.9, which is a DECIMAL(38, 38).  SQL:2016, part 2, 10.9, general
rules of AVG: the result is the sum divided by the number of values; an exact numeric result that
its type cannot represent is an exception ("numeric value out of range").

Run with: pip install laminardb==0.17.0 pyarrow; python average_of_38_digits.py
"""

import sys
from decimal import Decimal

import laminardb

EXPECTED = [Decimal("0.9")]

connection = laminardb.open(":memory:")
result = connection.sql("""
    SELECT AVG(CAST(x AS DECIMAL(38, 38))) AS a FROM (VALUES ('0.9'), ('0.9')) AS t (x)
""")
actual = [row["a"] for row in result.arrow().to_pylist()]
print("expected", *EXPECTED, sep="\n  ")
print("actual", *actual, sep="\n  ")
sys.exit(actual != EXPECTED)
