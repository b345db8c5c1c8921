"""The kit's own corpus: all files are valid, nothing contradicts, every citation is known."""

from collections import Counter

from tck.ledger import kit_ledger, read_ledger
from tck.lint import lint
from tck.load import kit_cases, kit_fixtures, load_corpus


def test_all_files_of_the_kit_are_valid() -> None:
    assert [str(problem) for problem in load_corpus([kit_cases()]).problems] == []


def test_the_kit_has_nothing_to_lint() -> None:
    corpus = load_corpus([kit_cases()])
    found = [str(problem) for problem in lint(corpus.cases, read_ledger(kit_ledger()))]
    assert found == []


def test_every_fixture_is_given_to_some_case() -> None:
    given = {name for case in load_corpus([kit_cases()]).cases for name in case.given}
    assert {path.stem for path in kit_fixtures().glob("*.yaml")} - given == set()


def test_no_statement_of_the_calcite_and_monotonicity_pages_and_no_erratum_is_open() -> None:
    """Each has a case, or says why it has none; the figure may only rise."""
    citing = Counter(id for case in load_corpus([kit_cases()]).cases for id in case.cites)
    closed = [e for e in read_ledger(kit_ledger()) if e.id.startswith(("CAL-", "MON-", "E-"))]
    assert [e.id for e in closed if not citing[e.id] and not e.untested] == []
