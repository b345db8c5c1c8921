"""Queries in SQL: sub-queries wherever they may stand, FETCH WITH TIES, set operations."""

import pytest

from grammar.codes import Code
from tck.protocol import WireRow
from tests.reference.conversation import opened, rows, told

DDL = """\
CREATE TABLE Emps (id INTEGER PRIMARY KEY, dept VARCHAR(10), pay INTEGER, boss INTEGER);
CREATE TABLE Depts (name VARCHAR(10), floor INTEGER);
INSERT INTO Emps VALUES
  (1, 'A', 10, NULL), (2, 'A', 30, 1), (3, 'B', 20, 1), (4, 'B', 20, 3), (5, NULL, 5, 9);
INSERT INTO Depts VALUES ('A', 1), ('B', 2), ('C', NULL);
"""


def answer(sql: str) -> list[WireRow]:
    """The rows of a query over the tables above."""
    return rows(sql, ddl=DDL)


QUERIES: list[tuple[str, list[WireRow]]] = [
    # the select list: NULL of no row
    (
        "SELECT id, (SELECT b.pay FROM Emps b WHERE b.id = e.boss) FROM Emps e ORDER BY id",
        [(1, None), (2, 10), (3, 10), (4, 20), (5, None)],
    ),
    # WHERE, an aggregate of the correlated rows
    (
        """SELECT id FROM Emps e
           WHERE pay >= (SELECT AVG(f.pay) FROM Emps f WHERE f.dept = e.dept) ORDER BY id""",
        [(2,), (3,), (4,)],
    ),
    # EXISTS and its negation
    (
        "SELECT name FROM Depts d WHERE NOT EXISTS (SELECT * FROM Emps WHERE dept = d.name)",
        [("C",)],
    ),
    # IN: a NULL among the rows makes NOT IN unknown
    ("SELECT name FROM Depts WHERE name NOT IN (SELECT dept FROM Emps)", []),
    (
        """SELECT name FROM Depts d
           WHERE name IN (SELECT dept FROM Emps WHERE pay > d.floor * 10) ORDER BY name""",
        [("A",)],
    ),
    # ANY and ALL
    (
        """SELECT id FROM Emps e
           WHERE pay > ALL (SELECT pay FROM Emps f WHERE f.dept = e.dept AND f.id <> e.id)
           ORDER BY id""",
        [(2,), (5,)],
    ),
    (
        """SELECT id FROM Emps e
           WHERE pay < ANY (SELECT pay FROM Emps f WHERE f.dept = e.dept) ORDER BY id""",
        [(1,)],
    ),
    # CASE
    (
        """SELECT CASE WHEN EXISTS (SELECT * FROM Emps f WHERE f.boss = e.id) THEN 'boss'
                  ELSE 'none' END FROM Emps e ORDER BY id""",
        [("boss",), ("none",), ("boss",), ("none",), ("none",)],
    ),
    # ON, of an outer join
    (
        """SELECT d.name, e.id FROM Depts d LEFT JOIN Emps e ON e.dept = d.name
             AND e.pay = (SELECT MAX(f.pay) FROM Emps f WHERE f.dept = d.name) ORDER BY 1, 2""",
        [("A", 2), ("B", 3), ("B", 4), ("C", None)],
    ),
    # HAVING, correlated with a group key
    (
        """SELECT dept, COUNT(*) FROM Emps e GROUP BY dept
           HAVING COUNT(*) > (SELECT d.floor FROM Depts d WHERE d.name = e.dept)""",
        [("A", 2)],
    ),
    # an aggregate's argument, and its filter
    (
        """SELECT SUM((SELECT d.floor FROM Depts d WHERE d.name = e.dept)),
             COUNT(*) FILTER (WHERE EXISTS (SELECT * FROM Depts d WHERE d.name = e.dept))
           FROM Emps e""",
        [(6, 4)],
    ),
    # ORDER BY
    (
        """SELECT id FROM Emps e
           ORDER BY (SELECT d.floor FROM Depts d WHERE d.name = e.dept) DESC, id""",
        [(5,), (3,), (4,), (1,), (2,)],
    ),
    # a window's argument and partition
    (
        """SELECT id, SUM((SELECT d.floor FROM Depts d WHERE d.name = e.dept))
             OVER (PARTITION BY (SELECT d.name FROM Depts d WHERE d.name = e.dept) ORDER BY id)
           FROM Emps e ORDER BY id""",
        [(1, 1), (2, 2), (3, 2), (4, 4), (5, None)],
    ),
    # two queries down
    (
        """SELECT name FROM Depts d WHERE EXISTS (
             SELECT * FROM Emps e WHERE e.dept = d.name AND e.pay > (
               SELECT AVG(f.pay) FROM Emps f WHERE f.dept = d.name AND f.id <= e.id + d.floor))""",
        [("A",)],
    ),
    # inside a set operation and below grouping
    (
        """SELECT name, (SELECT COUNT(*) FROM (SELECT id FROM Emps WHERE dept = d.name
             UNION ALL SELECT id FROM Emps WHERE boss = d.floor) AS u)
           FROM Depts d ORDER BY name""",
        [("A", 4), ("B", 2), ("C", 0)],
    ),
    (
        """SELECT name, (SELECT SUM(pay) FROM Emps WHERE dept = d.name GROUP BY dept
             HAVING SUM(pay) > d.floor * 20) FROM Depts d ORDER BY name""",
        [("A", 40), ("B", None), ("C", None)],
    ),
    # cut by FETCH inside
    (
        """SELECT name, (SELECT id FROM Emps WHERE dept = d.name ORDER BY pay DESC, id DESC
             FETCH FIRST ROW ONLY) FROM Depts d ORDER BY name""",
        [("A", 2), ("B", 4), ("C", None)],
    ),
]


@pytest.mark.parametrize(("sql", "expected"), QUERIES)
def test_sub_queries_stand_everywhere(sql: str, expected: list[WireRow]) -> None:
    assert answer(sql) == expected


def test_a_correlated_scalar_query_of_several_rows_is_an_error() -> None:
    sql = "SELECT (SELECT id FROM Emps WHERE dept = d.name) FROM Depts d"
    error = told(opened(sql, DDL)).error
    assert error is not None
    assert error.code == Code.SCALAR_SUBQUERY_ROWS


def test_fetch_with_ties_keeps_the_peers_of_the_last_by_the_whole_key() -> None:
    by_pay = "SELECT id FROM Emps ORDER BY pay DESC"
    assert answer(f"{by_pay} FETCH FIRST 2 ROWS WITH TIES") == [(2,), (3,), (4,)]
    assert answer(f"{by_pay} OFFSET 2 ROWS FETCH NEXT 1 ROW WITH TIES") == [(4,)]
    assert answer(f"{by_pay}, id FETCH FIRST 2 ROWS WITH TIES") == [(2,), (3,)]
    # NULLs are peers.
    nulls = "SELECT x FROM (VALUES (NULL), (1), (NULL)) AS t (x) ORDER BY x DESC"
    assert answer(f"{nulls} FETCH FIRST ROW WITH TIES") == [(None,), (None,)]


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        ("UNION ALL", [(1,), (1,), (1,), (1,), (2,), (3,), (None,), (None,), (None,)]),
        ("UNION", [(1,), (2,), (3,), (None,)]),
        ("INTERSECT ALL", [(1,), (None,)]),
        ("INTERSECT", [(1,), (None,)]),
        ("EXCEPT ALL", [(1,), (1,), (2,), (None,)]),
        ("EXCEPT", [(2,)]),
    ],
)
def test_set_operations_count_equal_rows(operator: str, expected: list[WireRow]) -> None:
    sql = f"""SELECT * FROM (VALUES (1), (1), (1), (2), (NULL), (NULL)) AS a (x) {operator}
              SELECT * FROM (VALUES (1), (3), (NULL)) AS b (x) ORDER BY 1"""
    assert answer(sql) == expected


def test_intersect_binds_tighter_and_the_others_from_the_left() -> None:
    one, two = "SELECT * FROM (VALUES (1)) AS a", "SELECT * FROM (VALUES (2)) AS b"
    assert answer(f"{one} UNION ALL {two} INTERSECT ALL {one} ORDER BY 1") == [(1,)]
    assert answer(f"{one} EXCEPT ALL {one} UNION ALL {one} ORDER BY 1") == [(1,)]
