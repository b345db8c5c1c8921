"""LAST_VALUE and FIRST_VALUE over a stream pass over NULLs.

The last value of a frame that ends with a NULL is the one before it.

SQL:2016 (ISO/IEC 9075-2), 6.10, window function, null treatment: where it is not written, RESPECT
NULLS is implicit; then the first or last value of a frame is that of its first or last row, NULL or
not.  Documentation, System (Built-in) Functions, Aggregate Functions: LAST_VALUE "returns the last
value in an ordered set of values", and nothing is said of NULLs.

Run with: pip install apache-flink==2.3.0; python last_value_null.py
"""

import sys
import tempfile
from pathlib import Path

from pyflink.table import EnvironmentSettings, TableEnvironment

folder = tempfile.mkdtemp()
Path(folder, "s").write_text(
    "2015-02-15 10:00:00,1\n2015-02-15 10:01:00,NULL\n2015-02-15 10:02:00,4\n"
)

TABLE = """
    CREATE TABLE {name} (t TIMESTAMP(3), v INT, WATERMARK FOR t AS t - INTERVAL '0.001' SECOND)
    WITH ('connector' = 'filesystem', 'path' = 'file://{path}', 'format' = 'csv',
      'csv.null-literal' = 'NULL')
"""
QUERY = """
    SELECT CAST(t AS STRING), LAST_VALUE(v) OVER (ORDER BY t),
      FIRST_VALUE(v) OVER (ORDER BY t)
    FROM s
"""
EXPECTED = [
    ("2015-02-15 10:00:00.000", 1, 1),
    ("2015-02-15 10:01:00.000", None, 1),
    ("2015-02-15 10:02:00.000", 4, 1),
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
