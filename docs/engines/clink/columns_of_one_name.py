"""Of two columns of one name, a join shows one twice.

Both columns have the name of the department; the name of the employee is lost.

Documentation, SQL, Joins: "In clauses after the join, refer to columns either qualified (a.x) or
flattened (a_x)".

Run with: pip install pyclink==0.12.2; python columns_of_one_name.py
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
    SELECT e.name, d.name FROM emp AS e JOIN dept AS d ON e.deptno = d.deptno
"""
EXPECTED = [("Ann", "Sales"), ("Bob", "Sales"), ("Cid", "Legal")]

try:
    with pyclink.Engine() as engine:
        for name, (columns, _) in TABLES.items():
            engine.execute(
                f"CREATE TABLE {name} ({columns}) "
                f"WITH (connector='file', format='json', path='{folder}/{name}')"
            )
        engine.execute("CREATE TABLE found (a VARCHAR, b VARCHAR) WITH (connector='collect')")
        engine.execute(f"INSERT INTO found {QUERY}")
        columns = engine.collect("found").read_all().to_pydict().values()
        engine.await_all()
    actual = list(zip(*columns, strict=True))
except pyclink.ClinkError as error:
    actual = [str(error)]
print("expected", *EXPECTED, sep="\n  ")
print("actual", *actual, sep="\n  ")
sys.exit(sorted(actual, key=str) != sorted(EXPECTED, key=str))
