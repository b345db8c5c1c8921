"""VAR_POP, VAR_SAMP, STDDEV_POP and STDDEV_SAMP of INTs are INTs, and lose their fractions.

Of 1 and 2 the population variance is 0.25 and the standard deviation 0.5; both are emitted as 0.

Documentation, System (Built-in) Functions, Aggregate Functions: VAR_POP "returns the population
variance (square of the population standard deviation) of expression across all input rows".
SQL:2016 (ISO/IEC 9075-2), 10.9, aggregate function: "If VAR_POP or VAR_SAMP is specified, then the
declared type of the result is an implementation-defined approximate numeric type"; an INT is exact.

Run with: pip install apache-flink==2.3.0; python variance_of_integers.py
"""

import sys

from pyflink.table import EnvironmentSettings, TableEnvironment

QUERY = """
    SELECT VAR_POP(v), VAR_SAMP(v), STDDEV_POP(v), STDDEV_SAMP(v)
    FROM (VALUES (1), (2)) AS n (v)
"""
EXPECTED = [(0.25, 0.5, 0.5, 0.5**0.5)]

environment = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
with environment.execute_sql(QUERY).collect() as rows:
    actual = [tuple(row) for row in rows]
print("expected", *EXPECTED, sep="\n  ")
print("actual", *actual, sep="\n  ")
sys.exit(sorted(actual, key=str) != sorted(EXPECTED, key=str))
