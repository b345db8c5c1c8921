"""EXTRACT of a timestamp before 1970 gives the next day's fields, and negative hours and seconds.

Of 1960-02-15 10:17:01 the day is 16, the hour -13, and the second -59; of 1969-12-31 23:30 the year
is 1970.

Documentation, System (Built-in) Functions, Temporal Functions: EXTRACT(timeintervalunit FROM
temporal) "returns a long value extracted from the timeintervalunit part of temporal".  DAYOFMONTH
is "an integer between 1 and 31", HOUR "an integer between 0 and 23".

Run with: pip install apache-flink==2.3.0; python extract_before_1970.py
"""

import sys

from pyflink.table import EnvironmentSettings, TableEnvironment

QUERY = """
    SELECT EXTRACT(YEAR FROM t), EXTRACT(MONTH FROM t), EXTRACT(DAY FROM t), EXTRACT(HOUR FROM t),
      EXTRACT(SECOND FROM t)
    FROM (VALUES (TIMESTAMP '1969-12-31 23:30:00'), (TIMESTAMP '1960-02-15 10:17:01')) AS v (t)
"""
EXPECTED = [(1969, 12, 31, 23, 0), (1960, 2, 15, 10, 1)]

environment = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
with environment.execute_sql(QUERY).collect() as rows:
    actual = [tuple(row) for row in rows]
print("expected", *EXPECTED, sep="\n  ")
print("actual", *actual, sep="\n  ")
sys.exit(sorted(actual, key=str) != sorted(EXPECTED, key=str))
