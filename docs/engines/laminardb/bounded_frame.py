"""A query with a bounded frame answers with the columns of the source in place of the sum.

The sum over the row and the one before it is 1 and 3.  README, Querying: "SQL queries" are run over
the rows of a source.  Without the frame the sum is right.

Run with: pip install laminardb==0.17.0 pyarrow; python bounded_frame.py
"""

import sys

import laminardb

EXPECTED = [(1, 1), (2, 3)]

connection = laminardb.open(":memory:")
connection.execute("CREATE SOURCE events (i BIGINT, v BIGINT)")
connection.insert("events", {"i": [1, 2], "v": [70, 80]})
result = connection.sql("""
    SELECT i, SUM(i) OVER (ORDER BY i ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS s FROM events
""")
actual = [tuple(row.values()) for row in result.arrow().to_pylist()]
print("expected", *EXPECTED, sep="\n  ")
print("actual", *actual, sep="\n  ")
sys.exit(sorted(actual) != EXPECTED)
