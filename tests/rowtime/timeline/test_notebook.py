"""`rowtime.trace` in a notebook: the picture, the text, and mistakes."""

import re
from collections.abc import Mapping
from html import unescape
from operator import methodcaller
from pathlib import Path
from typing import Any

import pytest

import rowtime
from rowtime.timeline.case_events import play_of_case
from rowtime.timeline.draw import html
from rowtime.timeline.timeline import timeline
from tck.drawing.draw import svg, svg_in_html

HOURS = (
    "SELECT STREAM FLOOR(rowtime TO HOUR) AS rowtime, SUM(units) AS units "
    "FROM Orders GROUP BY FLOOR(rowtime TO HOUR)"
)
STEPS: list[Mapping[str, object]] = [
    {"feed": {"Orders": [["10:17:00", 30, 5, 4], ["10:18:00", 10, 6, 1]]}},
    {"bound": {"Orders": "11:00:00"}},
]


def test_the_picture_is_that_of_the_command() -> None:
    id = "union-all-waits-for-the-silent-side"
    shown = rowtime.trace(case=id)
    run = timeline(play_of_case(id, []))
    assert shown.svg == svg(run)
    assert shown.svg in html(run)
    inside = methodcaller("_repr_html_")(shown)
    assert inside.startswith(f"{svg_in_html(run)}\n")
    assert contents(inside) == contents(shown.svg)


def contents(drawn: str) -> list[str]:
    """The signs and labels of a picture in order, without its title and its style."""
    return re.findall(r"<(?:path|text|rect) [^>]*>(?:[^<]*</text>)?", drawn)


def test_a_notebook_has_the_run_as_text_too_and_keeps_its_own_style() -> None:
    shown = rowtime.trace(HOURS, STEPS, date="2015-02-15")
    inside = methodcaller("_repr_html_")(shown)
    (text,) = re.findall("<pre>(.*?)</pre>", inside, re.DOTALL)
    assert unescape(text) == str(shown) == repr(shown)
    (style,) = re.findall("<style>(.*?)</style>", inside, re.DOTALL)
    unindented = re.findall(r"(?m)^(?!@media|[}\n]|$)\S+ {$", style)
    assert unindented == [".timeline {", ".timeline {"]
    others = re.sub(r"(?s)\.timeline {.*?\n}\n?", "", style)
    assert " ".join(others.split()) == "@media screen and (prefers-color-scheme: dark) { }"


def test_steps_are_played() -> None:
    shown = str(rowtime.trace(HOURS, STEPS, date="2015-02-15"))
    assert shown.startswith(f"{HOURS}\ntrace, 2015-02-15\n")
    assert shown.count("─ emitted") == 1
    assert re.search("─ emitted .* 10:00:00, 5  *11:00:00", shown)


def test_a_schema_and_tables_can_be_set() -> None:
    shown = rowtime.trace(
        "SELECT STREAM b FROM S JOIN T ON S.a = T.a",
        [{"feed": {"S": [["2026-01-01 10:00:00", 1]]}}],
        ddl="CREATE STREAM S (rowtime TIMESTAMP(3) ASCENDING, a INTEGER); "
        "CREATE TABLE T (a INTEGER, b VARCHAR(5))",
        tables={"T": [[1, "one"]]},
    )
    assert "one" in str(shown)
    assert shown.failure == ""


def test_a_script_is_played(tmp_path: Path) -> None:
    path = tmp_path / "hours.yaml"
    path.write_text("steps:\n- feed: {Orders: [['2015-02-15 10:17:00', 30, 5, 4]]}\n- end: true\n")
    assert "hours.yaml" in str(rowtime.trace(HOURS, script=path))


def test_a_failure_at_run_time_is_shown() -> None:
    shown = rowtime.trace("SELECT STREAM 1 / (units - 4) FROM Orders", STEPS, date="2015-02-15")
    assert shown.failure.startswith("DIVISION_BY_ZERO")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "say what happens"),
        ({"case": "a", "steps": []}, "say what happens"),
        ({"case": "a", "sql": "SELECT 1"}, "a case has its own query"),
        ({"case": "no-such-case"}, "^case no-such-case: there is no such case"),
        ({"sql": HOURS, "steps": []}, "^steps: "),
        ({"sql": HOURS, "steps": [{"feed": {"X": [[1]]}}]}, "^X is not declared"),
        ({"sql": "SELECT STREAM x FROM Orders", "steps": STEPS, "date": "2015-02-15"}, "UNKNOWN_C"),
        ({"sql": "SELECT 1", "steps": STEPS, "date": "2015-02-15"}, "SELECT STREAM"),
        ({"sql": HOURS, "script": "no/such/file"}, "no/such/file"),
    ],
)
def test_mistakes_are_errors_of_the_driver(
    arguments: dict[str, Any],
    message: str,  # Any: arguments of several types
) -> None:
    with pytest.raises(rowtime.DatabaseError, match=message):
        rowtime.trace(**arguments)
