"""`rowtime explain --metadata`, as text and as JSON (docs/metadata.md)."""

import json
import re
from pathlib import Path
from typing import Any, Final

import pytest
from typer.testing import CliRunner, Result

from rowtime.cli import app

SORT: Final = (
    "SELECT STREAM FLOOR(rowtime TO HOUR) AS rowtime, units"
    "  FROM Orders ORDER BY FLOOR(rowtime TO HOUR), units DESC"
)
JOIN: Final = (
    "SELECT STREAM o.rowtime, s.rowtime AS shipTime FROM Orders AS o JOIN Shipments AS s"
    " ON o.orderId = s.orderId AND s.rowtime BETWEEN o.rowtime AND o.rowtime + INTERVAL '1' HOUR"
)


def explained(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["explain", "--metadata", *arguments])


def as_json(*arguments: str) -> dict[str, Any]:  # Any: JSON
    result = explained("--json", *arguments)
    assert result.exit_code == 0, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)  # Any: JSON
    return found


def test_the_page_shows_what_the_command_prints() -> None:
    page = (Path(__file__).parents[2] / "docs" / "metadata.md").read_text("utf-8")
    assert explained(SORT).stdout.strip() in page


def test_without_the_option_there_is_the_plan_only() -> None:
    plain = CliRunner().invoke(app, ["explain", SORT])
    shown = [line for line in explained(SORT).stdout.splitlines()[:-2] if "│" not in line]
    assert plain.stdout.splitlines() == shown


def test_the_json_has_every_node_with_its_inputs() -> None:
    found = as_json(JOIN)
    assert found["version"] == 1
    assert found["streaming"] is True
    assert [each["node"].partition("(")[0] for each in found["nodes"]] == [
        "LogicalDelta",
        "LogicalProject",
        "LogicalJoin",
        "LogicalTableScan",
        "LogicalTableScan",
    ]
    assert [each["inputs"] for each in found["nodes"]] == [[1], [2], [3, 4], [], []]
    assert found["latency"]["milliseconds"] == 3_600_000


def test_the_json_of_a_node_says_what_the_text_does() -> None:
    join = as_json(JOIN)["nodes"][2]
    assert join["base"] == "left"
    assert join["columns"][0] == {
        "name": "ROWTIME$0",
        "type": "TIMESTAMP(3)",
        "monotonicity": "INCREASING",
        "disorder": None,
    }
    assert join["collations"] == [
        [{"expression": "ROWTIME$0", "direction": "ASC", "nulls": None, "strict": False}]
    ]
    assert [(each["expression"], each["latency"]["text"]) for each in join["sortable"]] == [
        ("ROWTIME$4", "1 HOUR")
    ]
    assert [(each["keeps"], each["input"], each["per"]) for each in join["state"]] == [
        ("rows", 0, []),
        ("rows", 1, []),
    ]
    assert join["state"][0]["for"] == {
        "text": "1 HOUR",
        "milliseconds": 3_600_000,
        "rows": 0,
        "groups": 0,
        "columns": [],
        "until_bound": False,
        "while_clocks_differ": False,
        "all_rows": False,
        "unbounded": None,
    }


def test_every_node_has_the_keys_that_the_page_names() -> None:
    keys = {
        "node",
        "inputs",
        "streaming",
        "columns",
        "collations",
        "sortable",
        "base",
        "latency",
        "state",
        "complete",
    }
    for sql in (SORT, JOIN, "SELECT * FROM Products"):
        assert all(each.keys() == keys for each in as_json(sql)["nodes"])


def test_disorder_is_reported_for_a_column_out_of_order(tmp_path: Path) -> None:
    ddl = tmp_path / "late.sql"
    ddl.write_text(
        "CREATE STREAM Late (rowtime TIMESTAMP(3) ASCENDING WITHIN INTERVAL '10' SECOND, v INTEGER)"
    )
    sql = "SELECT STREAM * FROM Late"
    assert "ROWTIME INCREASING up to 10 SECOND" in explained("--ddl", str(ddl), sql).stdout
    [rowtime, v] = as_json("--ddl", str(ddl), sql)["nodes"][1]["columns"]
    assert rowtime["disorder"]["milliseconds"] == 10_000
    assert v["monotonicity"] == "NOT_MONOTONIC"
    assert v["disorder"] is None


def test_the_profile_is_heeded() -> None:
    sql = "SELECT STREAM rowtime, SUM(units) OVER (ORDER BY rowtime ROWS 2 PRECEDING) AS u"
    window = "RANGE INTERVAL '1' HOUR PRECEDING"
    sql = sql.replace("ROWS 2 PRECEDING", window) + " FROM Orders"
    assert as_json(sql)["latency"]["milliseconds"] == 1
    assert as_json("--profile", "sqlstream", sql)["latency"]["milliseconds"] == 0


@pytest.mark.parametrize(
    ("arguments", "code", "shown"),
    [
        (["explain", "--json", SORT], 2, "--json goes with --metadata"),
        (["explain", "--metadata", "SELECT STREAM * FROM Shops"], 1, "UNKNOWN_OBJECT"),
        (
            ["explain", "--metadata", "SELECT STREAM productId FROM Orders ORDER BY productId"],
            1,
            "NOT_MONOTONIC_ORDER",
        ),
    ],
)
def test_a_mistake_is_reported(arguments: list[str], code: int, shown: str) -> None:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == code
    assert shown in result.output


CHANGELOG: Final = (
    "SELECT STREAM productId, COUNT(*) AS c FROM Orders GROUP BY productId EMIT CHANGES"
)


def test_a_changelog_shows_what_its_operators_retain() -> None:
    """S-1010.a, S-1010.b: nothing waits, and nothing is final."""
    shown = explained(CHANGELOG).stdout
    assert "state      an accumulator per (PRODUCTID) that has valid rows" in shown
    assert set(re.findall("latency +(.*)", shown)) == {"none"}
    assert set(re.findall("complete +(.*)", shown)) == {"never: any row can change again"}
    assert "sorted on" not in shown
    assert shown.strip().endswith("no row of the answer is final.")


def test_the_json_of_a_changelog_names_the_keys_of_its_groups() -> None:
    """S-1010.b."""
    found = as_json(CHANGELOG)
    states = [each["state"] for each in found["nodes"]]
    group = {
        "keeps": "accumulators of valid rows",
        "input": 0,
        "per": ["PRODUCTID"],
        "for": None,
    }
    assert states == [[], [], [group], []]


def test_a_table_of_a_changelog_retains_its_rows() -> None:
    """S-1010.b: in JSON, too, where the table has no input."""
    found = as_json("SELECT STREAM name FROM Products EMIT CHANGES")
    valid: dict[str, object] = {"keeps": "valid rows", "input": 0, "per": [], "for": None}
    assert [each["state"] for each in found["nodes"]][-1] == [valid]
