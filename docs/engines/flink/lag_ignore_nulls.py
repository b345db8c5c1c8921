"""LAG(v) IGNORE NULLS over a stream is accepted, and does not ignore NULLs.

SQL:2016 (ISO/IEC 9075-2), 6.10, window function, null treatment: with IGNORE NULLS the rows whose
value is NULL do not count.  The last value before 4 that is not NULL is 1.  Either of the two, a
result without the NULL or a refusal, would be right; the words are parsed, and have no effect.

Run with: pip install apache-flink==2.3.0; python lag_ignore_nulls.py
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
    SELECT v, LAG(v) IGNORE NULLS OVER (ORDER BY t) FROM s
"""
EXPECTED = [
    (1, None),
    (None, 1),
    (4, 1),
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
