"""Rows that are less than the gap apart are in sessions of their own.

The rows are 10 minutes apart, and the gap is 30 minutes.  README: "SESSION: Dynamic windows that
close after an inactivity gap".  SQL reference: "Windows that close after a period of inactivity.
Groups bursts of events".

Run with: pip install laminardb==0.17.0 pyarrow; python rows_of_one_session.py
"""

import sys
import time

import laminardb

SOURCE = """
    ts BIGINT, k VARCHAR, v BIGINT, WATERMARK FOR ts AS ts - INTERVAL '0' SECOND
"""
STREAM = """
    SELECT k, COUNT(*) AS c, SUM(v) AS s FROM events
    GROUP BY k, session(ts, INTERVAL '30' MINUTE) EMIT ON WINDOW CLOSE
"""
STEPS: list[dict[str, object] | int] = [
    {"ts": 600000, "k": "a", "v": 1},
    {"ts": 1200000, "k": "a", "v": 2},
    {"ts": 36000000, "k": "a", "v": 4},
]
EXPECTED = [("a", 2, 3)]

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
