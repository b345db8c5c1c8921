"""A subquery with COUNT that is compared by = with an outer column counts all rows.

SQL:2016 (ISO/IEC 9075-2), 7.12, where clause: only the rows for which the condition is true
are left.  The documentation's list of constructs that are "Silently accepted, then ignored"
has no subqueries.

Run with: pip install pyclink==0.12.2; python equal_to_the_outer_value.py
"""

import json
import sys
import tempfile
from pathlib import Path

import pyclink

folder = tempfile.mkdtemp()
TABLES = {
    "emp": (
        "name VARCHAR, deptno INTEGER, salary INTEGER",
        [
            {"name": "Ann", "deptno": 10, "salary": 300},
            {"name": "Bob", "deptno": 10, "salary": 200},
            {"name": "Cid", "deptno": 20, "salary": 100},
        ],
    ),
    "dept": (
        "name VARCHAR, deptno INTEGER",
        [{"name": "Sales", "deptno": 10}, {"name": "Legal", "deptno": 20}],
    ),
}
for name, (_, rows) in TABLES.items():
    Path(folder, name).write_text("".join(json.dumps(row) + "\n" for row in rows))
QUERY = """
    SELECT e.name, (SELECT COUNT(*) FROM emp AS x WHERE x.deptno = e.deptno) AS c FROM emp AS e
"""
EXPECTED = [("Ann", 2), ("Bob", 2), ("Cid", 1)]

try:
    with pyclink.Engine() as engine:
        for name, (columns, _) in TABLES.items():
            engine.execute(
                f"CREATE TABLE {name} ({columns}) "
                f"WITH (connector='file', format='json', path='{folder}/{name}')"
            )
        engine.execute("CREATE TABLE found (a VARCHAR, c BIGINT) WITH (connector='collect')")
        engine.execute(f"INSERT INTO found {QUERY}")
        columns = engine.collect("found").read_all().to_pydict().values()
        engine.await_all()
    actual = list(zip(*columns, strict=True))
except pyclink.ClinkError as error:
    actual = [str(error)]
print("expected", *EXPECTED, sep="\n  ")
print("actual", *actual, sep="\n  ")
sys.exit(sorted(actual, key=str) != sorted(EXPECTED, key=str))
