"""Rows that NOT IN takes back are read as further rows.

Both employees of the department come twice: as rows, and as the deletes of these rows.

Documentation, the README of pyclink: "Collect is append-only in v1 - a retracting (changelog)
query is rejected at bind time".  This query is not rejected.

Run with: pip install pyclink==0.12.2; python rows_that_not_in_takes_back.py
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
        [{"name": "Sales", "deptno": 10}],
    ),
}
for name, (_, rows) in TABLES.items():
    Path(folder, name).write_text("".join(json.dumps(row) + "\n" for row in rows))
QUERY = """
    SELECT name FROM emp WHERE deptno NOT IN (SELECT deptno FROM dept)
"""
EXPECTED = [("Cid",)]

try:
    with pyclink.Engine() as engine:
        for name, (columns, _) in TABLES.items():
            engine.execute(
                f"CREATE TABLE {name} ({columns}) "
                f"WITH (connector='file', format='json', path='{folder}/{name}')"
            )
        engine.execute("CREATE TABLE found (a VARCHAR) WITH (connector='collect', format='json')")
        engine.execute(f"INSERT INTO found {QUERY}")
        columns = engine.collect("found").read_all().to_pydict().values()
        engine.await_all()
    actual = list(zip(*columns, strict=True))
except pyclink.ClinkError as error:
    actual = [str(error)]
print("expected", *EXPECTED, sep="\n  ")
print("actual", *actual, sep="\n  ")
sys.exit(sorted(actual, key=str) != sorted(EXPECTED, key=str))
