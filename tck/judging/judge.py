"""The verdict on a case: its expectations against the transcript of a backend."""

from collections.abc import Iterator
from dataclasses import replace

from tck.corpus.case import Case, ExpectedError
from tck.corpus.rows import normalized_type
from tck.judging.difference import lines_beside
from tck.judging.emission import timing_faults
from tck.judging.lateness import dropped_row_faults
from tck.judging.matching import read_row
from tck.judging.row_faults import row_faults
from tck.judging.rowtimes import rowtime_place
from tck.judging.timing import first_difference, rows_are_timed, step_name
from tck.judging.verdict import PASSED, Kind, Verdict, failed
from tck.protocol import Accepted, ColumnInfo, Refused, Tier
from tck.transcript import Transcript


def judge(
    case: Case, transcript: Transcript, other: Transcript | None = None, tier: Tier = "final"
) -> Verdict:
    """The verdict at a tier: the first fault in the order of `Kind`, or a pass.

    ``other`` is the transcript of the query that must have the same rows; None: there is none.
    """
    match transcript.answer:
        case Refused() as refused:
            return _judge_refusal(case, refused)
        case Accepted() as accepted:
            return next(_faults(case, accepted, transcript, other, tier), PASSED)


def _judge_refusal(case: Case, refused: Refused) -> Verdict:
    if case.error:
        return next(_wrong_error(case.error, refused), PASSED)
    return _refused("the query was refused", refused)


def _refused(what: str, refused: Refused) -> Verdict:
    reason = f"{what}: {refused.code}: {refused.message}".rstrip(": ")
    return failed(Kind.REFUSED, reason, tuple(refused.rendered.splitlines()))


def _wrong_error(expected: ExpectedError, actual: Refused) -> Iterator[Verdict]:
    """At most one verdict: another code than expected, or an error at another place."""
    detail = tuple((actual.rendered or actual.message).splitlines())
    if actual.code != expected.code:
        yield failed(Kind.WRONG_CODE, f"{actual.code} instead of {expected.code}", detail)
    elif expected.span and not _overlaps(expected, actual):
        where = "in the DDL" if actual.in_ddl else "in the query"
        start, end = actual.at
        reason = f"{actual.code} is at {start} to {end} {where}, not at {expected.text!r}"
        yield failed(Kind.WRONG_CODE, reason, detail)


def _overlaps(expected: ExpectedError, actual: Refused) -> bool:
    """Whether the spans share text; an empty actual span may also touch the expected one."""
    if expected.span is None or actual.in_ddl != expected.in_ddl:
        return False
    (start, end), (first, last) = expected.span, actual.at
    return start <= first <= end if first == last else first < end and start < last


def _faults(
    case: Case,
    accepted: Accepted,
    transcript: Transcript,
    other: Transcript | None,
    tier: Tier,
) -> Iterator[Verdict]:
    """The faults of a query that was accepted, in the order of `Kind`.

    Defines: S-801.d
    """
    if case.error:
        if not case.may_accept:
            yield failed(Kind.ACCEPTED, f"accepted, but must be refused with {case.error.code}")
        return
    yield from _wrong_failure(case, transcript)
    yield from _wrong_schema(case, accepted)
    yield from _wrong_metadata(case, accepted, transcript)
    if case.runs:
        yield from dropped_row_faults(case, transcript, tier)
        if case.lists_rows:
            yield from _wrong_rows(case, accepted, transcript, tier)
        yield from _unequal(case, accepted, transcript, other)
        yield from timing_faults(case, accepted, transcript, tier)


def _wrong_failure(case: Case, transcript: Transcript) -> Iterator[Verdict]:
    expected, actual = case.failure, transcript.failure
    if expected and actual:
        yield from _wrong_error(expected, actual)
    elif expected:
        yield failed(Kind.ACCEPTED, f"came to its end, but must fail with {expected.code}")
    elif actual:
        yield _refused("the query failed", actual)


def _wrong_schema(case: Case, accepted: Accepted) -> Iterator[Verdict]:
    if case.schema is not None:
        expected = [_declaration(column) for column in case.schema]
        actual = [_declaration(column) for column in accepted.columns]
        if expected != actual:
            detail = lines_beside(expected, actual)
            yield failed(Kind.WRONG_SCHEMA, "the result has other columns", detail)
    if case.order == "rowtime" and case.runs and rowtime_place(accepted) is None:
        reason = "the rows must come by rowtime, but the result has no column ROWTIME or TIMESTAMP"
        yield failed(Kind.WRONG_SCHEMA, reason)


def _declaration(column: ColumnInfo) -> str:
    type = normalized_type(column.type)
    return f"{column.name} {type}{'' if column.nullable else ' NOT NULL'}"


def _wrong_metadata(case: Case, accepted: Accepted, transcript: Transcript) -> Iterator[Verdict]:
    for name, expected in case.monotonicity.items():
        actual = accepted.monotonicity.get(name, "nothing")
        if actual != expected and actual not in case.also_sound:
            yield failed(Kind.WRONG_METADATA, f"{name} is {expected}, the backend says {actual}")
    for key, text in case.metadata.items():
        actual = accepted.metadata.get(key, "nothing")
        if actual != text:
            yield failed(Kind.WRONG_METADATA, f"{key} is {text!r}, the backend says {actual!r}")
    if case.plan is not None:
        plans = [
            [line.rstrip() for line in plan.strip("\n").splitlines()]
            for plan in (case.plan, transcript.plan)
        ]
        if plans[0] != plans[1]:
            yield failed(Kind.WRONG_METADATA, "the plan is another", lines_beside(*plans))


def _wrong_rows(
    case: Case, accepted: Accepted, transcript: Transcript, tier: Tier
) -> Iterator[Verdict]:
    """The faults of the rows, without regard to their steps.

    Above ``final`` a verdict shows the first step that differs, where the case lists rows by steps.
    """
    rows = case.all_rows
    expected = [read_row(row, accepted.columns, case.date) for row in rows]
    for verdict in row_faults(case, accepted, expected, transcript, case.ended, rows):
        first = None
        if tier != "final" and rows_are_timed(case) and verdict.kind is not Kind.ORDER:
            first = first_difference(case, accepted, transcript, tier)
        if first is None:
            yield verdict
        else:
            reason = f"{verdict.reason}; the first step to differ is {step_name(case, first.step)}"
            yield replace(verdict, reason=reason, detail=first.detail, concerns=first.concerns)


def _unequal(
    case: Case, accepted: Accepted, transcript: Transcript, other: Transcript | None
) -> Iterator[Verdict]:
    """The faults of the rows against those of the query that must have the same.

    Both are read by the columns of the case's own query.
    """
    if other is None:
        return
    what = "the query it must be equal to"
    if isinstance(other.answer, Refused):
        yield _refused(f"{what} was refused", other.answer)
    elif other.failure:
        yield _refused(f"{what} failed", other.failure)
    else:
        expected = [read_row(row, accepted.columns, None) for row in other.rows]
        if not expected and not transcript.rows and not case.lists_rows:
            yield failed(Kind.WRONG_ROWS, f"no rows, nor of {what}: nothing can be compared")
        for verdict in row_faults(case, accepted, expected, transcript, whole=True):
            assert verdict.kind is not None, "a failure has a kind"
            reason = f"other rows than {what}: {verdict.reason}"
            yield failed(verdict.kind, reason, verdict.detail)
