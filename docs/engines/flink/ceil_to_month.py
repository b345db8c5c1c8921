"""CEIL(timestamp TO MONTH) ignores the time of day, and so gives a time before its operand.

Apache Flink 2.3.0.  Run it with: pip install apache-flink==2.3.0 && python ceil_to_month.py

The documentation (Table API & SQL, System (Built-in) Functions, Temporal Functions) says of
CEIL(timepoint TO timeintervalunit): "Returns a value that rounds timepoint up to the time unit
timeintervalunit."  2015-02-01 10:17 rounded up to the month is 2015-03-01 00:00.  A value rounded
up is never below its operand.  TO DAY and TO HOUR are right.
"""

import sys

from pyflink.table import EnvironmentSettings, TableEnvironment

QUERY = """
    SELECT CAST(CEIL(t TO MONTH) AS STRING), CAST(CEIL(t TO YEAR) AS STRING),
      CAST(CEIL(t TO DAY) AS STRING)
    FROM (VALUES (TIMESTAMP '2015-02-01 10:17:00'), (TIMESTAMP '2015-01-01 10:17:00')) AS v (t)
"""
EXPECTED = [
    ("2015-03-01 00:00:00", "2016-01-01 00:00:00", "2015-02-02 00:00:00"),
    ("2015-02-01 00:00:00", "2016-01-01 00:00:00", "2015-01-02 00:00:00"),
]

environment = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
environment.get_config().set("parallelism.default", "1")
with environment.execute_sql(QUERY).collect() as rows:
    actual = [tuple(row) for row in rows]
print("expected", *EXPECTED, sep="\n  ")
print("actual", *actual, sep="\n  ")
sys.exit(actual != EXPECTED)
