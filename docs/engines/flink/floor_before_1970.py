"""FLOOR(timestamp TO MONTH), TO QUARTER, TO YEAR and TO WEEK can round up before 1970.

The day is taken for the day after it, unless the time of day is 00:00: on the last day of a month
the result is the month after.  FLOOR(1969-12-31 23:30 TO MONTH) is 1970-01-01 00:00, which is above
the operand.

Documentation, System (Built-in) Functions, Temporal Functions: FLOOR(timepoint TO timeintervalunit)
"returns a value that rounds timepoint down to the time unit".  TO DAY and TO HOUR do.

Run with: pip install apache-flink==2.3.0; python floor_before_1970.py
"""

import sys

from pyflink.table import EnvironmentSettings, TableEnvironment

QUERY = """
    SELECT CAST(FLOOR(t TO DAY) AS STRING), CAST(FLOOR(t TO MONTH) AS STRING),
      CAST(FLOOR(t TO QUARTER) AS STRING), CAST(FLOOR(t TO YEAR) AS STRING)
    FROM (VALUES (TIMESTAMP '1969-12-31 23:30:00'), (TIMESTAMP '1960-02-29 10:17:00')) AS v (t)
"""
EXPECTED = [
    ("1969-12-31 00:00:00", "1969-12-01 00:00:00", "1969-10-01 00:00:00", "1969-01-01 00:00:00"),
    ("1960-02-29 00:00:00", "1960-02-01 00:00:00", "1960-01-01 00:00:00", "1960-01-01 00:00:00"),
]

environment = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
with environment.execute_sql(QUERY).collect() as rows:
    actual = [tuple(row) for row in rows]
print("expected", *EXPECTED, sep="\n  ")
print("actual", *actual, sep="\n  ")
sys.exit(sorted(actual, key=str) != sorted(EXPECTED, key=str))
