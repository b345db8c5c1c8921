"""A row of UNION ALL waits for a row of the other source, and is not emitted without one.

README, Streams: "Streams are continuously-updated SQL queries".  The third row belongs to the
answer, and no row of the other source follows it.

Run with: pip install laminardb==0.17.0 pyarrow; python union_of_two_sources.py
"""

import sys
import time

import laminardb

EXPECTED = [(1,), (2,), (3,)]

connection = laminardb.open(":memory:")
for name in ("a", "b"):
    connection.execute(f"CREATE SOURCE {name} (ts BIGINT, v BIGINT)")
connection.execute("CREATE STREAM answer AS SELECT v FROM a UNION ALL SELECT v FROM b")
connection.start()
subscription = connection.subscribe_stream("answer")
for source, row in (
    ("a", {"ts": 1000, "v": 1}),
    ("b", {"ts": 2000, "v": 2}),
    ("a", {"ts": 3000, "v": 3}),
):
    connection.insert(source, row)
    time.sleep(0.5)  # five of the engine's cycles
actual = []
while (batch := subscription.try_next()) is not None:
    actual += [(row["v"],) for row in batch.arrow().to_pylist()]
print("expected", *EXPECTED, sep="\n  ")
print("actual", *actual, sep="\n  ")
sys.exit(sorted(actual) != EXPECTED)
