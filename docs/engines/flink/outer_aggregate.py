"""An aggregate of the outer query is refused in the WHERE of a subquery.

SQL:2016 (ISO/IEC 9075-2), 6.9, set function specification: an aggregate belongs to the innermost
query whose columns are its arguments, here the outer one.  It may stand anywhere in the select list
of that query, and so in the WHERE of a subquery there.

Run with: pip install apache-flink==2.3.0; python outer_aggregate.py
"""

import sys

from pyflink.table import EnvironmentSettings, TableEnvironment

QUERY = """
    SELECT e.d, (SELECT n.n FROM (VALUES (10, 'Sales'), (20, 'Legal')) AS n (d, n)
                 WHERE n.d = MAX(e.d)) AS n
    FROM (VALUES (10), (10), (20)) AS e (d) GROUP BY e.d
"""
EXPECTED = [(10, "Sales"), (20, "Legal")]

environment = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
try:
    with environment.execute_sql(QUERY).collect() as rows:
        actual = [tuple(row) for row in rows]
except Exception as error:  # the query is refused
    actual = [next(each for each in reversed(str(error).splitlines()) if "ggregate" in each)]
print("expected", *EXPECTED, sep="\n  ")
print("actual", *actual, sep="\n  ")
sys.exit(sorted(actual, key=str) != sorted(EXPECTED, key=str))
