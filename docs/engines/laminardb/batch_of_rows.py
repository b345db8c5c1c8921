"""Of a batch of ascending rows, only those at the time of the last one are emitted.

No row is late: each comes after those before it, and the watermark is the time of the last row.
README, Watermarks: "A watermark is a timestamp that declares: all events with timestamps up to this
point have been seen".  The engine moves the watermark to the last row of the batch before it reads
the first one.

Run with: pip install laminardb==0.17.0 pyarrow; python batch_of_rows.py
"""

import sys
import time

import laminardb

EXPECTED = [(1000,), (2000,), (3000,)]

connection = laminardb.open(":memory:")
connection.execute(
    "CREATE SOURCE events (ts BIGINT, v BIGINT, WATERMARK FOR ts AS ts - INTERVAL '0' SECOND)"
)
connection.execute("CREATE STREAM answer AS SELECT ts FROM events")
connection.start()
subscription = connection.subscribe_stream("answer")
connection.insert("events", {"ts": [1000, 2000, 3000], "v": [1, 2, 3]})
time.sleep(1)  # ten of the engine's cycles
actual = []
while (batch := subscription.try_next()) is not None:
    actual += [(row["ts"],) for row in batch.arrow().to_pylist()]
print("expected", *EXPECTED, sep="\n  ")
print("actual", *actual, sep="\n  ")
sys.exit(actual != EXPECTED)
