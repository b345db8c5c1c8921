"""Judge a case: compare its expectations with the transcript of a backend."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tck.collection import without_collection
from tck.corpus.case import Case, ExpectedError
from tck.corpus.needs import emits_changes, says_stream
from tck.corpus.rows import normalized_type
from tck.corpus.steps.texts import moment, step_name, step_text
from tck.judging.answer import Answer, read_answer
from tck.judging.changelog import Folds, changelog_faults, read_folds
from tck.judging.emission import failure_faults, timing_faults
from tck.judging.lateness import dropped_row_faults
from tck.judging.leniency import EXACT_AVERAGE, may_be_exact_average
from tck.judging.refused_events import warning_faults
from tck.judging.row_faults import content_fault, order_fault
from tck.judging.rows.difference import lines_beside
from tck.judging.rows.equality import classes
from tck.judging.rows.matching import match_rows
from tck.judging.rows.reading import read_rows
from tck.judging.rows.widening import may_stand_for
from tck.judging.rowtimes import row_order
from tck.judging.timing import Comparison, compare, first_difference, rows_are_timed
from tck.judging.verdict import PASSED, UNMARKED, Kind, Mark, Marks, Verdict, failed
from tck.protocol import Accepted, ColumnInfo, Refused, Tier
from tck.transcript import Transcript

#: The kinds of failure that are about time.
_TIME_KINDS: Final = frozenset(
    {Kind.TOO_EARLY, Kind.TOO_LATE, Kind.FALSE_BOUND, Kind.INCONSISTENT, Kind.STALE}
)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on a case at a tier, and the marks of its rows, their order and their time."""

    verdict: Verdict
    marks: Marks = UNMARKED


def judge(
    case: Case,
    transcript: Transcript,
    other: Transcript | None = None,
    tier: Tier = "final",
) -> Judgement:
    """The judgement at a tier; its verdict is on the first fault, in the order of `Kind`.

    ``other`` is the transcript of the query that must have the same rows (``equal_to``); None: the
    case has no such query.
    """
    return next(iter(judge_at_tiers(case, transcript, other, (tier,)).values()))


@without_collection()
def judge_at_tiers(
    case: Case,
    transcript: Transcript,
    other: Transcript | None,
    tiers: Sequence[Tier],
) -> dict[Tier, Judgement]:
    """By tier: the same judgement as that of `judge`; but the rows are read only once."""
    match transcript.answer:
        case Refused() as refused:
            return dict.fromkeys(tiers, Judgement(_judge_refusal(case, refused)))
        case Accepted() as accepted:
            acceptance_faults = list(_acceptance_faults(case, accepted, transcript))
            if not case.runs:
                return dict.fromkeys(tiers, Judgement(next(iter(acceptance_faults), PASSED)))
            if emits_changes(case.sql):
                folds = read_folds(case, accepted, transcript)
                return {
                    tier: _judge_folds(folds, acceptance_faults, transcript, tier) for tier in tiers
                }
            answer = read_answer(case, accepted, transcript)
            row_faults = _row_faults(answer, other)
            return {
                tier: _judge_rows(answer, acceptance_faults, row_faults, other is not None, tier)
                for tier in tiers
            }


def _judge_refusal(case: Case, refused: Refused) -> Verdict:
    """The verdict on a query that was refused."""
    if case.error:
        return next(_wrong_error(case, case.error, refused), PASSED)
    return _refused("the query was refused", refused)


def _refused(what: str, refused: Refused, detail: tuple[str, ...] = ()) -> Verdict:
    """The verdict on an error that is not expected; ``what``, a clause, begins the reason."""
    message = "" if refused.message == refused.code else refused.message
    reason = f"{what}: {refused.code}: {message}".rstrip(": ")
    return failed(Kind.REFUSED, reason, (*detail, *refused.rendered.splitlines()))


def _wrong_error(case: Case, expected: ExpectedError, actual: Refused) -> Iterator[Verdict]:
    """At most one verdict: another code than expected, or an error at another place."""
    detail = tuple((actual.rendered or actual.message).splitlines())
    if actual.code != expected.code:
        yield failed(Kind.WRONG_CODE, f"{actual.code} instead of {expected.code}", detail)
        return
    if expected.span is None:
        return
    where = "in the DDL" if actual.in_ddl else "in the query"
    start, end = actual.at
    text = case.ddl if actual.in_ddl else case.sql or ""
    if not _overlaps(expected, actual):
        reason = f"{actual.code} is at {start} to {end} {where}, not at {expected.text!r}"
        yield failed(Kind.WRONG_CODE, reason, detail)
    elif _is_vague(expected.span, actual.at, len(text)):
        reason = f"{actual.code} is at most of the text {where}, not at {expected.text!r}"
        yield failed(Kind.WRONG_CODE, reason, detail)


def _is_vague(expected: tuple[int, int], actual: tuple[int, int], length: int) -> bool:
    """Whether the actual span covers more than half of the text outside of the expected span.

    A span of nearly the whole text does not show a place, because it would overlap any place.
    ``length`` is that of the text.
    """
    (start, end), (first, last) = expected, actual
    covered_outside = max(0, start - first) + max(0, last - end)
    return 2 * covered_outside > length - (end - start)


def _overlaps(expected: ExpectedError, actual: Refused) -> bool:
    """Whether the spans share text; an empty actual span may also touch the expected one."""
    if expected.span is None or actual.in_ddl != expected.in_ddl:
        return False
    (start, end), (first, last) = expected.span, actual.at
    return start <= first <= end if first == last else first < end and start < last


def _acceptance_faults(case: Case, accepted: Accepted, transcript: Transcript) -> Iterator[Verdict]:
    """The faults of an accepted query besides those of its rows, in the order of `Kind`.

    Defines: S-801.d
    """
    if case.error:
        if not case.may_accept:
            yield failed(Kind.ACCEPTED, f"accepted, but must be refused with {case.error.code}")
        return
    yield from _wrong_failure(case, transcript)
    yield from _wrong_schema(case, accepted)
    yield from _wrong_metadata(case, accepted, transcript)


def _wrong_failure(case: Case, transcript: Transcript) -> Iterator[Verdict]:
    """At most one verdict: a failure at run time that is wrong, missing or not expected."""
    expected, actual = case.failure, transcript.failure
    if expected and actual:
        yield from _wrong_error(case, expected, actual)
    elif expected:
        due = next((n for n, step in enumerate(case.steps) if step.error), len(case.steps))
        reason = f"came to its end, but must fail with {expected.code}"
        yield failed(Kind.ACCEPTED, reason, (f"  due at {moment(case, due)}",))
    elif actual:
        at = len(transcript.outputs) - 1
        events = f"  {step_text(case, at)}"
        yield _refused(f"the query failed at {step_name(case, at)}", actual, (events,))


def _wrong_schema(case: Case, accepted: Accepted) -> Iterator[Verdict]:
    """Verdicts on a wrong modality (streaming or relational) and on wrong columns.

    If the case has a ``schema``, names, types and NOT NULL must be equal.  If not, each type must
    be able to hold all values of the type of the result.
    """
    if case.sql is not None and accepted.streaming != says_stream(case.sql):
        says = "says" if says_stream(case.sql) else "does not say"
        calls = "streaming" if accepted.streaming else "relational"
        reason = f"the query {says} SELECT STREAM, the backend calls it {calls}"
        yield failed(Kind.WRONG_SCHEMA, reason)
    actual = [_declaration(column) for column in accepted.columns]
    if case.schema is not None:
        expected = [_declaration(column) for column in case.schema]
        if expected != actual:
            detail = lines_beside(expected, actual)
            yield failed(Kind.WRONG_SCHEMA, "the result has other columns", detail)
    elif case.result is not None:
        expected = [f"{column.name} {column.type}" for column in case.result]
        types = [f"{column.name} {normalized_type(column.type)}" for column in accepted.columns]
        pairs = list(zip(case.result, accepted.columns, strict=False))
        wrong = [
            place
            for place, (ours, theirs) in enumerate(pairs)
            if not may_stand_for(theirs.type, ours.type)
        ]
        unpaired = range(len(pairs), max(len(expected), len(actual)))
        detail = lines_beside(expected, types, (*wrong, *unpaired))
        if unpaired:
            reason = f"the result has {len(actual)} columns, not {len(expected)}"
            yield failed(Kind.WRONG_SCHEMA, reason, detail)
        for ours, theirs in (pairs[place] for place in wrong):
            declared = f"the backend declares {ours.name} as {theirs.type}"
            reason = f"{declared}, which cannot hold all values of {ours.type}"
            if may_be_exact_average(case, theirs.type, ours.type):
                reason += f"; an average may be {EXACT_AVERAGE} (S-203.ac)"
            yield failed(Kind.WRONG_SCHEMA, reason, detail)


def _declaration(column: ColumnInfo) -> str:
    """The column as in CREATE TABLE: ``PRICE DECIMAL(10, 2) NOT NULL``."""
    type = normalized_type(column.type)
    return f"{column.name} {type}{'' if column.nullable else ' NOT NULL'}"


def _wrong_metadata(case: Case, accepted: Accepted, transcript: Transcript) -> Iterator[Verdict]:
    """Verdicts on a wrong monotonicity, wrong metadata (S-408) and another plan."""
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
            yield failed(
                Kind.WRONG_METADATA, "the plan is another", lines_beside(plans[0], plans[1])
            )


@dataclass(frozen=True, slots=True)
class _RowFaults:
    """The faults of the rows that do not depend on the tier.

    ``content``: missing or additional rows.  ``order``: rows in a wrong order.  ``unequal``: rows
    that differ from those of the query that must have equal rows.  Each has at most one verdict.
    """

    content: Sequence[Verdict]
    order: Sequence[Verdict]
    unequal: Sequence[Verdict]


def _judge_rows(
    answer: Answer,
    acceptance_faults: Sequence[Verdict],
    row_faults: _RowFaults,
    compared: bool,
    tier: Tier,
) -> Judgement:
    """The judgement at a tier on a query that runs and emits rows.

    ``acceptance_faults`` have precedence over the faults of the rows.  ``compared``: the case has a
    query that must have equal rows.
    """
    case = answer.case
    # At `final` the time of the rows is not judged.
    comparison = compare(answer, tier) if tier != "final" and rows_are_timed(case) else None
    dropped = list(dropped_row_faults(case, answer.transcript, tier))
    content = [_at_its_step(fault, answer, comparison) for fault in row_faults.content]
    time = list(timing_faults(answer, comparison, tier))
    time_mark = _mark(comparison is not None, [each for each in time if each.kind in _TIME_KINDS])
    if comparison is not None and comparison.has_untimely_row:
        time_mark = Mark.FAIL  # `time` has only the first fault, which can be of another kind
    marks = Marks(
        rows=_mark(case.lists_rows or compared, [*dropped, *content, *row_faults.unequal]),
        order=_order_mark(answer, row_faults),
        time=time_mark,
    )
    warnings = warning_faults(case, answer.transcript, tier)
    faults = (
        *acceptance_faults,
        *dropped,
        *warnings,
        *content,
        *row_faults.order,
        *row_faults.unequal,
        *time,
    )
    return Judgement(next(iter(faults), PASSED), marks)


def _judge_folds(
    folds: Folds, acceptance_faults: Sequence[Verdict], transcript: Transcript, tier: Tier
) -> Judgement:
    """The judgement at a tier on a changelog: on its fold at the end, and on the folds before."""
    case = folds.case
    fold_faults = list(changelog_faults(folds, tier))
    content = [fault for fault in fold_faults if fault.kind not in _TIME_KINDS]
    time = [fault for fault in fold_faults if fault.kind in _TIME_KINDS]
    reported = [
        *dropped_row_faults(case, transcript, tier),
        *warning_faults(case, transcript, tier),
    ]
    failure = list(failure_faults(case, transcript, tier))
    marks = Marks(
        rows=_mark(case.ended or case.lists_rows, content),
        time=_mark(tier != "final", time),
    )
    faults = (*acceptance_faults, *reported, *content, *time, *failure)
    return Judgement(next(iter(faults), PASSED), marks)


def _mark(judged: bool, faults: Sequence[Verdict]) -> Mark:
    """FAIL if there are faults; PASS if there are none and this was ``judged``; else NONE."""
    if faults:
        return Mark.FAIL
    return Mark.PASS if judged else Mark.NONE


def _order_mark(answer: Answer, row_faults: _RowFaults) -> Mark:
    """The mark of the order; with ``order: exact`` it is judged only if all rows are right."""
    demanded = row_order(answer.case)
    rows_are_wrong = bool(row_faults.content) or answer.case.failure is not None
    cannot_judge = demanded == "exact" and rows_are_wrong
    judged = demanded != "any" and not cannot_judge and answer.case.lists_rows
    return _mark(judged, row_faults.order if judged else ())


def _row_faults(answer: Answer, other: Transcript | None) -> _RowFaults:
    """The faults of the rows that do not depend on the tier; ``other`` is as in `judge`."""
    case = answer.case
    content = content_fault(answer, case.ended, case.all_rows) if case.lists_rows else None
    order = order_fault(answer, case.ended, case.all_rows) if case.lists_rows else None
    return _RowFaults(
        [content] if content else [],
        [order] if order else [],
        list(_unequal(answer, other, _other_answer(answer, other))) if other else [],
    )


def _at_its_step(fault: Verdict, answer: Answer, comparison: Comparison | None) -> Verdict:
    """The fault of the content; its reason also names the first step whose rows differ.

    The verdict then shows the rows of this step in place of all rows.  If ``comparison`` is None or
    has no difference, the fault is unchanged.
    """
    first = first_difference(answer, comparison) if comparison else None
    if first is None:
        return fault
    where = step_name(answer.case, first.step)
    reason = f"{fault.reason}; the first step to differ is {where}"
    return replace(fault, reason=reason, detail=first.detail, concerns=first.concerns)


def _other_answer(answer: Answer, other: Transcript) -> Answer | None:
    """``answer`` with the rows of the other query as the expected rows; None if that query failed.

    The rows of each query are read by the types that the backend declares for it.
    """
    if isinstance(other.answer, Refused) or other.failure:
        return None
    expected = read_rows(other.rows, answer.columns, None, other.answer.columns)
    numbers = classes(expected, answer.actual)
    return replace(answer, expected=expected, classes=numbers, matching=match_rows(numbers))


def _unequal(answer: Answer, other: Transcript, compared: Answer | None) -> Iterator[Verdict]:
    """At most one verdict: the rows differ from those of the query that must have equal rows.

    ``other`` is the transcript of that query, and ``compared`` is its `_other_answer`.
    """
    what = "the query it must be equal to"
    if isinstance(other.answer, Refused):
        yield _refused(f"{what} was refused", other.answer)
    elif other.failure:
        yield _refused(f"{what} failed", other.failure)
    elif compared is not None:
        if not compared.expected and not compared.actual and not answer.case.lists_rows:
            yield failed(
                Kind.WRONG_ROWS, f"no rows here, and none of {what}: nothing can be compared"
            )
        for fault in (content_fault(compared, whole=True), order_fault(compared, whole=True)):
            if fault is not None and fault.kind is not None:
                reason = f"other rows than {what}: {fault.reason}"
                yield failed(fault.kind, reason, fault.detail)
                return
