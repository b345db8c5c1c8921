"""A running sum counts only the rows of the engine's current cycle.

Each row arrives in a cycle of its own.  README, Streams: "Streams are continuously-updated SQL
queries".  The query is not rejected.

Run with: pip install laminardb==0.17.0 pyarrow; python running_sum.py
"""

import sys
import time

import laminardb

SOURCE = """
    ts BIGINT, k VARCHAR, v BIGINT, WATERMARK FOR ts AS ts - INTERVAL '0' SECOND
"""
STREAM = """
    SELECT ts, SUM(v) OVER (ORDER BY ts) AS s FROM events
"""
STEPS: list[dict[str, object] | int] = [
    {"ts": 1000, "k": "a", "v": 1},
    {"ts": 2000, "k": "a", "v": 2},
    {"ts": 3000, "k": "a", "v": 4},
]
EXPECTED = [(1000, 1), (2000, 3), (3000, 7)]

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
                tuple(row[each] for each in ("ts", "s")) for row in batch.arrow().to_pylist()
            ]
print("expected", *EXPECTED, sep="\n  ")
print("actual", *actual, sep="\n  ")
sys.exit(sorted(actual, key=str) != sorted(EXPECTED, key=str))
