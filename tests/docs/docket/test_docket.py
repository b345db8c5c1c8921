"""The pages of the docket are up to date, and have the answers that the engines' reports have."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from docs.docket.answers import message_text
from docs.docket.build import made
from docs.docket.pages import FOLDER, claim
from docs.docket.points import read_docket
from engines.harness.reports import report_files

DOCKET: Final = read_docket()
PAGES: Final = [FOLDER / f"{point.id}.md" for point in DOCKET.points]


@pytest.fixture(scope="module")
def raw_entries() -> Mapping[tuple[str, str], Any]:
    """The lines of the reports on the cases of the docket, by engine and case."""
    wanted = {id for point in DOCKET.points for id in point.cases}
    found: dict[tuple[str, str], Any] = {}
    files = [path for each in report_files() for path in (each, newer(each)) if path.exists()]
    for path in files:
        name = ""
        for line in path.read_text("utf-8").splitlines():
            fields = json.loads(line)
            if "hello" in fields:
                name = f"{fields['hello']['name']} {fields['hello']['version']}"
            elif fields.get("case") in wanted:
                found[name, fields["case"]] = fields
    return found


def newer(report: Path) -> Path:
    """The file with the answers to cases that are newer than a report."""
    return report.with_name(report.name.replace("report", "docket"))


@dataclass(frozen=True)
class Shown:
    """A line of a page about an engine and a case: its cells, or the reason why it has none."""

    engine: str
    case: str
    cells: tuple[str, ...] = ()
    verdict: str = ""
    reason: str = ""


def shown(page: Path) -> Iterator[Shown]:
    """The lines of a page about engines, in order."""
    text = page.read_text("utf-8")
    _, *parts = re.split(r"(?m)^## Transcript.*: `(.*)`$", text.split("## If you disagree")[0])
    for case, part in zip(parts[::2], parts[1::2], strict=True):
        for line in part.splitlines():
            if match := re.fullmatch(r"- (\S+ \d[\d.]+): (.*)", line):
                yield Shown(match[1], case, reason=match[2])
            elif match := re.match(r"\| (\S+ \d[\d.]+) \|", line):
                _, _, *cells, verdict = re.split(r" ?(?<!\\)\| ?", line.strip("| "))
                yield Shown(match[1], case, cells=tuple(cells), verdict=verdict)


def test_the_pages_are_up_to_date() -> None:
    texts = made()
    found = {path: path.read_text("utf-8") for path in FOLDER.glob("*.md")}
    stale = [
        path.name for path in texts.keys() | found.keys() if texts.get(path) != found.get(path)
    ]
    assert stale == [], "make docket writes them"


@pytest.mark.parametrize("page", PAGES, ids=lambda each: each.stem)
def test_each_answer_is_in_a_report(page: Path, raw_entries: Mapping[tuple[str, str], Any]) -> None:
    lines = list(shown(page))
    engines = {engine for engine, _ in raw_entries}
    assert engines <= {each.engine for each in lines}
    for each in lines:
        entry = raw_entries.get((each.engine, each.case))
        if entry is None:
            assert each.reason == "its last run did not include the case"
        elif each.reason:
            assert entry["outcome"] == "skip"
            feature, _, recorded = entry["reason"].partition(": ")
            if feature == "unsupported":
                assert f"“{recorded}”" in each.reason
            else:
                assert each.reason.startswith(f"the case needs the feature `{feature}`, ")
        else:
            assert (entry["outcome"] == "pass") == (each.verdict == "as ruled")
            # An engine that died has no transcript.
            transcript: Any = entry["transcript"] or {"outputs": ()}
            assert rows_of(each.cells) == rows_in(transcript)
            if "refused" in transcript:
                message = transcript["refused"]["message"]
                assert each.cells[0] == f"rejects the query: {message_text(message)}"


def rows_of(cells: tuple[str, ...]) -> list[list[str]]:
    """The rows that cells show, each as the texts of its values."""
    answered = [cell for cell in cells if not cell.startswith(("rejects", "fails"))]
    rows = [row for cell in answered for row in re.findall(r"\(([^()]*)\)", cell)]
    return [[text_of(value) for value in row.split(", ")] for row in rows]


def rows_in(transcript: Any) -> list[list[str]]:
    """The rows of a transcript, each as the texts of its values."""
    return [
        [text_of(value) for value in row]
        for output in transcript["outputs"]
        for row in output["rows"]
    ]


def text_of(value: object) -> str:
    """A value as the pages show it; a time loses the dates of the cases."""
    match value:
        case None:
            return "NULL"
        case float():
            return f"{value!r}E0"
        case _:
            return re.sub(r"^(2015-02-15|2024-05-01) (?=\d\d:)", "", str(value))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A row is late. *(RTB-003)* *(no code: a definition)*", "A row is late."),
        ("COUNT | BIGINT | 0 over no rows", "COUNT: BIGINT: 0 over no rows"),
        ("The last one. *(ours)* Sources: *CAL-069*.", "The last one."),
        ("A bound `b` (a promise) is kept.", "A bound `b` (a promise) is kept."),
    ],
)
def test_a_claim_is_a_clause_without_its_sources(text: str, expected: str) -> None:
    assert claim(text) == expected


def test_a_message_fits_into_a_cell() -> None:
    assert message_text(r"no | here\nsecond line") == r"no \| here"
    assert len(message_text("x" * 500)) == 161
