"""What a backend is not judged on though the case runs: expectations that a gap takes away."""

from collections.abc import Container
from dataclasses import replace

from tck.corpus.case import Case, ExpectedError
from tck.transcript import Transcript

#: Says of a failure at run time which expression failed, at a case that expects it (S-802).
FAILURE_PLACES = "failure-places"


def judged_case(case: Case, transcript: Transcript, gaps: Container[str]) -> Case:
    """``case`` without the expectations that a backend with these ``gaps`` does not meet.

    `FAILURE_PLACES`: the place of a failure at run time is judged only if the backend gives one.
    """
    failure = transcript.failure
    if FAILURE_PLACES not in gaps or failure is None or failure.at != (0, 0):
        return case
    steps = tuple(
        replace(step, error=ExpectedError(step.error.code)) if step.error else step
        for step in case.steps
    )
    return replace(case, steps=steps)
