"""The kit's own corpus: all files are valid, nothing contradicts, every citation is known."""

from collections import Counter

from tck.corpus.case import Case
from tck.corpus.fixture import kit_fixtures
from tck.corpus.load import kit_cases, kit_corpus
from tck.corpus.types_file import types_problems
from tck.judging.lint import lint, result_problems
from tck.protocol import End
from tck.result_types import deduced_types, typed
from tests.examples import scaled
from tests.tck.corpora import kit_entries


def test_all_files_of_the_kit_are_valid() -> None:
    assert [str(problem) for problem in kit_corpus().problems] == []


def test_the_kit_has_nothing_to_lint() -> None:
    corpus = kit_corpus()
    found = [str(problem) for problem in lint(corpus.cases, kit_entries())]
    assert found == []


def test_all_rows_are_of_the_types_of_their_results() -> None:
    assert list(map(str, result_problems(map(typed, kit_corpus().cases)))) == []


def test_the_types_of_all_results_are_in_the_file() -> None:
    assert list(map(str, types_problems(kit_cases(), kit_corpus().cases))) == []


def test_the_types_of_results_are_those_that_the_rules_give() -> None:
    """So they are where a person wrote them as ``schema``: the file and the algebra agree.

    Those of every hundredth case; nightly all.  `make tck` judges all cases by their types.
    """
    for case in kit_corpus().cases[:: scaled(100, 1)]:
        if case.runs:
            deduced = [(c.name, c.type) for c in deduced_types(case) or ()]
            assert [(c.name, c.type) for c in case.result or ()] == deduced, case.id


def test_some_case_uses_every_fixture() -> None:
    used = {name for case in kit_corpus().cases for name in case.fixtures}
    assert {path.stem for path in kit_fixtures().glob("*.yaml")} - used == set()


def test_no_statement_of_the_calcite_and_monotonicity_pages_and_no_erratum_is_open() -> None:
    """Each has a case or a test, or says why it has none; the figure may only rise."""
    citing = Counter(id for case in kit_corpus().cases for id in case.cites)
    closed = [e for e in kit_entries() if e.id.startswith(("CAL-", "MON-", "E-"))]
    assert [e.id for e in closed if not citing[e.id] and not e.untested and not e.tested_by] == []


def test_every_statement_about_moments_has_a_case_that_says_when() -> None:
    """It has a step before the end that lists rows, a bound, state or late rows."""
    cases = kit_corpus().cases
    timed = {id for case in cases if _says_when(case) for id in case.cites}
    every = [e for e in kit_entries() if "EMIT" in e.check]
    required = [e for e in every if e.untested is None and not e.tested_by]
    assert [e.id for e in required if e.id not in timed] == []


def test_each_regression_is_built_on_a_report() -> None:
    """A report can have several cases: its own, and those of the edges next to it."""
    regressions = [case for case in kit_corpus().cases if case.chapter == "regressions"]
    reports = {case.series or case.id: case.report for case in regressions}
    assert [id for id, report in reports.items() if report is None] == []
    assert len({report.link for report in reports.values() if report}) > 60


def _says_when(case: Case) -> bool:
    """Whether the case has expectations about a step before the end of its inputs."""
    return case.rows is None and any(
        step.emit or step.may_emit or step.late or step.output_bound or step.state is not None
        for step in case.steps
        if End() not in step.events
    )
