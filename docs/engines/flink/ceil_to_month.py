"""CEIL(timestamp TO MONTH), TO QUARTER, TO YEAR and TO WEEK ignore the time of day.

The result can be below the operand: CEIL(2015-01-01 10:17 TO YEAR) is 2015-01-01 00:00.

Documentation, System (Built-in) Functions, Temporal Functions: CEIL(timepoint TO timeintervalunit)
"returns a value that rounds timepoint up to the time unit".  TO DAY and TO HOUR do.

Run with: pip install apache-flink==2.3.0; python ceil_to_month.py
"""

import sys

from pyflink.table import EnvironmentSettings, TableEnvironment

QUERY = """
    SELECT CAST(CEIL(t TO DAY) AS STRING), CAST(CEIL(t TO MONTH) AS STRING),
      CAST(CEIL(t TO QUARTER) AS STRING), CAST(CEIL(t TO YEAR) AS STRING)
    FROM (VALUES (TIMESTAMP '2015-02-01 10:17:00'), (TIMESTAMP '2015-01-01 10:17:00')) AS v (t)
"""
EXPECTED = [
    ("2015-02-02 00:00:00", "2015-03-01 00:00:00", "2015-04-01 00:00:00", "2016-01-01 00:00:00"),
    ("2015-01-02 00:00:00", "2015-02-01 00:00:00", "2015-04-01 00:00:00", "2016-01-01 00:00:00"),
]

environment = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
with environment.execute_sql(QUERY).collect() as rows:
    actual = [tuple(row) for row in rows]
print("expected", *EXPECTED, sep="\n  ")
print("actual", *actual, sep="\n  ")
sys.exit(sorted(actual, key=str) != sorted(EXPECTED, key=str))
