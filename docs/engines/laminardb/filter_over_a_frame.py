"""A row is lost if the argument of an aggregate would fail for it, although FILTER drops the row.

SQL:2016 (ISO/IEC 9075-2), 10.9, aggregate function: the condition of FILTER is applied first, and
the argument then to the rows that are left.  OVER has a result for each row.

Run with: pip install laminardb==0.17.0 pyarrow; python filter_over_a_frame.py
"""

import sys
import time

import laminardb

SOURCE = """
    ts BIGINT, v BIGINT, WATERMARK FOR ts AS ts - INTERVAL '0' SECOND
"""
STREAM = """
    SELECT ts, SUM(10 / v) FILTER (WHERE v <> 0)
      OVER (ORDER BY ts ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS s FROM events
"""
STEPS: list[dict[str, object] | int] = [
    {"ts": 1000, "v": 0},
]
EXPECTED = [(1000, None)]

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
