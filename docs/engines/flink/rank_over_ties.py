"""RANK() and DENSE_RANK() over a stream count the peers of a row.

Two rows of one time after a first row have rank 3, where it is 2; and so has their DENSE_RANK, with
a gap after 1.

Documentation, System (Built-in) Functions, Aggregate Functions, ROW_NUMBER: "RANK provides the same
numeric value for ties (for example 1, 2, 2, 4, 5)."  DENSE_RANK: "Unlike the function rank,
dense_rank will not produce gaps in the ranking sequence."  So says SQL:2016 (ISO/IEC 9075-2), 6.10,
window function: RANK is 1 plus the number of rows that precede the row and are not peers of it;
DENSE_RANK is the number of distinct rows up to it.

Run with: pip install apache-flink==2.3.0; python rank_over_ties.py
"""

import sys
import tempfile
from pathlib import Path

from pyflink.table import EnvironmentSettings, TableEnvironment

folder = tempfile.mkdtemp()
Path(folder, "s").write_text(
    "2015-02-15 10:00:00,1\n2015-02-15 10:01:00,2\n2015-02-15 10:01:00,3\n2015-02-15 10:02:00,4\n"
)

TABLE = """
    CREATE TABLE {name} (t TIMESTAMP(3), v INT, WATERMARK FOR t AS t - INTERVAL '0.001' SECOND)
    WITH ('connector' = 'filesystem', 'path' = 'file://{path}', 'format' = 'csv')
"""
QUERY = """
    SELECT v, RANK() OVER (ORDER BY t), DENSE_RANK() OVER (ORDER BY t)
    FROM s
"""
EXPECTED = [
    (1, 1, 1),
    (2, 2, 2),
    (3, 2, 2),
    (4, 4, 3),
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
