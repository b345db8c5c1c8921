"""Rows whose keys are 0.0 and -0.0 stand in two groups, if the group has another key, too.

SQL:2016 (ISO/IEC 9075-2), 7.13, group by clause: rows whose grouping columns are not distinct are
one group, and by 8.15 two values are not distinct if they are equal.  Flink itself answers TRUE to
v = -v for both rows.

Run with: pip install apache-flink==2.3.0; python zeros_of_both_signs.py
"""

import sys
import tempfile
from pathlib import Path

from pyflink.table import EnvironmentSettings, TableEnvironment

folder = tempfile.mkdtemp()
Path(folder, "s").write_text("2015-02-15 10:00:00,1,0.0\n2015-02-15 10:01:00,1,-0.0\n")

TABLE = """
    CREATE TABLE {name} (t TIMESTAMP(3), i INT, v DOUBLE,
      WATERMARK FOR t AS t - INTERVAL '0.001' SECOND)
    WITH ('connector' = 'filesystem', 'path' = 'file://{path}', 'format' = 'csv',
      'csv.null-literal' = 'NULL')
"""
QUERY = """
    SELECT i, COUNT(*) FROM TABLE(TUMBLE(TABLE s, DESCRIPTOR(t), INTERVAL '1' HOUR))
    WHERE v = -v GROUP BY window_start, window_end, i, v
"""
EXPECTED = [
    (1, 2),
]

environment = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
environment.get_config().set("parallelism.default", "1")
environment.execute_sql(TABLE.format(name="s", path=Path(folder, "s")))
with environment.execute_sql(QUERY).collect() as rows:
    actual = [tuple(row) for row in rows]
print("expected", *EXPECTED, sep="\n  ")
print("actual", *actual, sep="\n  ")
sys.exit(sorted(actual, key=str) != sorted(EXPECTED, key=str))
