"""Read the ledger of statements, errata and rulings, and find out which of them cases test."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Literal, TypeAlias

import tck
from tck.corpus.case import Case, Place
from tck.corpus.document import InvalidFilesError, Problem, YamlNode, read_valid

#: The status of an entry, as docs/sources.md explains it; ``skipped by all``: every backend skips
#: each of its cases.
Status: TypeAlias = Literal["tested", "skipped by all", "timed", "not testable", "open"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A statement of a source, an erratum in a source, or our own ruling.

    ``says`` is the statement in words, and ``place`` is its line in the ledger.  ``check`` has the
    kinds of cases that can check it, such as NEG for a rejection.  ``right`` is the correction of
    an erratum.  ``untested`` is the reason why cases need not cite it: ``timed`` if only a tier
    above ``final`` can test it, or ``not testable``; ``reason`` explains this.  ``tested_by`` has
    tests of this project that check it besides the cases: ``tests/….py``, or
    ``tests/….py::test_name``.
    """

    id: str
    source: str
    says: str
    check: tuple[str, ...]
    place: Place
    right: str = ""
    untested: Literal["timed", "not testable"] | None = None
    reason: str = ""
    tested_by: tuple[str, ...] = ()

    @property
    def family(self) -> str:
        """The letters before the number in the id: CAL, MON, EXT, RTB, E or S."""
        return self.id.partition("-")[0]


@dataclass(frozen=True, slots=True)
class CoveredEntry:
    """An entry's status, the ids of the cases that cite it, and the project's tests that check it.

    ``reason`` explains why there are no cases or tests.  ``independent`` is the number of the cases
    that some backend runs; all cases of a series count as one.
    """

    id: str
    status: Status
    cases: tuple[str, ...]
    reason: str = ""
    independent: int = 0
    tests: tuple[str, ...] = ()


def kit_ledger() -> Path:
    """The folder of the kit's own ledger."""
    return Path(str(files(tck).joinpath("ledger")))


def read_ledger(folder: Path) -> tuple[Entry, ...]:
    """The entries of all files in a folder, in the order of files.  Raises `InvalidFilesError`."""
    problems: list[Problem] = []
    entries: dict[str, Entry] = {}
    paths = sorted(folder.glob("*.yaml"))
    if not paths:
        raise InvalidFilesError(
            [Problem(Place(str(folder), 1), "there is no ledger (*.yaml) in it")]
        )
    for path in paths:
        try:
            found = _read_file(path)
        except InvalidFilesError as error:
            problems.extend(error.problems)
            continue
        for entry in found:
            first = entries.setdefault(entry.id, entry)
            if first is not entry:
                problems.append(Problem(entry.place, f"{entry.id} is listed at {first.place}, too"))
    if problems:
        raise InvalidFilesError(problems)
    return tuple(entries.values())


def _read_file(path: Path) -> list[Entry]:
    """The entries of one file.  Raises `InvalidFilesError`."""
    listed = read_valid(path, "ledger.schema.json").get("entries")
    assert listed is not None, "the schema asks for entries"
    return [_entry(node) for node in listed.elements]


def _entry(node: YamlNode) -> Entry:
    """The entry in a mapping of the file."""

    def text(key: str) -> str:
        """The text of a key; empty if the key is left out."""
        return next(iter(node.texts(key)), "").strip()

    untested: dict[str, Literal["timed", "not testable"]] = {
        "timed": "timed",
        "not_testable": "not testable",
    }
    return Entry(
        id=text("id"),
        source=text("source"),
        says=text("says"),
        check=node.texts("check"),
        place=node.place,
        right=text("right"),
        untested=untested.get(text("status")),
        reason=text("reason"),
        tested_by=node.texts("tested_by"),
    )


def coverage(
    entries: Iterable[Entry], cases: Iterable[Case], skipped: Container[str] = frozenset()
) -> list[CoveredEntry]:
    """The status of each entry, in the order of ``entries``.

    An entry is tested if a case cites it, or if it has tests.  ``skipped`` are the ids of the cases
    that every backend skips, which therefore test nothing.
    """
    listed = list(cases)
    series = {case.id: case.series or case.id for case in listed}  # a lone case is its own series
    citing = cited_by(listed)
    covered: list[CoveredEntry] = []
    for entry in entries:
        ids, tests = tuple(citing.get(entry.id, ())), entry.tested_by
        independent = len({series[id] for id in ids if id not in skipped})
        status: Status
        if independent or tests:
            status = "tested"
        else:
            status = "skipped by all" if ids else entry.untested or "open"
        reason = "" if ids or tests else entry.reason
        covered.append(
            CoveredEntry(
                id=entry.id,
                status=status,
                cases=ids,
                reason=reason,
                independent=independent,
                tests=tests,
            )
        )
    return covered


def cited_by(cases: Iterable[Case]) -> Mapping[str, Sequence[str]]:
    """By cited entry: the ids of the cases that cite it, or a clause of it, in their order."""
    citing: dict[str, list[str]] = {}
    for case in cases:
        for id in dict.fromkeys(entry_of(cited) for cited in case.cites):
            citing.setdefault(id, []).append(case.id)
    return citing


def entry_of(cited: str) -> str:
    """The id of the entry to which a citation belongs: S-203 for S-203.a, a clause of this rule."""
    return cited.partition(".")[0]
