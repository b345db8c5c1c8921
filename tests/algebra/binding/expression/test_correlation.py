"""Sub-queries that see the row outside, in every place that has an expression."""

# ruff: noqa: ISC004 - long queries in tables

import pytest

from algebra.plan import Delta
from grammar.codes import Code
from tests.algebra.page_schema import guilty, ready, refusal, shown

#: A sub-query of one value, correlated; `$cor1.$1` is the product of the order outside.
NAME = "(SELECT MAX(name) FROM Products AS p WHERE p.productId = o.productId)"
SEEN = "LogicalFilter(condition=[=($1, $cor1.$1)])"

PLACES = [
    f"SELECT {NAME} FROM Orders AS o",
    f"SELECT units FROM Orders AS o WHERE {NAME} = 'Paint'",
    "SELECT units FROM Orders AS o WHERE EXISTS (SELECT 1 FROM Products AS p WHERE p.productId = "
    "o.productId)",
    "SELECT units FROM Orders AS o WHERE units NOT IN (SELECT p.productId FROM Products AS p "
    "WHERE p.productId = o.productId)",
    "SELECT units FROM Orders AS o WHERE units > ALL (SELECT unitPrice FROM Products AS p "
    "WHERE p.productId = o.productId)",
    f"SELECT CASE WHEN units > 1 THEN {NAME} ELSE 'x' END FROM Orders AS o",
    f"SELECT CASE {NAME} WHEN 'a' THEN 1 END FROM Orders AS o",
    f"SELECT COUNT(*) FROM Orders AS o GROUP BY {NAME}",
    f"SELECT {NAME}, COUNT(*) FROM Orders AS o GROUP BY {NAME}",
    f"SELECT MAX({NAME}) FROM Orders AS o",
    f"SELECT LISTAGG(CAST(units AS VARCHAR)) WITHIN GROUP (ORDER BY {NAME}) FROM Orders AS o",
    f"SELECT COUNT(*) FILTER (WHERE {NAME} = 'a') FROM Orders AS o",
    f"SELECT units FROM Orders AS o ORDER BY {NAME}",
    f"SELECT COUNT(*) OVER (PARTITION BY {NAME}) FROM Orders AS o",
    f"SELECT RANK() OVER (ORDER BY {NAME}) FROM Orders AS o",
    f"SELECT o.units FROM Orders AS o JOIN Suppliers AS s ON s.city = {NAME}",
    f"SELECT o.units FROM Orders AS o LEFT JOIN Suppliers AS s ON s.city = {NAME}",
    f"SELECT UPPER(COALESCE({NAME}, 'x')) || {NAME} FROM Orders AS o",
]


@pytest.mark.parametrize("sql", PLACES)
def test_a_sub_query_sees_the_row_outside(sql: str) -> None:
    assert SEEN in shown(sql)


def test_having_sees_the_key_and_no_other_column() -> None:
    sql = "SELECT productId FROM Orders AS o GROUP BY productId HAVING COUNT(*) > "
    seen = shown(f"{sql}(SELECT COUNT(*) FROM Products AS p WHERE p.productId = o.productId)")
    assert "LogicalFilter(condition=[=($1, $cor1.$0)])" in seen
    error = refusal(f"{sql}(SELECT COUNT(*) FROM Products AS p WHERE p.productId = o.units)")
    assert (error.code, guilty(error)) == (Code.NOT_GROUPED, "o.units")


def test_a_row_two_queries_out_is_two_levels_out() -> None:
    sql = (
        "SELECT units FROM Orders AS o WHERE EXISTS (SELECT 1 FROM Products AS p WHERE EXISTS "
        "(SELECT 1 FROM Suppliers AS s WHERE s.supplierId = o.units AND s.city = p.name))"
    )
    assert "LogicalFilter(condition=[AND(=($0, $cor2.$3), =($1, $cor1.$2))])" in shown(sql)


def test_values_may_see_the_row_outside() -> None:
    assert "LogicalValues(tuples=[[{ +($cor1.$3, 1) }]])" in shown(
        "SELECT (VALUES (o.units + 1)) FROM Orders AS o"
    )
    assert "LogicalValues(tuples=[[{ $cor1.$1 }, { 3 }]])" in shown(
        "SELECT units FROM Orders AS o WHERE units IN (VALUES (o.productId), (3))"
    )


def test_a_streaming_query_may_look_a_table_up() -> None:
    plan = ready(f"SELECT STREAM rowtime, {NAME} FROM Orders AS o").query
    assert isinstance(plan, Delta)
    assert SEEN in shown(f"SELECT STREAM rowtime, {NAME} FROM Orders AS o")


def test_from_sees_no_row_beside_it() -> None:
    """There is no LATERAL: FROM's items do not see one another."""
    error = refusal(
        "SELECT 1 FROM Orders AS o, (SELECT 1 FROM Products AS p WHERE p.productId = o.productId)"
    )
    assert (error.code, guilty(error)) == (Code.UNKNOWN_OBJECT, "o")
