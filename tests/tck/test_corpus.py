"""The kit's own corpus: all files are valid, nothing contradicts, every citation is known."""

from collections import Counter

from tck.case import Case
from tck.ledger import kit_ledger, read_ledger
from tck.lint import lint
from tck.load import kit_cases, kit_fixtures, load_corpus
from tck.protocol import End


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


def test_every_statement_about_moments_has_a_case_that_says_when() -> None:
    """Steps of which one before the end lists rows, a bound, what is held, or what is late."""
    cases = load_corpus([kit_cases()]).cases
    timed = {id for case in cases if _says_when(case) for id in case.cites}
    asked = [e for e in read_ledger(kit_ledger()) if "EMIT" in e.check and e.untested is None]
    assert [e.id for e in asked if e.id not in timed] == []


def _says_when(case: Case) -> bool:
    """Whether the case tells one moment before the end of its inputs from another."""
    return case.rows is None and any(
        step.emit or step.may_emit or step.late or step.clock or step.state is not None
        for step in case.steps
        if End() not in step.events
    )
