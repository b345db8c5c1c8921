"""Load the corpus: all cases below some folders, and the problems of their files."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path

import tck
from tck.collection import without_collection
from tck.corpus.cached.store import CaseStore, cache_folder, digest_of_files, digest_of_texts
from tck.corpus.case import Case, Heading, Place
from tck.corpus.case_file import read_cases
from tck.corpus.document import (
    InvalidFilesError,
    Problem,
    files_below,
    parse_document,
    read_text,
)
from tck.corpus.fixture import FixtureLibrary, kit_fixtures
from tck.corpus.selected.selection import matches, may_have_case, may_have_chapter
from tck.corpus.types_file import TYPES_FILE, ResultTypes, read_types
from tck.files import shown_path


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


@cache
def kit_corpus(only: tuple[str, ...] = ()) -> Corpus:
    """The kit's own cases, and the problems of their files; ``only`` is as for `load_corpus`.

    The result is cached, because the kit's files do not change while a process runs.  Reading all
    of them takes seconds, so the cases are stored in the user's cache folder, and are read from
    there in a tenth of the time.
    """
    return _load([kit_cases()], only, _kit_store())


@without_collection()
def kit_headings() -> list[Heading] | None:
    """The headings of the kit's cases, from the cache folder, in the order of `kit_corpus`.

    None if the cache folder does not have some file in its present form, or if two cases have the
    same id.  Then `kit_corpus` must be read.
    """
    store = _kit_store()
    found: list[Heading] = []
    for chapter, path in _case_files(kit_cases()):
        try:
            key = store.key_of(chapter, read_text(path))
        except InvalidFilesError:
            return None
        headings = store.headings_of(key, shown_path(path))
        if headings is None:
            return None
        found.extend(headings)
    return None if any(_duplicates(found)) else found


def load_corpus(roots: Iterable[Path], only: Sequence[str] = ()) -> Corpus:
    """The cases below some roots, which are folders or single files.

    An id that two cases have is a problem, and so is a root without cases.

    ``only`` are patterns as for `Corpus.only`.  With patterns, files that seem to have no matching
    case are not read; but all cases of a file that is read are returned.  If no returned case
    matches a pattern, a case in a file that was not read can still match it.
    """
    return _load(roots, only, CaseStore(None, ""))


@without_collection()
def _load(roots: Iterable[Path], only: Sequence[str], store: CaseStore) -> Corpus:
    """The corpus as `load_corpus` returns it; files in the store are not parsed again."""
    cases: list[Case] = []
    problems: list[Problem] = []
    for root in roots:
        found, wrong = _load_root(root, only, store)
        cases.extend(found)
        problems.extend(wrong)
    problems.extend(_duplicates(cases))
    if not only and not problems:
        store.save()
    return Corpus(tuple(cases), tuple(problems))


def _kit_store() -> CaseStore:
    """The store of the kit's cases in the user's cache folder; empty if there is no folder."""
    folder, here = cache_folder(), Path(str(files(tck)))
    if folder is None:
        return CaseStore(None, "")
    code = (*here.glob("corpus/**/*.py"), *here.parent.glob("grammar/**/*.py"))
    shared = (*kit_cases().glob(TYPES_FILE), *kit_fixtures().glob("*.yaml"))
    others = (here / "protocol.py", here / "case.schema.json")
    try:
        basis = digest_of_files(sorted((*code, *others, *shared)))
    except OSError:
        return CaseStore(None, "")
    place = digest_of_texts([str(here.resolve())])[:16]  # each checkout has its own file
    return CaseStore.open(folder / "cases" / f"{place}.txt", basis)


def _load_root(
    root: Path, only: Sequence[str], store: CaseStore
) -> tuple[list[Case], list[Problem]]:
    """The cases and the problems of one root."""
    if not root.exists():
        hint = "give a folder of case files, or one file"
        return [], [Problem(Place(str(root), 1), "there is no such file or folder", hint)]
    top = root if root.is_dir() else root.parent
    library = FixtureLibrary((top / "fixtures", top.parent / "fixtures", kit_fixtures()))
    paths = _case_files(root) if root.is_dir() else [(_chapter(root), root)]
    cases: list[Case] = []
    problems: list[Problem] = []
    types: ResultTypes = {}
    try:
        types = read_types(top)
    except InvalidFilesError as error:
        problems.extend(error.problems)
    for chapter, path in paths:
        if not may_have_chapter(only, chapter):
            continue
        try:
            text = read_text(path)
            if not may_have_case(only, text):
                continue
            key, file = store.key_of(chapter, text), shown_path(path)
            if stored := store.cases_of(key, file):
                cases.extend(stored)
                continue
            document = parse_document(text, file)
        except InvalidFilesError as error:
            problems.extend(error.problems)
            continue
        found, wrong = read_cases(document, chapter, library)
        found = [replace(case, result=case.schema or types.get(case.id)) for case in found]
        store.keep(key, found)
        cases.extend(found)
        problems.extend(wrong)
    if not cases and not problems and not only:
        problems.append(Problem(Place(str(root), 1), "there are no case files (*.yaml) in it"))
    return cases, problems


def _case_files(root: Path) -> list[tuple[str, Path]]:
    """The case files below a root, each with its chapter, ordered by chapter, then by path."""
    found = files_below(root, [".yaml"])
    cases = (path for path in found if "fixtures" not in path.relative_to(root).parts[:-1])
    return sorted((_chapter(path), path) for path in cases)


def _chapter(path: Path) -> str:
    """The chapter of a case file: the name of its folder."""
    return Path(os.path.realpath(path)).parent.name


def _duplicates(cases: Iterable[Heading]) -> Iterator[Problem]:
    """A problem for each case whose id an earlier case has."""
    places: dict[str, Place] = {}
    for case in cases:
        first = places.setdefault(case.id, case.place)
        if first is not case.place:
            yield Problem(case.place, f"the id {case.id} is taken", f"by the case at {first}")
