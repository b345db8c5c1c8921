"""EXISTS finds no row if its condition has both an equality and a comparison by >.

SQL:2016 (ISO/IEC 9075-2), 8.10, exists predicate: it is true if the subquery has a row.  Bob earns
200, and Ann of the same department earns more.  The documentation's list of constructs that are
"Silently accepted, then ignored" has no subqueries.

Run with: pip install pyclink==0.12.2; python exists_with_two_conditions.py
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
    SELECT e.name, e.salary FROM emp AS e
    WHERE EXISTS (SELECT * FROM emp AS o WHERE o.deptno = e.deptno AND o.salary > e.salary)
"""
EXPECTED = [("Bob", 200)]

try:
    with pyclink.Engine() as engine:
        for name, (columns, _) in TABLES.items():
            engine.execute(
                f"CREATE TABLE {name} ({columns}) "
                f"WITH (connector='file', format='json', path='{folder}/{name}')"
            )
        engine.execute("CREATE TABLE found (a VARCHAR, b INTEGER) WITH (connector='collect')")
        engine.execute(f"INSERT INTO found {QUERY}")
        columns = engine.collect("found").read_all().to_pydict().values()
        engine.await_all()
    actual = list(zip(*columns, strict=True))
except pyclink.ClinkError as error:
    actual = [str(error)]
print("expected", *EXPECTED, sep="\n  ")
print("actual", *actual, sep="\n  ")
sys.exit(sorted(actual, key=str) != sorted(EXPECTED, key=str))
