"""Engines by chapter: of the rows, the order and the time that were judged, how many are right."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypedDict

from tck.corpus.selected.requirements import BEYOND
from tck.judging.verdict import Kind, Mark, Outcome
from tck.report.record import Entry, RunRecord

#: The marks of this project's own backends at their last run; their reports are too long to commit.
OURS: Final = Path(__file__).with_name("ours.json")

#: Failures of cases that expect a refusal or metadata: they have no rows to be wrong.
WITHOUT_ROWS: Final = frozenset({Kind.ACCEPTED, Kind.WRONG_CODE, Kind.WRONG_METADATA})


@dataclass(slots=True)
class Marks:
    """For rows, order and time: how many cases are right, and how many were judged."""

    right: list[int] = field(default_factory=lambda: [0, 0, 0])
    judged: list[int] = field(default_factory=lambda: [0, 0, 0])

    def add(self, entry: Entry) -> None:
        """Count a case; one that failed before it had its rows has wrong rows."""
        if entry.verdict.outcome is Outcome.SKIP:
            return
        marks = [entry.marks.rows, entry.marks.order, entry.marks.time]
        failed = entry.verdict.outcome is not Outcome.PASS
        if marks[0] is Mark.NONE and failed and entry.verdict.kind not in WITHOUT_ROWS:
            marks[0] = Mark.FAIL
        for place, mark in enumerate(marks):
            self.right[place] += mark is Mark.PASS
            self.judged[place] += mark is not Mark.NONE

    def __str__(self) -> str:
        """``12/14 · 4/4 · -``; "" if nothing was judged."""
        return " · ".join(self.fractions()) if any(self.judged) else ""

    def fractions(self) -> list[str]:
        """``12/14`` for each mark; ``-`` for one that was not judged."""
        pairs = zip(self.right, self.judged, strict=True)
        return [f"{right}/{judged}" if judged else "-" for right, judged in pairs]


@dataclass(frozen=True, slots=True)
class Column:
    """A backend of the table: its last run, the number of ``cases``, and its marks by chapter."""

    name: str
    version: str
    date: str
    tier: str
    cases: int
    chapters: Mapping[str, Marks]

    @property
    def total(self) -> Marks:
        """The marks of all chapters together, without `BEYOND`, as in a report."""
        both = Marks()
        for chapter, each in self.chapters.items():
            if chapter == BEYOND:
                continue
            both.right = [a + b for a, b in zip(both.right, each.right, strict=True)]
            both.judged = [a + b for a, b in zip(both.judged, each.judged, strict=True)]
        return both


def columns(record: RunRecord) -> list[Column]:
    """A column for each backend of a run."""
    chapters: dict[str, dict[str, Marks]] = {name: defaultdict(Marks) for name in record.hellos}
    for entry in record.entries:
        chapters[entry.backend][entry.chapter].add(entry)
    return [
        Column(
            name=hello.name,
            version=hello.version,
            date=record.date,
            tier=record.tiers[name],
            cases=record.cases_on(name),
            chapters=dict(chapters[name]),
        )
        for name, hello in record.hellos.items()
    ]


class _Kept(TypedDict):
    """A column in `OURS`; a chapter's six numbers are the right ones, then the judged ones."""

    version: str
    date: str
    tier: str
    cases: int
    chapters: dict[str, list[int]]


def write_ours(found: Iterable[Column], path: Path = OURS) -> None:
    """Keep columns of this project's own backends, and those of before that none of them replaces.

    Raises ``OSError``.
    """
    data = {
        each.name: _Kept(
            version=each.version,
            date=each.date,
            tier=each.tier,
            cases=each.cases,
            chapters={
                chapter: marks.right + marks.judged
                for chapter, marks in each.chapters.items()
                if any(marks.judged)
            },
        )
        for each in [*read_ours(path), *found]
    }
    lines = json.dumps(data, indent=1, sort_keys=True)
    path.write_text(f"{lines}\n", encoding="utf-8")


def read_ours(path: Path = OURS) -> list[Column]:
    """The columns that `write_ours` kept, by name: the reference first."""
    if not path.exists():
        return []
    data: dict[str, _Kept] = json.loads(path.read_text(encoding="utf-8"))
    return [
        Column(
            name=name,
            version=each["version"],
            date=each["date"],
            tier=each["tier"],
            cases=each["cases"],
            chapters={chapter: Marks(m[:3], m[3:]) for chapter, m in each["chapters"].items()},
        )
        for name, each in sorted(data.items())
    ]


def table(engines: Sequence[Column]) -> str:
    """The matrix in Markdown: a column for each engine, a line for each chapter that one ran."""
    chapters = sorted({
        chapter
        for each in engines
        for chapter, marks in each.chapters.items()
        if any(marks.judged)
    })  # fmt: skip
    rows = [
        ["rows · order · time", *(each.name for each in engines)],
        ["---", *("---" for _ in engines)],
        ["version", *(each.version for each in engines)],
        ["run on", *(each.date for each in engines)],
        ["judged at tier", *(f"`{each.tier}`" for each in engines)],
        ["cases", *(str(each.cases) for each in engines)],
        ["**all**", *(f"**{each.total}**" for each in engines)],
    ]
    rows += [
        [chapter, *(str(each.chapters.get(chapter, "")) for each in engines)]
        for chapter in chapters
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def results(engines: Sequence[Column]) -> str:
    """A line for each engine in Markdown: its cases, and the shares that are right."""
    rows = [
        ["engine", "version", "tier", "cases", "rows", "order", "time"],
        ["---"] * 7,
        *(
            [each.name, each.version, f"`{each.tier}`", str(each.cases), *each.total.fractions()]
            for each in engines
        ),
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)
