"""What Spark spells otherwise than the standard, over tables."""

import pytest

from algebra.catalog import Profile
from algebra.prepare import prepare
from engines.dialect.unsupported import UnsupportedError
from engines.sparknative.printer import SparkPrinter
from engines.sparknative.streaming import StreamPrinter

DDL = """
CREATE TABLE Emp (
  id INTEGER, big BIGINT, x DOUBLE, price DECIMAL(6, 2), name VARCHAR(20), ok BOOLEAN,
  d DATE, u DATE, t TIMESTAMP(3), v TIMESTAMP(3)
);
"""


def printed(sql: str) -> str:
    """The query in Spark's SQL."""
    plan = prepare(DDL, sql, Profile.CALCITE).query
    assert plan is not None
    return SparkPrinter().query(plan)


def value(sql: str) -> str:
    """An expression over the columns of Emp in Spark's SQL, without the name of the table."""
    text = printed(f"SELECT {sql} AS v FROM Emp")
    assert text.startswith("SELECT ")
    assert text.endswith(" AS `V` FROM `EMP` AS t0")
    return text.removeprefix("SELECT ").removesuffix(" AS `V` FROM `EMP` AS t0").replace("t0.", "")


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        # Spark's / of integers is a DOUBLE.
        ("id / 2", "(`ID` div 2)"),
        ("x / 2", "(`X` / CAST(2 AS DOUBLE))"),
        # In a literal of Spark's a backslash escapes.
        ("'it''s'", "'it\\'s'"),
        ("'a\\b'", "'a\\\\b'"),
        # 1.5 is a DECIMAL and 1.5E0 a DOUBLE in both; a BIGINT is said to be one.
        ("big + CAST(1 AS BIGINT)", "(`BIG` + CAST(1 AS BIGINT))"),
        # STRING has no length.
        ("CAST(name AS VARCHAR(3))", "left(`NAME`, 3)"),
        ("CAST(id AS VARCHAR(3))", "CAST(`ID` AS STRING)"),
        ("id IS DISTINCT FROM 2", "(NOT (`ID` <=> 2))"),
        ("id IS NOT DISTINCT FROM 2", "(`ID` <=> 2)"),
        ("EXTRACT(YEAR FROM t)", "CAST(extract(YEAR FROM `T`) AS BIGINT)"),
        ("EXTRACT(EPOCH FROM d)", "unix_seconds(CAST(`D` AS TIMESTAMP))"),
        ("EXTRACT(ISODOW FROM d)", "CAST(extract(DAYOFWEEK_ISO FROM `D`) AS BIGINT)"),
        ("FLOOR(t TO HOUR)", "date_trunc('HOUR', `T`)"),
        # A value that is whole is its own CEIL.
        (
            "CEIL(t TO HOUR)",
            ("(CASE WHEN date_trunc('HOUR', `T`) = `T` THEN `T`"
            " ELSE (date_trunc('HOUR', `T`) + INTERVAL '1' HOUR) END)"),
        ),
        (
            "CEIL(d TO QUARTER)",
            ("CAST((CASE WHEN date_trunc('QUARTER', `D`) = `D` THEN `D`"
            " ELSE (date_trunc('QUARTER', `D`) + INTERVAL '3' MONTH) END) AS DATE)"),
        ),
        ("(t - v) HOUR TO SECOND", "CAST((`T` - `V`) AS INTERVAL HOUR TO SECOND)"),
        (
            "(d - u) MONTH",
            ("CAST(make_ym_interval(0, CAST(timestampdiff(MONTH, `U`, `D`) AS INT))"
            " AS INTERVAL MONTH)"),
        ),
    ],
)  # fmt: skip
def test_expression(sql: str, text: str) -> None:
    assert value(sql) == text


def test_aggregates_have_names_of_their_own() -> None:
    text = printed("SELECT EVERY(ok) AS e, SOME(ok) AS s FROM Emp")
    assert text == "SELECT bool_and(t0.`OK`) AS `E`, bool_or(t0.`OK`) AS `S` FROM `EMP` AS t0"


def test_grouping_of_several_keys_is_made_of_the_bits_of_each() -> None:
    text = printed("SELECT GROUPING(id, name) AS g FROM Emp GROUP BY ROLLUP (id, name)")
    assert "CAST(1 * grouping(t0.`NAME`) + 2 * grouping(t0.`ID`) AS BIGINT)" in text


def test_rows_are_limited_behind_their_order() -> None:
    text = printed("SELECT id FROM Emp ORDER BY id OFFSET 2 ROWS FETCH NEXT 3 ROWS ONLY")
    assert text.endswith(" ORDER BY t0.`ID` ASC NULLS LAST LIMIT 3 OFFSET 2")


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("SELECT GROUP_ID() AS g FROM Emp GROUP BY ROLLUP (id)", "no GROUP_ID()"),
        ("SELECT id FROM Emp ORDER BY id FETCH NEXT 3 ROWS WITH TIES", "no WITH TIES"),
        ("SELECT EXTRACT(CENTURY FROM d) AS c FROM Emp", "no CENTURY in EXTRACT"),
        ("SELECT CURRENT_TIMESTAMP AS c FROM Emp", "the clock is the machine's"),
        (
            "SELECT SUM(id) OVER (ORDER BY id GROUPS 1 PRECEDING) AS s FROM Emp",
            "no GROUPS frames",
        ),
        (
            "SELECT SUM(id) OVER (ORDER BY id ROWS 1 PRECEDING EXCLUDE TIES) AS s FROM Emp",
            "no EXCLUDE",
        ),
    ],
)
def test_what_spark_cannot_say_has_a_reason(sql: str, reason: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        printed(sql)
    assert caught.value.reason == reason


def test_a_table_is_asked_the_same_by_the_printer_of_streams() -> None:
    sql = "SELECT name, COUNT(DISTINCT id) AS c FROM Emp GROUP BY name HAVING COUNT(*) > 1"
    plan = prepare(DDL, sql, Profile.CALCITE).query
    assert plan is not None
    assert StreamPrinter().query(plan) == printed(sql).replace("`EMP`", "EMP")
