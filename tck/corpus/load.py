"""The corpus: all cases under some folders, and the problems of their files."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path

import tck
from tck.collection import without_collection
from tck.corpus.case import Case, Place
from tck.corpus.case_file import read_cases
from tck.corpus.document import InvalidFilesError, Problem, read_document
from tck.corpus.fixture import FixtureLibrary
from tck.corpus.selected.selection import matches
from tck.corpus.types_file import ResultTypes, read_types


@dataclass(frozen=True, slots=True)
class Corpus:
    """Cases in the order of chapter, file and line; and the problems of invalid files."""

    cases: tuple[Case, ...]
    problems: tuple[Problem, ...] = ()

    def only(self, globs: Sequence[str]) -> "Corpus":
        """The cases whose id, or chapter/id, matches one of ``globs``; all cases if it is empty."""
        if not globs:
            return self
        return Corpus(tuple(c for c in self.cases if matches(c, globs)), self.problems)


def kit_cases() -> Path:
    """The root of the kit's own cases."""
    return Path(str(files(tck).joinpath("cases")))


def kit_fixtures() -> Path:
    """The folder of the kit's own fixtures."""
    return Path(str(files(tck).joinpath("fixtures")))


@cache
def kit_corpus() -> Corpus:
    """The kit's own cases, and the problems of their files.

    A process reads them once, which takes seconds; the files of the kit do not change meanwhile.
    """
    return load_corpus([kit_cases()])


@without_collection()
def load_corpus(roots: Iterable[Path]) -> Corpus:
    """The cases under some roots, which are folders or single files.

    An id that two cases have is a problem; so is a root without cases.
    """
    cases: list[Case] = []
    problems: list[Problem] = []
    for root in roots:
        found, wrong = _load_root(root)
        cases.extend(found)
        problems.extend(wrong)
    problems.extend(_duplicates(cases))
    return Corpus(tuple(cases), tuple(problems))


def _load_root(root: Path) -> tuple[list[Case], list[Problem]]:
    if not root.exists():
        hint = "give a folder of case files, or one file"
        return [], [Problem(Place(str(root), 1), "there is no such file or folder", hint)]
    top = root if root.is_dir() else root.parent
    library = FixtureLibrary((top / "fixtures", top.parent / "fixtures", kit_fixtures()))
    paths = _case_files(root) if root.is_dir() else [root]
    cases: list[Case] = []
    problems: list[Problem] = []
    types: ResultTypes = {}
    try:
        types = read_types(top)
    except InvalidFilesError as error:
        problems.extend(error.problems)
    for path in paths:
        try:
            document = read_document(path)
        except InvalidFilesError as error:
            problems.extend(error.problems)
            continue
        found, wrong = read_cases(document, _chapter(path), library)
        cases.extend(replace(case, result=case.schema or types.get(case.id)) for case in found)
        problems.extend(wrong)
    if not cases and not problems:
        problems.append(Problem(Place(str(root), 1), "there are no case files (*.yaml) in it"))
    return cases, problems


def _case_files(root: Path) -> list[Path]:
    """The case files below a root, ordered by chapter, then by path."""
    found = root.rglob("*.yaml")
    cases = (path for path in found if "fixtures" not in path.relative_to(root).parts[:-1])
    return sorted(cases, key=lambda path: (_chapter(path), path))


def _chapter(path: Path) -> str:
    """The chapter of a case file: the name of its folder."""
    return path.resolve().parent.name


def _duplicates(cases: Iterable[Case]) -> Iterator[Problem]:
    places: dict[str, Place] = {}
    for case in cases:
        first = places.setdefault(case.id, case.place)
        if first is not case.place:
            yield Problem(case.place, f"the id {case.id} is taken", f"by the case at {first}")
