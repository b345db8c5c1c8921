"""Read the unit tests of a user's SQL, in files of the kit's own form or of dbt's, as cases."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from tck.corpus.case import Case, Fixture, Place
from tck.corpus.case_file import read_cases
from tck.corpus.ddl import declared_columns
from tck.corpus.document import (
    Document,
    InvalidFilesError,
    Problem,
    YamlNode,
    files_below,
    parse_document,
    read_text,
    schema_problems,
)
from tck.corpus.fixture import FixtureLibrary, kit_fixtures
from tck.corpus.load import Corpus
from tck.corpus.unit_tests.dbt import UNIT_TESTS, with_cases
from tck.files import shown_path

#: The endings of the names of files with tests.  In a folder, only these and dbt files are read.
ENDINGS: Final = (".test.yaml", ".test.yml")
#: The endings of the names of dbt files, which are read if they have tests.
_DBT_ENDINGS: Final = (".yaml", ".yml")


def read_unit_tests(paths: Iterable[Path], scripts: Sequence[Path] = ()) -> Corpus:
    """The tests in files and below folders, in the order of the paths, and the problems of files.

    ``scripts`` are files of SQL that run before the script that a file of tests names.  The chapter
    of a case is the name of its file.  It is a problem if two tests of one file have the same id,
    or if a path has no tests.
    """
    cases: list[Case] = []
    problems: list[Problem] = []
    for path in paths:
        files = _test_files(path) if path.is_dir() else [path]
        if not files:
            hint = f"tests are in files whose names end with {' or '.join(ENDINGS)}"
            problems.append(Problem(Place(shown_path(path), 1), "there are no tests in it", hint))
        for file in files:
            try:
                found, wrong = _read_file(file, scripts)
            except InvalidFilesError as error:
                problems.extend(error.problems)
            else:
                cases.extend(found)
                problems.extend([*wrong, *_repeated(found)])
    return Corpus(tuple(cases), tuple(problems))


def _test_files(folder: Path) -> list[Path]:
    """The files with tests below a folder; names that begin with a dot are left out."""
    files = (
        path
        for path in files_below(folder, _DBT_ENDINGS)
        if not any(part.startswith(".") for part in path.relative_to(folder).parts)
    )
    return [path for path in files if path.name.endswith(ENDINGS) or _has_dbt_tests(path)]


def _has_dbt_tests(path: Path) -> bool:
    """Whether a file of YAML seems to be a dbt file with tests; it is not parsed."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False  # it need not be a file of tests, so this is not a problem
    return any(line.startswith(f"{UNIT_TESTS}:") for line in text.splitlines())


def _read_file(path: Path, scripts: Sequence[Path]) -> tuple[list[Case], list[Problem]]:
    """The tests of one file, and the problems of its other tests.  Raises `InvalidFilesError`."""
    document = parse_document(read_text(path), shown_path(path))
    before = [read_text(script) for script in scripts]
    if isinstance(document.data, dict) and UNIT_TESTS in document.data:
        document = with_cases(document, path, "\n".join(before))
    problems = schema_problems(document, "case.schema.json", "testFile")
    if problems:
        return [], problems
    top = YamlNode(document, (), document.data)
    own = [read_text(path.parent / name) for name in top.texts("script")]
    script = _script("\n\n".join([*before, *own]), document)
    top_folder = path.parent
    folders = (top_folder / "fixtures", top_folder.parent / "fixtures", kit_fixtures())
    chapter = path.name.split(".")[0]
    cases, problems = read_cases(document, chapter, FixtureLibrary(folders), "testFile", [script])
    return [replace(case, result=case.schema) for case in cases], problems


def _script(text: str, document: Document) -> Fixture:
    """A fixture for all cases of a file, which has the script of the file."""
    return Fixture(
        name="script",
        about="",
        place=document.place(),
        date=None,
        ddl=text,
        columns=declared_columns(text),
    )


def _repeated(cases: Iterable[Case]) -> Iterator[Problem]:
    """A problem for each test whose id an earlier test of the file has."""
    places: dict[str, Place] = {}
    for case in cases:
        first = places.setdefault(case.id, case.place)
        if first is not case.place:
            yield Problem(case.place, f"the id {case.id} is taken", f"by the test at {first}")
