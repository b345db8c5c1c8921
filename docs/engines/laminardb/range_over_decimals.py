"""A RANGE frame over a DECIMAL emits no row, and the state of the pipeline is "Running".

README, Streams: "Streams are continuously-updated SQL queries".  The query is not rejected, and no
error is reported.

Run with: pip install laminardb==0.17.0 pyarrow; python range_over_decimals.py
"""

import sys
import time
from decimal import Decimal

import laminardb

SOURCE = """
    ts BIGINT, d DECIMAL(6, 2), v BIGINT, WATERMARK FOR ts AS ts - INTERVAL '0' SECOND
"""
STREAM = """
    SELECT ts, SUM(v) OVER (ORDER BY d RANGE 0.1 PRECEDING) AS s FROM events
"""
STEPS: list[dict[str, object] | int] = [
    {"ts": 1000, "d": Decimal("0.10"), "v": 1},
    {"ts": 2000, "d": Decimal("0.20"), "v": 2},
]
EXPECTED = [(1000, 1), (2000, 3)]

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
print("state", connection.pipeline_state)
sys.exit(sorted(actual, key=str) != sorted(EXPECTED, key=str))
