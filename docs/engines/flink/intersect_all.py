"""INTERSECT ALL of tables with a time attribute keeps the rows that are in the second table only.

Of 10:00 and 10:10 on the left and 10:10 and 10:20 on the right, 10:10 alone is in both; 10:20 is
emitted, too.  Without WATERMARK, and in batch mode, the same query has 10:10 alone.

Documentation, Set Operations, INTERSECT: "INTERSECT and INTERSECT ALL return the rows that are
found in both tables."

Run with: pip install apache-flink==2.3.0; python intersect_all.py
"""

import sys
import tempfile
from datetime import datetime
from pathlib import Path

from pyflink.common import RowKind
from pyflink.table import EnvironmentSettings, TableEnvironment

folder = tempfile.mkdtemp()
Path(folder, "l").write_text("2015-02-15 10:00:00\n2015-02-15 10:10:00\n")
Path(folder, "r").write_text("2015-02-15 10:10:00\n2015-02-15 10:20:00\n")

TABLE = """
    CREATE TABLE {name} (t TIMESTAMP(3), WATERMARK FOR t AS t - INTERVAL '0.001' SECOND)
    WITH ('connector' = 'filesystem', 'path' = 'file://{path}', 'format' = 'csv')
"""
QUERY = """
    SELECT t FROM l INTERSECT ALL SELECT t FROM r
"""
EXPECTED = [(datetime(2015, 2, 15, 10, 10),)]

environment = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
environment.get_config().set("parallelism.default", "1")
for name in ("l", "r"):
    environment.execute_sql(TABLE.format(name=name, path=Path(folder, name)))
actual: list[tuple[object, ...]] = []
with environment.execute_sql(QUERY).collect() as rows:
    for row in rows:
        if row.get_row_kind() in (RowKind.INSERT, RowKind.UPDATE_AFTER):
            actual.append(tuple(row))
        else:
            actual.remove(tuple(row))
print("expected", *EXPECTED, sep="\n  ")
print("actual", *actual, sep="\n  ")
sys.exit(sorted(actual, key=str) != sorted(EXPECTED, key=str))
