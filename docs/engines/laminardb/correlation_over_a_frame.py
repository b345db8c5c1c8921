"""CORR over a frame of two rows emits no row, and the state of the pipeline is "Running".

README, Streams: "Streams are continuously-updated SQL queries".  The query is not rejected, and no
error is reported.  COVAR_POP and COVAR_SAMP over such a frame emit no row either; without the frame
they do.

Run with: pip install laminardb==0.17.0 pyarrow; python correlation_over_a_frame.py
"""

import sys
import time

import laminardb

SOURCE = """
    ts BIGINT, x DOUBLE, y DOUBLE, WATERMARK FOR ts AS ts - INTERVAL '0' SECOND
"""
STREAM = """
    SELECT ts, CORR(x, y) OVER (ORDER BY ts ROWS 1 PRECEDING) AS r FROM events
"""
STEPS: list[dict[str, object] | int] = [
    {"ts": 1000, "x": 0.25, "y": 0.5},
    {"ts": 2000, "x": 0.375, "y": 1.5},
]
EXPECTED = [(1000, None), (2000, 1.0)]

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
                tuple(row[each] for each in ("ts", "r")) for row in batch.arrow().to_pylist()
            ]
print("expected", *EXPECTED, sep="\n  ")
print("actual", *actual, sep="\n  ")
print("state", connection.pipeline_state)
sys.exit(sorted(actual, key=str) != sorted(EXPECTED, key=str))
