"""LAG with a default that is not NULL returns -1 where the value at the offset is NULL.

SQL:2016 (ISO/IEC 9075-2), 6.10, window function, lead or lag: the default stands for a row that is
not there.  The row at the offset 0 is the row itself, so the second result is its value, NULL.

Run with: pip install apache-flink==2.3.0; python lag_default_for_null.py
"""

import sys
import tempfile
from pathlib import Path

from pyflink.table import EnvironmentSettings, TableEnvironment

folder = tempfile.mkdtemp()
Path(folder, "s").write_text("2015-02-15 10:00:00,5,0\n2015-02-15 10:01:00,NULL,0\n")

TABLE = """
    CREATE TABLE {name} (t TIMESTAMP(3), v INT, n INT,
      WATERMARK FOR t AS t - INTERVAL '0.001' SECOND)
    WITH ('connector' = 'filesystem', 'path' = 'file://{path}', 'format' = 'csv',
      'csv.null-literal' = 'NULL')
"""
QUERY = """
    SELECT LAG(v, n, 9) OVER (ORDER BY t) FROM s
"""
EXPECTED = [
    (5,),
    (None,),
]

environment = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
environment.get_config().set("parallelism.default", "1")
environment.execute_sql(TABLE.format(name="s", path=Path(folder, "s")))
with environment.execute_sql(QUERY).collect() as rows:
    actual = [tuple(row) for row in rows]
print("expected", *EXPECTED, sep="\n  ")
print("actual", *actual, sep="\n  ")
sys.exit(sorted(actual, key=str) != sorted(EXPECTED, key=str))
