"""DuckDB, which answers each query again after each step, has the folds of the kit's changelogs."""

from typing import Final

import pytest

from tck.corpus.case import Case
from tck.corpus.load import kit_corpus
from tck.corpus.needs import emits_changes, needs_of
from tck.judging.judge import judge
from tck.judging.verdict import PASSED
from tck.result_types import typed
from tck.transcript import Transcript, converse
from tests.differential.changing_duckdb import ChangingDuckdb
from tests.examples import scaled

#: Features that the oracle lacks: it only answers queries over the rows that it is sent.
_LACKS: Final = frozenset(
    {"changes-in-pipelines", "failures", "late", "refusals", "history", "views", "with-ties"}
)


def _cases() -> list[Case]:
    """The changelogs of the kit that insert and delete valid rows: in CI, a sixth of them."""
    found = [
        case
        for case in kit_corpus().cases
        if emits_changes(case.sql)
        and case.runs
        and _LACKS.isdisjoint(needs_of(case))
        and "WITH HISTORY" not in case.ddl  # its table has the history, too
    ]
    assert len(found) > 800
    return found[:: scaled(6, 1)]


@pytest.mark.parametrize("case", _cases(), ids=lambda case: case.id)
def test_duckdb_has_the_folds_of_the_case(case: Case) -> None:
    """S-1001.b, by an engine that has none of the reference's code."""
    backend, asked = ChangingDuckdb(), typed(case)
    transcript = converse(backend, asked, asked.sql)
    backend.close()
    assert isinstance(transcript, Transcript), transcript
    assert judge(asked, transcript, tier="exact").verdict == PASSED
