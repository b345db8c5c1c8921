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
