"""`rowtime trace` of a changelog: the time in which each row was valid, as text and as picture."""

import re
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

import rowtime
from rowtime.cli import app
from tck.drawing.changelog import ChangelogRun, PlainEvent, drawn_events, valid_lanes

SCRIPT: Final = """\
date: '2026-01-01'
ddl: |
  CREATE STREAM S (rowtime TIMESTAMP(3) ASCENDING, k VARCHAR(9));
  CREATE STREAM Ch (k VARCHAR(9)) WITH CHANGES;
  CREATE TABLE T (k VARCHAR(9))
tables: {T: [[x]]}
sql: @SQL@
steps:
- feed: {S: [['10:00:00', x]]}
- feed: {S: [['10:01:00', y], ['10:02:00', x], ['09:00:00', x]]}
- feed: {Ch: [[x]]}
- feed: {Ch: [-: [x]]}
- end: true
"""
COUNTS: Final = "SELECT STREAM k, COUNT(*) AS c FROM S GROUP BY k EMIT CHANGES"
#: The last lines of a run that changes its answer.
LEGEND: Final = ["", "● row inserted   × row deleted   │ the row is in the answer"]  # noqa: RUF001 - the sign


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def traced(sql: str, *options: str, status: int = 0) -> list[str]:
    """The lines that the command prints below those of the query and the file."""
    Path("script.yaml").write_text(SCRIPT.replace("@SQL@", sql))
    result = CliRunner().invoke(app, ["trace", "--script", "script.yaml", *options])
    assert result.exit_code == status, result.output
    return [line.rstrip() for line in result.stdout.splitlines()[3:]]


def test_the_text_shows_how_long_each_row_was_valid() -> None:
    """S-1001.b, S-1001.h: the rows of one step are one event."""
    assert traced(COUNTS) == [
        "  #  what happens          valid: K, C",
        "  1  T  1 row from before",
        "  2  S  10:00:00, x",
        "       + x, 1              ●",
        "  3  S  10:01:00, y        │",
        "     S  10:02:00, x        │",
        "     S  09:00:00, x        │",
        "       - x, 1              ×",  # noqa: RUF001 - the sign
        "       + y, 1              ●",
        "       + x, 2              │●",
        "     └─ dropped: late: ROWTIME: below the rows before it",
        "  4  CH  x                 ││",
        "  5  CH  delete x          ││",
        "  6  end of all input      ││",
        "",
        "the current answer: 2 rows",
        "  y, 1",
        "  x, 2",
        *LEGEND,
    ]


def test_the_first_answer_has_the_rows_of_tables() -> None:
    """S-1001.b: it is before the first event."""
    lines = traced("SELECT STREAM T.k FROM T EMIT CHANGES")
    assert lines[1].split() == ["1", "T", "1", "row", "from", "before"]
    assert lines[2].split() == ["+", "x", "●"]
    assert lines[-4:] == ["the current answer: 1 row", "  x", *LEGEND]


def test_a_delete_of_a_stream_with_changes_ends_the_row() -> None:
    lines = traced("SELECT STREAM k FROM Ch EMIT CHANGES")
    assert [line.split() for line in lines if line.startswith("       ")] == [
        ["+", "x", "●"],
        ["-", "x", "×"],  # noqa: RUF001 - the sign
    ]
    assert lines[-3:] == ["the current answer: 0 rows", *LEGEND]


def test_a_failure_ends_the_run() -> None:
    """S-1001.e."""
    lines = traced("SELECT STREAM 6 / (COUNT(*) - 3) AS q FROM S EMIT CHANGES", status=1)
    assert "DIVISION_BY_ZERO" in next(line for line in lines if "└─ the query fails" in line)
    assert not any(line.startswith("  4") for line in lines)  # the third event fails


def test_the_picture_strikes_out_what_was_retracted() -> None:
    traced(COUNTS, "--svg", "a.svg", "--html", "a.html")
    drawn = ElementTree.parse("a.svg")
    texts = {e.text: e.get("class") for e in drawn.iter() if e.tag.endswith("text")}
    assert texts["+ x, 1"] == "gone"
    assert texts["+ x, 2"] == texts["+ y, 1"] == "result"
    assert texts["the current answer: 2 rows"] == "head"
    looks = [e.get("class") for e in drawn.iter() if e.tag.endswith("path")]
    # One bar is in the legend.
    assert (looks.count("valid"), looks.count("valid now")) == (2, 3)
    reasons = {e.text for e in drawn.iter() if e.tag.endswith("title")}
    assert {
        "(x, 1) is in the answer from event 2 on, until event 3 deletes it",
        "event 3 deletes (x, 1), which event 2 has inserted",
        "(x, 2) is in the answer from event 3 on, and is there at the end",
    } <= reasons
    assert "<svg" in Path("a.html").read_text()


def test_bars_reach_from_the_insert_to_the_delete() -> None:
    traced(COUNTS, "--svg", "a.svg")
    drawn = ElementTree.parse("a.svg")
    paths = [(e.get("class") or "", e) for e in drawn.iter() if e.tag.endswith("path")]
    found = (re.fullmatch(r"M([\d.]+) ([\d.]+)V([\d.]+)", e.get("d") or "") for _, e in paths)
    bars = [
        (x, top, end)
        for (look, _), each in zip(paths, found, strict=True)
        if each and look.startswith("valid")
        for x, top, end in [tuple(map(float, each.groups()))]
    ]
    marks = [
        (*map(float, re.findall(r"[\d.]+", e.get("transform") or "")), look)
        for look, e in paths
        if look in ("dot i0", "lost")
    ]
    starts = {(x, y) for x, y, look in marks if look == "dot i0"}
    crosses = {(x, y) for x, y, look in marks if look == "lost"}
    assert all((x, top) in starts for x, top, _ in bars)
    assert len([1 for x, _, end in bars if (x, end) in crosses]) == 1


def test_a_notebook_shows_a_changelog() -> None:
    shown = rowtime.trace(
        "SELECT STREAM COUNT(*) AS c FROM Orders EMIT CHANGES",
        [{"feed": {"Orders": [["2015-02-15 10:17:00", 30, 5, 4]]}}],
    )
    assert "+ 1" in str(shown)
    assert "<svg" in shown.svg


def test_a_row_takes_the_first_lane_that_is_free() -> None:
    """Of equal rows the one that was inserted first is the one that is deleted."""
    events = [
        PlainEvent(("1",), (), [("a", 1), ("b", 1), ("a", 1)]),
        PlainEvent(("2",), (), [("a", -1)]),
        PlainEvent(("3",), (), [("c", 1), ("d", -1)]),
    ]
    drawn = [
        [(each.text, each.inserts, each.lane, each.stays, each.other) for each in event.changes]
        for event in drawn_events(events)
    ]
    assert drawn == [
        [("a", True, 0, False, 2), ("b", True, 1, True, 0), ("a", True, 2, True, 0)],
        [("a", False, 0, False, 1)],
        [("c", True, 0, True, 0), ("d", False, 3, False, 0)],
    ]


def test_a_delete_of_a_row_that_is_not_there_ends_no_other_row() -> None:
    """Its lane is the first that no valid row has, even between the lanes of valid rows."""
    events = drawn_events(
        [
            PlainEvent(("1",), (), [("x", 1), ("y", 1)]),
            PlainEvent(("2",), (), [("x", -1)]),
            PlainEvent(("3",), (), [("z", -1)]),
            PlainEvent(("4",), (), []),
        ]
    )
    assert [each.lane for event in events for each in event.changes] == [0, 1, 0, 0]
    run = ChangelogRun(title="", sql="", columns="", day="", events=events)
    # ``y`` is in lane 1, and stays in the answer.
    assert [valid for _, valid in valid_lanes(run)] == [set(), {0, 1}, {1}, {1}]
    assert run.answer == ("y",)


def test_a_row_that_comes_and_goes_in_one_event_is_drawn_so() -> None:
    (event,) = drawn_events([PlainEvent(("1",), (), [("a", 1), ("a", -1)])])
    assert [(each.inserts, each.lane, each.other) for each in event.changes] == [
        (True, 0, 1),
        (False, 0, 1),
    ]
