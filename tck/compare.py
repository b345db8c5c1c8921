"""The verdict on a case: what was expected against what the backend said."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from tck.case import Case, ExpectedError, ExpectedLate
from tck.difference import lines_beside, places_beside, rows_beside
from tck.matching import ReadRow, match_places, match_rows, read_row, same_row
from tck.protocol import Accepted, ColumnInfo, LateRow, Refused
from tck.rows import spelled
from tck.transcript import Transcript
from tck.values import Family, family
from tck.verdict import PASSED, Kind, Verdict, failed


def judge(case: Case, transcript: Transcript, other: Transcript | None = None) -> Verdict:
    """The verdict at tier ``final``; ``other`` is about the query that must give the same."""
    match transcript.answer:
        case Refused() as refused:
            return _judge_refusal(case, refused)
        case Accepted() as accepted:
            return next(_faults(case, accepted, transcript, other), PASSED)


def _judge_refusal(case: Case, refused: Refused) -> Verdict:
    if case.error:
        return next(_wrong_error(case.error, refused), PASSED)
    return _refused("the query was refused", refused)


def _refused(what: str, refused: Refused) -> Verdict:
    reason = f"{what}: {refused.code}: {refused.message}".rstrip(": ")
    return failed(Kind.REFUSED, reason, tuple(refused.rendered.splitlines()))


def _wrong_error(expected: ExpectedError, actual: Refused) -> Iterator[Verdict]:
    """What is wrong with an error where one is expected."""
    detail = tuple((actual.rendered or actual.message).splitlines())
    if actual.code != expected.code:
        yield failed(Kind.WRONG_CODE, f"{actual.code} instead of {expected.code}", detail)
    elif expected.span and not _overlaps(expected, actual):
        where = "in the DDL" if actual.in_ddl else "in the query"
        start, end = actual.at
        reason = f"{actual.code} is at {start} to {end} {where}, not at {expected.text!r}"
        yield failed(Kind.WRONG_CODE, reason, detail)


def _overlaps(expected: ExpectedError, actual: Refused) -> bool:
    """Whether the spans have text in common; an empty one must lie in the other, or touch it."""
    if expected.span is None or actual.in_ddl != expected.in_ddl:
        return False
    (start, end), (first, last) = expected.span, actual.at
    return start <= first <= end if first == last else first < end and start < last


def _faults(
    case: Case, accepted: Accepted, transcript: Transcript, other: Transcript | None
) -> Iterator[Verdict]:
    """What is wrong with what was said of an accepted query, in the order of `Kind`."""
    if case.error:
        if not case.may_accept:
            yield failed(Kind.ACCEPTED, f"accepted, but must be refused with {case.error.code}")
        return
    yield from _wrong_failure(case, transcript)
    yield from _wrong_schema(case, accepted)
    yield from _wrong_metadata(case, accepted, transcript)
    if case.runs:
        yield from _wrong_late(case, transcript)
        if case.lists_rows:
            expected = [read_row(row, accepted.columns, case.date) for row in case.all_rows]
            yield from _wrong_rows(case, accepted, expected, transcript, whole=case.ended)
        yield from _unequal(case, accepted, transcript, other)


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
    if case.order == "rowtime" and case.runs and _rowtime(accepted.columns) is None:
        reason = "the rows must come by rowtime, but the result has no column ROWTIME or TIMESTAMP"
        yield failed(Kind.WRONG_SCHEMA, reason)


def _declaration(column: ColumnInfo) -> str:
    return f"{column.name} {spelled(column.type)}{'' if column.nullable else ' NOT NULL'}"


def _wrong_metadata(case: Case, accepted: Accepted, transcript: Transcript) -> Iterator[Verdict]:
    for name, expected in case.monotonicity.items():
        actual = accepted.monotonicity.get(name, "nothing")
        if actual != expected and actual not in case.also_sound:
            yield failed(Kind.WRONG_METADATA, f"{name} is {expected}, the backend says {actual}")
    for key, text in case.metadata.items():
        said = accepted.metadata.get(key, "nothing")
        if said != text:
            yield failed(Kind.WRONG_METADATA, f"{key} is {text!r}, the backend says {said!r}")
    if case.plan is not None:
        plans = [
            [line.rstrip() for line in plan.strip("\n").splitlines()]
            for plan in (case.plan, transcript.plan)
        ]
        if plans[0] != plans[1]:
            yield failed(Kind.WRONG_METADATA, "the plan is another", lines_beside(*plans))


def _wrong_late(case: Case, transcript: Transcript) -> Iterator[Verdict]:
    expected = [late for step in case.steps for late in step.late]
    free = list(transcript.late)
    missing: list[ExpectedLate] = []
    for late in expected:
        alike = [row for row in free if _same_late(case, late, row)]
        partner = next((row for row in alike if row.code == late.code), next(iter(alike), None))
        if partner is None:
            missing.append(late)
            continue
        free.remove(partner)
        if partner.code != late.code:
            reason = f"{_late_text(late)} was dropped as {partner.code}, not as {late.code}"
            yield failed(Kind.WRONG_CODE, reason)
    if missing:
        detail = tuple(f"- {_late_text(late)}" for late in missing)
        yield failed(Kind.NOT_LATE, f"{_count(len(missing), 'row')} must be dropped", detail)
    if free:
        detail = tuple(f"+ {_late_text(row)}: {row.code}: {row.reason}" for row in free)
        yield failed(Kind.WRONGLY_LATE, f"{_count(len(free), 'row')} must not be dropped", detail)


def _same_late(case: Case, expected: ExpectedLate, actual: LateRow) -> bool:
    if expected.input != actual.input:
        return False
    columns = case.columns.get(expected.input, ())
    return expected.row == tuple(actual.row) or same_row(
        read_row(expected.row, columns, None), read_row(actual.row, columns, None)
    )


def _late_text(late: ExpectedLate | LateRow) -> str:
    return f"{late.input}: {list(late.row)}"


def _wrong_rows(
    case: Case,
    accepted: Accepted,
    expected: Sequence[ReadRow],
    transcript: Transcript,
    whole: bool,
) -> Iterator[Verdict]:
    """What is wrong with the rows, as bags, then with their order.

    ``whole``: the expected rows are all; else others may come later, as of a script that does not
    end.  A failure leaves open which rows came before it.
    """
    columns = accepted.columns
    actual = [read_row(row, columns, None) for row in transcript.rows]
    matching = match_rows(expected, actual)
    missing = () if case.failure else matching.missing
    extra = matching.extra if whole or case.failure else ()
    if missing or extra:
        again = all(any(same_row(actual[i], row) for row in expected) for i in extra)
        kind = Kind.DUPLICATE if again and not missing else Kind.WRONG_ROWS
        excess = "too many" if again else "not expected"
        said = [f"{_count(len(missing), 'row')} missing"] if missing else []
        said += [f"{_count(len(extra), 'row')} {excess}"] if extra else []
        yield failed(kind, ", ".join(said), rows_beside(columns, expected, actual, matching))
        return
    order = case.order
    if order is None:
        named = any(column.name == _ROWTIME for column in columns)
        order = "rowtime" if accepted.streaming and named else "any"
    if order == "exact" and not case.failure:
        came = actual if whole else actual[: len(expected)]
        place = match_places(expected, came)
        if place is not None:
            detail = places_beside(columns, expected, came, place)
            yield failed(Kind.ORDER, f"row {place + 1} is another", detail)
    elif order == "rowtime":
        yield from _wrong_rowtimes(columns, expected, actual)


def _wrong_rowtimes(
    columns: Sequence[ColumnInfo], expected: Sequence[ReadRow], actual: Sequence[ReadRow]
) -> Iterator[Verdict]:
    at = _rowtime(columns)
    assert at is not None, "asked of a schema that has one"
    for place, (before, row) in enumerate(pairwise(actual), start=1):
        # Timestamps on the wire have four digits for the year, so that they sort as text.
        if before[at].text > row[at].text:
            detail = places_beside(columns, expected, actual, place)
            reason = f"row {place + 1} is stamped {row[at].text}, after {before[at].text}"
            yield failed(Kind.ORDER, reason, detail)
            return


_ROWTIME = "ROWTIME"


def _rowtime(columns: Sequence[ColumnInfo]) -> int | None:
    """The place of the column ROWTIME, else of the first TIMESTAMP (S-311)."""
    named = [i for i, column in enumerate(columns) if column.name == _ROWTIME]
    timed = [i for i, column in enumerate(columns) if family(column.type) is Family.TIMESTAMP]
    return next(iter((*named, *timed)), None)


def _unequal(
    case: Case, accepted: Accepted, transcript: Transcript, other: Transcript | None
) -> Iterator[Verdict]:
    """What differs from the rows of the query that must give the same, read by our columns."""
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
        for verdict in _wrong_rows(case, accepted, expected, transcript, whole=True):
            assert verdict.kind is not None, "a failure has a kind"
            reason = f"other rows than {what}: {verdict.reason}"
            yield failed(verdict.kind, reason, verdict.detail)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
