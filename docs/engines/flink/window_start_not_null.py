"""TUMBLE_START fails in code generation by a rowtime NOT NULL, if the query has no aggregate.

"CodeGenException: Unsupported call: TUMBLE_START(TIMESTAMP(3) NOT NULL)".  With COUNT(*) among the
columns the query works, and without NOT NULL.  So it is with HOP_START.

Documentation, Window Aggregation, Group Window Aggregation, Selecting Group Window Start and End
Timestamps: TUMBLE_START "Returns the timestamp of the inclusive lower bound of the corresponding
tumbling, hopping, or session window"; "Auxiliary functions must be called with exactly same
arguments as the group window function in the GROUP BY clause."  No aggregate is required.

Run with: pip install apache-flink==2.3.0; python window_start_not_null.py
"""

import sys
import tempfile
from pathlib import Path

from pyflink.table import EnvironmentSettings, TableEnvironment

folder = tempfile.mkdtemp()
Path(folder, "s").write_text("2015-02-15 10:17:00,1\n")

TABLE = """
    CREATE TABLE {name} (t TIMESTAMP(3) NOT NULL, v INT,
      WATERMARK FOR t AS t - INTERVAL '0.001' SECOND)
    WITH ('connector' = 'filesystem', 'path' = 'file://{path}', 'format' = 'csv')
"""
QUERY = """
    SELECT CAST(TUMBLE_START(t, INTERVAL '1' HOUR) AS STRING)
    FROM s GROUP BY TUMBLE(t, INTERVAL '1' HOUR)
"""
EXPECTED = [("2015-02-15 10:00:00.000",)]

environment = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
environment.get_config().set("parallelism.default", "1")
for name in ("s",):
    environment.execute_sql(TABLE.format(name=name, path=Path(folder, name)))
try:
    with environment.execute_sql(QUERY).collect() as rows:
        actual = [tuple(row) for row in rows]
except Exception as error:  # the failure is what this shows
    actual = [line for line in str(error).splitlines() if "CodeGenException" in line][:1]
print("expected", *EXPECTED, sep="\n  ")
print("actual", *actual, sep="\n  ")
sys.exit(sorted(actual, key=str) != sorted(EXPECTED, key=str))
