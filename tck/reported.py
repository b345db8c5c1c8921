"""Find out which of the properties that a case expects the backend has reported at all.

Examples are the monotonicity of columns, and dropped rows.  If no answer of a run reports a
property, the backend lacks it (`tck.report.gaps.lacks`).  A wrong answer is a report, too: the case
fails, and the property is not a gap.
"""

from collections.abc import Iterator, Mapping

from tck.corpus.case import Case
from tck.corpus.needs import FAILURE_PLACES, LATE_REPORTS, NOT_NULL
from tck.corpus.rows import normalized_type
from tck.protocol import Accepted
from tck.transcript import Transcript


def reported_properties(case: Case, transcript: Transcript) -> Mapping[str, bool]:
    """By property that the case expects besides rows: whether the backend has reported it.

    The properties are named by capabilities, such as ``metadata-latency``.  Empty if the query was
    refused.
    """
    match transcript.answer:
        case Accepted() as accepted:
            return {
                **dict(_of_query(case, accepted, transcript)),
                **dict(_of_run(case, transcript)),
            }
        case _:
            return {}


def _of_query(case: Case, accepted: Accepted, transcript: Transcript) -> Iterator[tuple[str, bool]]:
    """The properties that a backend reports when it accepts a query."""
    if case.monotonicity:
        yield "monotonicity", bool(accepted.monotonicity)
    if case.metadata:
        yield "metadata", bool(accepted.metadata)
        yield from ((f"metadata-{key}", key in accepted.metadata) for key in case.metadata)
    if case.plan is not None:
        yield "plan", bool(transcript.plan.strip())
    if case.schema is not None:
        typed = any(normalized_type(column.type) != "ANY" for column in accepted.columns)
        yield "schema", typed
        if typed and not all(column.nullable for column in case.schema):
            yield NOT_NULL, not all(column.nullable for column in accepted.columns)


def _of_run(case: Case, transcript: Transcript) -> Iterator[tuple[str, bool]]:
    """The properties that a backend reports while a query runs: about events and failures."""
    if any(step.warnings for step in case.steps):
        yield "warnings", any(output.warnings for output in transcript.outputs)
    if any(step.late for step in case.steps):
        yield LATE_REPORTS, bool(transcript.late)
    expected, actual = case.failure, transcript.failure
    if expected and expected.span and actual and actual.code == expected.code:
        yield FAILURE_PLACES, actual.at != (0, 0)
