"""AVG over a window has no row.

README, Windowed aggregations: "SELECT device, AVG(value) AS avg_value, COUNT(*) AS cnt".  If the
window is not in the select list, the average is emitted.

Run with: pip install laminardb==0.17.0 pyarrow; python average_in_a_window.py
"""

import sys
import time

import laminardb

SOURCE = """
    ts BIGINT, k VARCHAR, v BIGINT, WATERMARK FOR ts AS ts - INTERVAL '0' SECOND
"""
STREAM = """
    SELECT tumble(ts, INTERVAL '1' HOUR) AS w, AVG(v) AS a FROM events
    GROUP BY tumble(ts, INTERVAL '1' HOUR) EMIT ON WINDOW CLOSE
"""
STEPS: list[dict[str, object] | int] = [
    {"ts": 600000, "k": "a", "v": 1},
    {"ts": 1200000, "k": "a", "v": 2},
    {"ts": 3600000, "k": "a", "v": 4},
]
EXPECTED = [(1.5,)]

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
            actual += [tuple(row[each] for each in ("a",)) for row in batch.arrow().to_pylist()]
print("expected", *EXPECTED, sep="\n  ")
print("actual", *actual, sep="\n  ")
sys.exit(sorted(actual, key=str) != sorted(EXPECTED, key=str))
