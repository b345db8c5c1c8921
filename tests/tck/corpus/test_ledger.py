"""Coverage is the ledger seen through the citations of the cases."""

import ast
from pathlib import Path

import pytest

from reference.backend import ReferenceBackend
from tck.corpus.document import InvalidFilesError
from tck.corpus.ledger import CoveredEntry, coverage, kit_ledger, read_ledger
from tck.corpus.load import kit_corpus
from tck.run import skip_reason
from tests.tck.corpora import load_cases

STATEMENTS = """
entries:
- {id: CAL-001, source: Calcite, says: streams are streams, check: [POS]}
- {id: CAL-002, source: Calcite, says: it is quick, check: [EMIT], status: timed, reason: when}
- {id: CAL-003, source: Calcite, says: nice, check: [INFO], status: not_testable, reason: taste}
- {id: CAL-004, source: Calcite, says: it is timed, check: [EMIT], status: timed, reason: when}
"""
ERRATA = """
entries:
- {id: E-01, source: Calcite, says: seven, right: two, check: [POS]}
"""


def ledger(folder: Path, statements: str = STATEMENTS, errata: str = ERRATA) -> Path:
    (folder / "ledger").mkdir()
    (folder / "ledger" / "statements.yaml").write_text(statements)
    (folder / "ledger" / "errata.yaml").write_text(errata)
    return folder / "ledger"


def test_an_entry_is_tested_if_cited_else_as_it_says_else_open(tmp_path: Path) -> None:
    cases = load_cases(
        tmp_path,
        "id: a\ncites: [CAL-001, CAL-004]\nsql: S\naccepted: true",
        "id: b\ncites: [CAL-001]\nsql: S\naccepted: true",
    )
    assert coverage(read_ledger(ledger(tmp_path)), cases) == [
        CoveredEntry("E-01", "open", ()),
        CoveredEntry("CAL-001", "tested", ("a", "b"), independent=2),
        CoveredEntry("CAL-002", "timed", (), "when"),
        CoveredEntry("CAL-003", "not testable", (), "taste"),
        CoveredEntry("CAL-004", "tested", ("a",), independent=1),
    ]


def test_cases_that_every_backend_skips_do_not_count(tmp_path: Path) -> None:
    cases = load_cases(
        tmp_path,
        "id: a\ncites: [CAL-001, CAL-004]\nsql: S\naccepted: true",
        "id: b\ncites: [CAL-001]\nsql: S\naccepted: true",
    )
    covered = {each.id: each for each in coverage(read_ledger(ledger(tmp_path)), cases, {"a"})}
    assert covered["CAL-001"] == CoveredEntry("CAL-001", "tested", ("a", "b"), independent=1)
    assert covered["CAL-004"] == CoveredEntry("CAL-004", "skipped by all", ("a",))


def test_what_a_test_holds_is_tested_without_a_case(tmp_path: Path) -> None:
    held = (
        "entries:\n- {id: CAL-001, source: C, says: x, check: [POS], tested_by: [tests/test_x.py]}"
    )
    (covered, _) = coverage(read_ledger(ledger(tmp_path, errata=ERRATA, statements=held)), [])[::-1]
    assert covered == CoveredEntry("CAL-001", "tested", (), tests=("tests/test_x.py",))


@pytest.mark.parametrize(
    "named", ["tested_by: [test_x.py]", "tested_by: [tests/x.py], status: timed, reason: x"]
)
def test_what_holds_an_entry_is_a_test_and_no_excuse(tmp_path: Path, named: str) -> None:
    wrong = f"entries:\n- {{id: CAL-001, source: C, says: x, check: [POS], {named}}}"
    with pytest.raises(InvalidFilesError):
        read_ledger(ledger(tmp_path, statements=wrong))


def test_every_test_that_the_kits_ledger_names_exists() -> None:
    root = Path(__file__).parents[3]
    named = [name for entry in read_ledger(kit_ledger()) for name in entry.tested_by]
    assert [name for name in named if not _exists(root, name)] == []
    assert _exists(
        root, "tests/tck/corpus/test_ledger.py::test_every_test_that_the_kits_ledger_names_exists"
    )
    assert not _exists(root, "tests/tck/corpus/test_ledger.py::test_that_is_not_there")
    assert not _exists(root, "tests/tck/corpus/test_no_ledger.py")


def _exists(root: Path, name: str) -> bool:
    """Whether there is a file of tests, and in it the function after ``::``, if one is named."""
    path, _, function = name.partition("::")
    if not (root / path).is_file():
        return False
    found = ast.walk(ast.parse((root / path).read_text("utf-8")))
    return not function or function in {x.name for x in found if isinstance(x, ast.FunctionDef)}


def test_the_reference_skips_no_case_of_the_kit() -> None:
    """So that none counts for a statement that nobody runs."""
    hello = ReferenceBackend().start()
    assert [case.id for case in kit_corpus().cases if skip_reason(hello, case)] == []


def test_no_line_of_the_kits_ledger_is_open() -> None:
    """CAL-187: what is listed has a case that the reference runs, or a test, or cannot be run."""
    hello = ReferenceBackend().start()
    cases = kit_corpus().cases
    skipped = {case.id for case in cases if skip_reason(hello, case)}
    covered = coverage(read_ledger(kit_ledger()), cases, skipped)
    unmet = [each.id for each in covered if each.status not in ("tested", "not testable")]
    assert unmet == []


def test_a_citation_of_a_clause_counts_once_for_its_rule(tmp_path: Path) -> None:
    cases = load_cases(tmp_path, "id: a\ncites: [CAL-001.a, CAL-001.b]\nsql: S\naccepted: true")
    entry = next(each for each in read_ledger(ledger(tmp_path)) if each.id == "CAL-001")
    assert coverage([entry], cases) == [CoveredEntry("CAL-001", "tested", ("a",), independent=1)]


def test_the_lines_of_a_series_are_one_case(tmp_path: Path) -> None:
    series = """
    id: s
    cites: [CAL-001]
    sql: SELECT 1
    rows: $rows
    series:
    - [id, rows]
    - [one, []]
    - [two, []]
    """
    cases = load_cases(tmp_path, series, "id: a\ncites: [CAL-001]\nsql: S\naccepted: true")
    entry = next(each for each in read_ledger(ledger(tmp_path)) if each.id == "CAL-001")
    (covered,) = coverage([entry], cases)
    assert covered.cases == ("s-one", "s-two", "a")
    assert covered.independent == 2


def test_an_entry_keeps_what_it_says(tmp_path: Path) -> None:
    erratum, statement, *_ = read_ledger(ledger(tmp_path))
    assert (erratum.family, erratum.says, erratum.right) == ("E", "seven", "two")
    assert (statement.family, statement.check, statement.untested) == ("CAL", ("POS",), None)


@pytest.mark.parametrize(
    ("errata", "problem"),
    [
        ("entries: [{id: E-01, says: x, check: [POS]}]", 'errata.yaml:1: entries.0: "source" is'),
        (
            "entries: [{id: E-01, source: s, says: x, check: [EMIT], status: timed}]",
            'errata.yaml:1: entries.0: "reason" is a required',
        ),
        (
            "entries: [{id: CAL-001, source: s, says: x, check: [POS]}]",
            "statements.yaml:3: CAL-001 is listed at ",
        ),
    ],
)
def test_a_ledger_of_another_form_is_refused(errata: str, problem: str, tmp_path: Path) -> None:
    folder = ledger(tmp_path, errata=errata)
    with pytest.raises(InvalidFilesError) as caught:
        read_ledger(folder)
    assert str(caught.value).startswith(f"{folder}/{problem}")


def test_a_folder_without_a_ledger_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidFilesError, match="there is no ledger"):
        read_ledger(tmp_path)
