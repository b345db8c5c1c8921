"""A spelling for Spark is the query of its case: over other rows than the case's, too.

Over the case's own rows the committed run has judged it.  A streaming query takes Spark seconds, so
that each is asked over one other input alone, and all of them nightly.
"""

from dataclasses import replace
from typing import Final

import pytest

pytest.importorskip("pyspark")

from engines.harness.reports import ROOT, read_report
from engines.harness.spellings import read_texts
from engines.sparknative.backend import SPELLINGS, SparkNativeBackend
from reference.backend import ReferenceBackend
from tck.corpus.load import kit_corpus
from tck.judging.verdict import Mark
from tck.protocol import Event, Load, Rows
from tck.transcript import events_by_step
from tests.engines.test_spellings import answer, readers_of
from tests.examples import NIGHTLY

CASES: Final = {each.id: each for each in kit_corpus().cases}


def test_each_spelling_gave_the_rows_of_its_case() -> None:
    """When they come is Spark's."""
    report = read_report(ROOT / "sparknative" / "report.jsonl")
    rows = {each.case: each.marks.rows for each in report.entries}
    assert {rows[case] for case in read_texts(SPELLINGS)} == {Mark.PASS}


@pytest.mark.spark
@pytest.mark.parametrize("id", [*read_texts(SPELLINGS)][: None if NIGHTLY else 1])
def test_a_spelling_has_the_rows_of_the_reference(id: str) -> None:
    case = CASES[id]
    events = [*case.tables, *(event for step in events_by_step(case) for event in step)]
    spelled, reference, readers = SparkNativeBackend(), ReferenceBackend(), readers_of(case)
    spelled.start()
    others = [last_twice(each) for each in events]
    assert answer(spelled, case, readers, others) == answer(reference, case, readers, others)


def last_twice(event: Event) -> Event:
    """Rows without the first of several, and with the last one twice."""
    if isinstance(event, Load | Rows) and event.rows:
        return replace(event, rows=(*event.rows[len(event.rows) > 1 :], event.rows[-1]))
    return event
