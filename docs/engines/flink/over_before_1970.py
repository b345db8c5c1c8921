"""OVER with a bounded frame drops all rows at 1970-01-01 00:00 and before.

Of three rows one is emitted.  With UNBOUNDED PRECEDING, and from windows, all are emitted.

Documentation, Over Aggregation: "OVER aggregates compute an aggregated value for every input row
over a range of ordered rows. ... OVER aggregates do not reduce the number of result rows to a
single row for every group.  Instead OVER aggregates produce an aggregated value for every input
row."  The rows are in order, and no watermark is beyond them.

Run with: pip install apache-flink==2.3.0; python over_before_1970.py
"""

import sys
import tempfile
from pathlib import Path

from pyflink.table import EnvironmentSettings, TableEnvironment

folder = tempfile.mkdtemp()
Path(folder, "s").write_text(
    "1969-12-31 23:59:59,1\n1970-01-01 00:00:00,2\n1970-01-01 00:00:01,4\n"
)

TABLE = """
    CREATE TABLE {name} (t TIMESTAMP(3), v INT, WATERMARK FOR t AS t - INTERVAL '0.001' SECOND)
    WITH ('connector' = 'filesystem', 'path' = 'file://{path}', 'format' = 'csv')
"""
QUERY = """
    SELECT CAST(t AS STRING),
      SUM(v) OVER (ORDER BY t RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW)
    FROM s
"""
EXPECTED = [
    ("1969-12-31 23:59:59.000", 1),
    ("1970-01-01 00:00:00.000", 3),
    ("1970-01-01 00:00:01.000", 7),
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
