"""DISTINCT emits a key again in each cycle of the engine.

README, Streams: "Streams are continuously-updated SQL queries".  The rows of the answer are not
distinct, and the query is not rejected.

Run with: pip install laminardb==0.17.0 pyarrow; python distinct_keys.py
"""

import sys
import time

import laminardb

SOURCE = """
    ts BIGINT, k VARCHAR, v BIGINT, WATERMARK FOR ts AS ts - INTERVAL '0' SECOND
"""
STREAM = """
    SELECT DISTINCT k FROM events
"""
STEPS: list[dict[str, object] | int] = [
    {"ts": 1000, "k": "a", "v": 1},
    {"ts": 2000, "k": "a", "v": 2},
    {"ts": 3000, "k": "b", "v": 4},
]
EXPECTED = [("a",), ("b",)]

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
            actual += [tuple(row[each] for each in ("k",)) for row in batch.arrow().to_pylist()]
print("expected", *EXPECTED, sep="\n  ")
print("actual", *actual, sep="\n  ")
sys.exit(sorted(actual, key=str) != sorted(EXPECTED, key=str))
