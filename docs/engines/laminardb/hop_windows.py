"""A row is in only one of the windows of HOP.

The row of 0:10 belongs to the windows that end at 0:30 and at 1:00, and the row of 0:50 to those
that end at 1:00 and at 1:30.  SQL reference, HOP: "Overlapping windows: each event appears in
multiple windows"; "Each event appears in size / slide windows".

Run with: pip install laminardb==0.17.0 pyarrow; python hop_windows.py
"""

import sys
import time

import laminardb

SOURCE = """
    ts BIGINT, k VARCHAR, v BIGINT, WATERMARK FOR ts AS ts - INTERVAL '0' SECOND
"""
STREAM = """
    SELECT k, COUNT(*) AS c, SUM(v) AS s FROM events
    GROUP BY k, hop(ts, INTERVAL '30' MINUTE, INTERVAL '1' HOUR) EMIT ON WINDOW CLOSE
"""
STEPS: list[dict[str, object] | int] = [
    {"ts": 600000, "k": "a", "v": 1},
    {"ts": 3000000, "k": "a", "v": 2},
    {"ts": 36000000, "k": "a", "v": 4},
]
EXPECTED = [("a", 1, 1), ("a", 2, 3), ("a", 1, 2)]

connection = laminardb.open(":memory:")
connection.execute(f"CREATE SOURCE events ({SOURCE})")
connection.execute(f"CREATE STREAM answer AS {STREAM}")
connection.start()
subscription = connection.subscribe_stream("answer")
actual = []
with connection.writer("events") as writer:
    for step in STEPS:  # a row, or a watermark
        if isinstance(step, int):
            writer.watermark(step)
        else:
            writer.insert(step)
            writer.flush()
        time.sleep(0.5)  # five of the engine's cycles
        while (batch := subscription.try_next()) is not None:
            actual += [
                tuple(row[each] for each in ("k", "c", "s")) for row in batch.arrow().to_pylist()
            ]
print("expected", *EXPECTED, sep="\n  ")
print("actual", *actual, sep="\n  ")
sys.exit(sorted(actual, key=str) != sorted(EXPECTED, key=str))
