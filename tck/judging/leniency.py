"""What a backend is not judged on though the case runs: expectations that a gap takes away."""

from collections.abc import Container
from dataclasses import replace
from typing import Final

from tck.corpus.case import Case, ExpectedError
from tck.corpus.needs import FAILURE_PLACES, LATE_REPORTS, ORDERED_OUTPUT, implied_needs
from tck.transcript import Transcript

_ORDERING: Final = frozenset({"order-by", "t-sort"})


def judged_case(case: Case, transcript: Transcript, gaps: Container[str]) -> Case:
    """``case`` without the expectations that a backend with these ``gaps`` does not meet.

    `ORDERED_OUTPUT`: the order of rows is judged only if the query says ORDER BY.
    `FAILURE_PLACES`: the place of a failure at run time is judged only if the backend gives one.
    `LATE_REPORTS`: dropped rows are judged only if the backend reports some; a row that it should
    have dropped still shows among those that it emits.
    """
    needs = (*case.needs, *implied_needs(case))
    if ORDERED_OUTPUT in gaps and _ORDERING.isdisjoint(needs):
        case = replace(case, order="any")
    if LATE_REPORTS in gaps and not transcript.late:
        case = replace(case, steps=tuple(replace(step, late=()) for step in case.steps))
    failure = transcript.failure
    if FAILURE_PLACES not in gaps or failure is None or failure.at != (0, 0):
        return case
    steps = tuple(
        replace(step, error=ExpectedError(step.error.code)) if step.error else step
        for step in case.steps
    )
    return replace(case, steps=steps)
