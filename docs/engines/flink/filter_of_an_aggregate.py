"""The argument of an aggregate is computed even for rows that its FILTER drops.

SQL:2016 (ISO/IEC 9075-2), 10.9, aggregate function, general rules: the condition of FILTER is
applied first, and the argument then to the rows that are left.  The row whose v is 0 is dropped.

Run with: pip install apache-flink==2.3.0; python filter_of_an_aggregate.py
"""

import sys
import tempfile
from pathlib import Path

from pyflink.table import EnvironmentSettings, TableEnvironment

folder = tempfile.mkdtemp()
Path(folder, "s").write_text("2015-02-15 10:00:00,0\n2015-02-15 10:01:00,2\n")

TABLE = """
    CREATE TABLE {name} (t TIMESTAMP(3), v INT,
      WATERMARK FOR t AS t - INTERVAL '0.001' SECOND)
    WITH ('connector' = 'filesystem', 'path' = 'file://{path}', 'format' = 'csv',
      'csv.null-literal' = 'NULL')
"""
QUERY = """
    SELECT SUM(10 / v) FILTER (WHERE v <> 0)
    FROM TABLE(TUMBLE(TABLE s, DESCRIPTOR(t), INTERVAL '1' HOUR)) GROUP BY window_start, window_end
"""
EXPECTED = [
    (5,),
]

environment = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
environment.get_config().set("parallelism.default", "1")
environment.execute_sql(TABLE.format(name="s", path=Path(folder, "s")))
try:
    with environment.execute_sql(QUERY).collect() as rows:
        actual = [tuple(row) for row in rows]
except Exception as error:  # the job fails
    actual = [next(each for each in str(error).splitlines() if "by zero" in each)]
print("expected", *EXPECTED, sep="\n  ")
print("actual", *actual, sep="\n  ")
sys.exit(sorted(actual, key=str) != sorted(EXPECTED, key=str))
