"""Plans are printed as one SELECT where SQL's order of clauses allows."""

import pytest

from algebra.catalog import Profile
from algebra.prepare import prepare
from engines.dialect.printer import Printer

DDL = """
CREATE STREAM Orders (rowtime TIMESTAMP(3) ASCENDING, id INTEGER, units INTEGER) WITH HISTORY;
CREATE TABLE Products (id INTEGER, name VARCHAR);
"""


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        (
            "SELECT id FROM Orders WHERE units > 3",
            'SELECT t0."ID" AS "ID" FROM "ORDERS" AS t0 WHERE (t0."UNITS" > 3)',
        ),
        (
            "SELECT id, SUM(units) AS s FROM Orders GROUP BY id HAVING MAX(units) > 1",
            ('SELECT t0."ID" AS "ID", SUM(t0."UNITS") AS "S" FROM "ORDERS" AS t0 GROUP BY t0."ID"'
            ' HAVING (MAX(t0."UNITS") > 1)'),
        ),
        (
            "SELECT id FROM Orders ORDER BY units DESC",
            'SELECT t0."ID" AS "ID" FROM "ORDERS" AS t0 ORDER BY t0."UNITS" DESC NULLS FIRST',
        ),
        (
            "SELECT p.name FROM Orders AS o LEFT JOIN Products AS p ON o.id = p.id",
            ('SELECT t1."NAME" AS "NAME" FROM "ORDERS" AS t0 LEFT JOIN "PRODUCTS" AS t1'
            ' ON (t0."ID" = t1."ID")'),
        ),
        (
            "SELECT id FROM Products p WHERE EXISTS (SELECT 1 FROM Orders o WHERE o.id = p.id)",
            ('SELECT t0."ID" AS "ID" FROM "PRODUCTS" AS t0 WHERE EXISTS'
            ' (SELECT 1 AS "EXPR$0" FROM "ORDERS" AS t1 WHERE (t1."ID" = t0."ID"))'),
        ),
    ],
)  # fmt: skip
def test_operators_become_clauses(sql: str, text: str) -> None:
    plan = prepare(DDL, sql, Profile.CALCITE).query
    assert plan is not None
    assert Printer().query(plan) == text


def test_an_aggregate_that_no_column_shows_still_makes_one_group() -> None:
    plan = prepare(DDL, "SELECT 1 AS a FROM Orders GROUP BY ()", Profile.CALCITE).query
    assert plan is not None
    assert "SELECT 1 AS" in Printer().query(plan)
    assert "FROM (SELECT" in Printer().query(plan)
