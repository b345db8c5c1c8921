"""SUM over a sliding frame is NaN for ever once an infinity or a NaN has left the frame.

The frame of the third row has the third row alone, and of the fourth the last two.

Documentation, Over Aggregation: "OVER aggregates compute an aggregated value for every input row
over a range of ordered rows."  SUM: "returns the sum of expression across all input rows".  The
infinity is in none of the last two ranges.

Run with: pip install apache-flink==2.3.0; python sum_after_infinity.py
"""

import sys
import tempfile
from pathlib import Path

from pyflink.table import EnvironmentSettings, TableEnvironment

folder = tempfile.mkdtemp()
Path(folder, "s").write_text(
    "2015-02-15 10:00:00,Infinity\n2015-02-15 10:05:00,1\n2015-02-15 12:00:00,2\n"
    "2015-02-15 12:30:00,4\n"
)

TABLE = """
    CREATE TABLE {name} (t TIMESTAMP(3), v STRING, WATERMARK FOR t AS t - INTERVAL '0.001' SECOND)
    WITH ('connector' = 'filesystem', 'path' = 'file://{path}', 'format' = 'csv')
"""
QUERY = """
    SELECT CAST(t AS STRING), CAST(SUM(CAST(v AS DOUBLE)) OVER (
      ORDER BY t RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW) AS STRING)
    FROM s
"""
EXPECTED = [
    ("2015-02-15 10:00:00.000", "Infinity"),
    ("2015-02-15 10:05:00.000", "Infinity"),
    ("2015-02-15 12:00:00.000", "2.0"),
    ("2015-02-15 12:30:00.000", "6.0"),
]

environment = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
environment.get_config().set("parallelism.default", "1")
for name in ("s",):
    environment.execute_sql(TABLE.format(name=name, path=Path(folder, name)))
with environment.execute_sql(QUERY).collect() as rows:
    actual = [tuple(row) for row in rows]
print("expected", *EXPECTED, sep="\n  ")
print("actual", *actual, sep="\n  ")
sys.exit(sorted(actual, key=str) != sorted(EXPECTED, key=str))
