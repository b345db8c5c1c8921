"""AVG of a DECIMAL(38, 38) cannot be planned: "Cannot convert 0 to DECIMAL(38, 38)".

The average of 0.9 and 0.8 is 0.85, and 0 is a value of DECIMAL(38, 38), too.

Documentation, Data Types, DECIMAL: "DECIMAL(p, s) where p is the number of digits in a number
(precision) and s is the number of digits to the right of the decimal point in a number (scale).
[...] s must have a value between 0 and p".  System (Built-in) Functions, Aggregate Functions: "AVG
[...] returns the average (arithmetic mean) of expression across all input rows".  SUM of the same
values has a result.

Run with: pip install apache-flink==2.3.0; python average_of_38_digits.py
"""

import sys

from pyflink.table import EnvironmentSettings, TableEnvironment

QUERY = "SELECT AVG(CAST(x AS DECIMAL(38, 38))) = 0.85 FROM (VALUES (0.9), (0.8)) AS t (x)"
EXPECTED = "[(True,)]"

environment = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
try:
    with environment.execute_sql(QUERY).collect() as rows:
        actual = str([tuple(row) for row in rows])
except Exception as error:
    lines = str(error).splitlines()
    actual = next((line for line in lines if "Cannot convert" in line), lines[0])
print("expected", EXPECTED, sep="\n  ")
print("actual", actual, sep="\n  ")
sys.exit(actual != EXPECTED)
