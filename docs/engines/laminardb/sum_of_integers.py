"""SUM of an INT column over a window ends the engine's worker, and no row is emitted from then on.

Standard error shows that the thread has panicked, but the state of the pipeline is still "Running".
README, Windowed aggregations: "Use them in GROUP BY clauses to aggregate data over sliding or fixed
time intervals".  SUM of a BIGINT has its rows, and so has SUM of an INT if the window is not in the
select list.

Run with: pip install laminardb==0.17.0 pyarrow; python sum_of_integers.py
"""

import sys
import time

import laminardb
import pyarrow as pa

EXPECTED = [(3,)]

connection = laminardb.open(":memory:")
connection.execute(
    "CREATE SOURCE events (ts BIGINT, v INT, WATERMARK FOR ts AS ts - INTERVAL '0' SECOND)"
)
connection.execute("""
    CREATE STREAM answer AS SELECT tumble(ts, INTERVAL '1' HOUR) AS w, SUM(v) AS s FROM events
    GROUP BY tumble(ts, INTERVAL '1' HOUR) EMIT ON WINDOW CLOSE
""")
connection.start()
subscription = connection.subscribe_stream("answer")
for row in ({"ts": 600_000, "v": 1}, {"ts": 1_200_000, "v": 2}, {"ts": 3_600_000, "v": 4}):
    connection.insert("events", pa.Table.from_pylist([row], schema=connection.schema("events")))
    time.sleep(0.5)  # five of the engine's cycles
actual = []
while (batch := subscription.try_next()) is not None:
    actual += [(row["s"],) for row in batch.arrow().to_pylist()]
print("expected", *EXPECTED, sep="\n  ")
print("actual", *actual, sep="\n  ")
print("state", connection.pipeline_state, connection.metrics())
sys.exit(actual != EXPECTED)
