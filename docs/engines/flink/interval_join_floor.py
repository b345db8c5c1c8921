"""An interval join loses a pair if FLOOR is in its bounds.

The order of 10:18:07 and the shipment of 10:18:06 are in one hour, and so satisfy the condition.

Documentation, Joins, Interval Joins: "Returns a simple Cartesian product restricted by the join
condition and a time constraint.  An interval join requires at least one equi-join predicate and a
join condition that bounds the time on both sides."  In batch mode the same join has both pairs.

Run with: pip install apache-flink==2.3.0; python interval_join_floor.py
"""

import sys
import tempfile
from pathlib import Path

from pyflink.table import EnvironmentSettings, TableEnvironment

folder = tempfile.mkdtemp()
Path(folder, "orders").write_text("1,2015-02-15 10:17:00\n2,2015-02-15 10:18:07\n")
Path(folder, "shipments").write_text("2,2015-02-15 10:18:06\n1,2015-02-15 10:55:00\n")

TABLE = """
    CREATE TABLE {name} (id INT, t TIMESTAMP(3), WATERMARK FOR t AS t - INTERVAL '0.001' SECOND)
    WITH ('connector' = 'filesystem', 'path' = 'file://{path}', 'format' = 'csv')
"""
QUERY = """
    SELECT o.id, CAST(o.t AS STRING), CAST(s.t AS STRING)
    FROM orders AS o JOIN shipments AS s ON o.id = s.id
      AND s.t >= FLOOR(o.t TO HOUR) AND s.t < FLOOR(o.t TO HOUR) + INTERVAL '1' HOUR
"""
EXPECTED = [
    (1, "2015-02-15 10:17:00.000", "2015-02-15 10:55:00.000"),
    (2, "2015-02-15 10:18:07.000", "2015-02-15 10:18:06.000"),
]

environment = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
environment.get_config().set("parallelism.default", "1")
for name in ("orders", "shipments"):
    environment.execute_sql(TABLE.format(name=name, path=Path(folder, name)))
with environment.execute_sql(QUERY).collect() as rows:
    actual = [tuple(row) for row in rows]
print("expected", *EXPECTED, sep="\n  ")
print("actual", *actual, sep="\n  ")
sys.exit(sorted(actual, key=str) != sorted(EXPECTED, key=str))
