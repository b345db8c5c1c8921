"""ClickHouse's dialect, where it is not the standard's."""

import pytest

from algebra.catalog import Profile
from algebra.prepare import prepare
from engines.chdb.printer import ChdbPrinter
from engines.dialect.unsupported import UnsupportedError

DDL = "CREATE TABLE Marks (t TIMESTAMP(3), i INTERVAL HOUR, n INTEGER);"


def printed(expression: str) -> str:
    """The select item of a query over `DDL`."""
    plan = prepare(DDL, f"SELECT {expression} AS x FROM Marks", Profile.CALCITE).query
    assert plan is not None
    text = ChdbPrinter().query(plan)
    return text.removeprefix("SELECT ").removesuffix(' AS "X" FROM "MARKS" AS t0')


@pytest.mark.parametrize(
    ("unit", "interval"),
    [
        ("QUARTER", "toIntervalMonth(3 * t0.\"N\")"),
        ("WEEK", "toIntervalDay(7 * t0.\"N\")"),
        ("HOUR", "toIntervalSecond(3600 * t0.\"N\")"),
    ],
)  # fmt: skip
def test_a_constant_interval_is_multiplied_by_its_number(unit: str, interval: str) -> None:
    assert interval in printed(f"TIMESTAMPADD({unit}, n, t)")


def test_no_other_interval_is_multiplied() -> None:
    with pytest.raises(UnsupportedError, match="cannot be multiplied"):
        printed("t + n * i")


def test_an_asof_join_compares_the_times_in_its_condition() -> None:
    ddl = "CREATE TABLE L (t TIMESTAMP(3), k INTEGER); CREATE TABLE R (t TIMESTAMP(3), k INTEGER);"
    sql = "SELECT L.k FROM L LEFT ASOF JOIN R MATCH_CONDITION (L.t >= R.t) ON L.k = R.k"
    plan = prepare(ddl, sql, Profile.CALCITE).query
    assert plan is not None
    text = ChdbPrinter().query(plan)
    assert '"L" AS t0 ASOF LEFT JOIN "R" AS t1 ON (t0."K" = t1."K") AND (t0."T" >= t1."T")' in text
