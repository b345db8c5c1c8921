"""0.0 and -0.0 make two groups.

SQL:2016 (ISO/IEC 9075-2), 7.13, group by clause, and 8.2, comparison: values that are equal are in
one group, and zero is equal to minus zero.  LaminarDB is built on DataFusion, which has mended this
in a later version: https://github.com/apache/datafusion/issues/22826

Run with: pip install laminardb==0.17.0 pyarrow; python zeros_of_both_signs.py
"""

import sys
import time

import laminardb

SOURCE = """
    ts BIGINT, v DOUBLE, WATERMARK FOR ts AS ts - INTERVAL '0' SECOND
"""
STREAM = """
    SELECT v, COUNT(*) AS c FROM events
    GROUP BY v, tumble(ts, INTERVAL '1' HOUR) EMIT ON WINDOW CLOSE
"""
STEPS: list[dict[str, object] | int] = [
    {"ts": 600000, "v": 0.0},
    {"ts": 1200000, "v": -0.0},
    {"ts": 3600000, "v": 1.0},
]
EXPECTED = [(0.0, 2)]

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
            actual += [tuple(row[each] for each in ("v", "c")) for row in batch.arrow().to_pylist()]
print("expected", *EXPECTED, sep="\n  ")
print("actual", *actual, sep="\n  ")
sys.exit(sorted(actual, key=str) != sorted(EXPECTED, key=str))
