"""OVER with RANGE INTERVAL on a TIMESTAMP does not compile in batch mode.

"CompileException: Cannot cast "org.apache.flink.table.data.TimestampData" to "java.lang.Long"".  In
streaming mode the same text works.

Documentation, Over Aggregation (labelled Batch and Streaming), RANGE intervals: "A RANGE interval
is defined on the values of the ORDER BY column, which is in case of Flink always a time attribute.
... RANGE BETWEEN INTERVAL '30' MINUTE PRECEDING AND CURRENT ROW".  Time Attributes, Event Time: "A
time attribute in a streaming environment can be a regular column of a row in a batch environment."

Run with: pip install apache-flink==2.3.0; python batch_over_range.py
"""

import sys
import tempfile
from pathlib import Path

from pyflink.table import EnvironmentSettings, TableEnvironment

folder = tempfile.mkdtemp()
Path(folder, "s").write_text(
    "2015-02-15 10:00:00,1\n2015-02-15 10:30:00,2\n2015-02-15 11:15:00,4\n"
)

TABLE = """
    CREATE TABLE {name} (t TIMESTAMP(3), v INT, WATERMARK FOR t AS t - INTERVAL '0.001' SECOND)
    WITH ('connector' = 'filesystem', 'path' = 'file://{path}', 'format' = 'csv')
"""
QUERY = """
    SELECT v, SUM(v) OVER (ORDER BY t RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW)
    FROM s
"""
EXPECTED = [(1, 1), (2, 3), (4, 6)]

environment = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
environment.get_config().set("parallelism.default", "1")
for name in ("s",):
    environment.execute_sql(TABLE.format(name=name, path=Path(folder, name)))
try:
    with environment.execute_sql(QUERY).collect() as rows:
        actual = [tuple(row) for row in rows]
except Exception as error:  # the failure is what this shows
    actual = [line for line in str(error).splitlines() if "CompileException" in line][:1]
print("expected", *EXPECTED, sep="\n  ")
print("actual", *actual, sep="\n  ")
sys.exit(sorted(actual, key=str) != sorted(EXPECTED, key=str))
