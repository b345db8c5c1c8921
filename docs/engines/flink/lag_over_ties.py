"""LAG over a stream gives a row its own value where rows have the same time.

Of two rows with v = 2 and v = 3 and one time, both have LAG(v) = 2: one of them has its own value,
and the value 1 of the row before both is nowhere.

SQL:2016 (ISO/IEC 9075-2), 6.10, window function: LAG is the value in a row that is some rows before
the current row; peers are in some order, in which no row is before itself.  Documentation, System
(Built-in) Functions, Aggregate Functions: LAG "returns the value of expression at the offsetth row
before the current row in the window".  Whichever of the two rows comes first, 1 is one LAG, and the
first one's value the other.

Run with: pip install apache-flink==2.3.0; python lag_over_ties.py
"""

import sys
import tempfile
from pathlib import Path

from pyflink.table import EnvironmentSettings, TableEnvironment

folder = tempfile.mkdtemp()
Path(folder, "s").write_text(
    "2015-02-15 10:00:00,1\n2015-02-15 10:01:00,2\n2015-02-15 10:01:00,3\n"
)

TABLE = """
    CREATE TABLE {name} (t TIMESTAMP(3), v INT, WATERMARK FOR t AS t - INTERVAL '0.001' SECOND)
    WITH ('connector' = 'filesystem', 'path' = 'file://{path}', 'format' = 'csv')
"""
QUERY = """
    SELECT v, LAG(v) OVER (ORDER BY t) FROM s
"""
EXPECTED = [
    (1, None),
    (2, 1),
    (3, 2),
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
