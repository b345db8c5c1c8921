"""SQLite: an aggregate of the outer query cannot stand in a sub-query's WHERE.

Expected: the name of each group.  SQL:2016 6.9, set function specification: an aggregate belongs to
the innermost query whose columns are its arguments, here the outer one, and may stand anywhere in
that query's select list, so also in the WHERE of a sub-query there.

Needs Python's own sqlite3, or the package apsw for the newest SQLite.  Exit status 1: the result
is another one.
"""

import sqlite3
import sys

SCRIPT = """
CREATE TABLE emp (deptno INTEGER, empno INTEGER);
CREATE TABLE dept (deptno INTEGER, name TEXT);
INSERT INTO emp VALUES (10, 1), (10, 2), (20, 3);
INSERT INTO dept VALUES (10, 'Sales'), (20, 'Research');
"""
SQL = """
SELECT e.deptno, (SELECT d.name FROM dept AS d WHERE d.deptno = MAX(e.deptno)) AS name
FROM emp AS e GROUP BY e.deptno ORDER BY e.deptno
"""
EXPECTED = [(10, "Sales"), (20, "Research")]

try:
    import apsw

    version, connection = apsw.sqlite_lib_version(), apsw.Connection(":memory:")
    errors: type[Exception] = apsw.Error
    connection.execute(SCRIPT)
except ImportError:
    version, connection = sqlite3.sqlite_version, sqlite3.connect(":memory:")
    errors = sqlite3.Error
    connection.executescript(SCRIPT)
try:
    actual = connection.execute(SQL).fetchall()
except errors as error:
    actual = str(error)
print(f"SQLite {version}: {SQL}")
print(f"expected: {EXPECTED}")
print(f"actual:   {actual}")
sys.exit(actual != EXPECTED)
