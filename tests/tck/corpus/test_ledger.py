"""Coverage is the ledger seen through the citations of the cases."""

from pathlib import Path

import pytest

from tck.corpus.document import InvalidFilesError
from tck.corpus.ledger import CoveredEntry, coverage, read_ledger
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
