"""Judge the time of emission: rows too early or too late, false bounds, and state."""

from collections.abc import Iterator
from itertools import count, takewhile
from typing import Final

from tck.corpus.case import Case
from tck.corpus.steps.texts import step_name
from tck.judging.answer import Answer
from tck.judging.bounds import FalseBound, bound_faults
from tck.judging.timing import Comparison, TimingFault, first_difference
from tck.judging.verdict import Kind, Verdict, failed
from tck.protocol import Rows, Tier
from tck.transcript import Transcript

_KINDS: Final = {
    TimingFault.EARLY: Kind.TOO_EARLY,
    TimingFault.LATE: Kind.TOO_LATE,
    TimingFault.MISSING: Kind.WRONG_ROWS,
    TimingFault.EXTRA: Kind.WRONG_ROWS,
}


def timing_faults(answer: Answer, comparison: Comparison | None, tier: Tier) -> Iterator[Verdict]:
    """At most two verdicts, for an answer with the right rows in the right order.

    The first is about the earliest wrong answer: a row or a failure at the wrong step, or an
    unsound bound.  The second is about the earliest imperfection that only tier ``exact`` rules
    out: a bound below the right one, or a wrong report of state.  At ``final`` only unsound bounds
    are judged, because a promise must be true at every tier.

    ``comparison`` compares the rows with the steps at which the tier allows them; None: the time
    of the rows is not judged.
    """
    case, transcript = answer.case, answer.transcript
    bounds = list(bound_faults(answer, tier))
    wrong = [
        *_early_or_late_rows(answer, comparison),
        *_early_or_late_failure(case, transcript, tier),
        *((false.step, _bound_verdict(false)) for false in bounds if false.unsound),
    ]
    imperfect = [
        *((false.step, _bound_verdict(false)) for false in bounds if not false.unsound),
        *_excess_state(case, transcript, tier),
        *_denied_state(case, transcript, tier),
    ]
    for faults in (wrong, imperfect):
        if faults:
            yield min(faults, key=lambda fault: fault[0])[1]


def _bound_verdict(false: FalseBound) -> Verdict:
    """The verdict on a wrong bound."""
    return failed(Kind.FALSE_BOUND, false.reason, false.detail)


def _early_or_late_rows(
    answer: Answer, comparison: Comparison | None
) -> Iterator[tuple[int, Verdict]]:
    """At most one fault: the first step whose rows differ from those that are due, and why."""
    first = first_difference(answer, comparison) if comparison else None
    if first is not None:
        kind = _KINDS[first.fault]
        yield first.step, failed(kind, first.reason, first.detail, first.concerns)


def failure_faults(case: Case, transcript: Transcript, tier: Tier) -> Iterator[Verdict]:
    """At most one verdict: the query failed at another step than the tier allows."""
    for _, verdict in _early_or_late_failure(case, transcript, tier):
        yield verdict


def _early_or_late_failure(
    case: Case, transcript: Transcript, tier: Tier
) -> Iterator[tuple[int, Verdict]]:
    """At most one fault: a failure that is not at the case's last step, with the step of the fault.

    At ``bounded`` a failure may also be later, and at ``final`` it may be at any step.  There is no
    fault if the case expects no failure, or if the query has not failed: `judge` finds these.
    """
    due = len(case.steps) - 1
    if tier == "final" or not case.failure or not transcript.failure:
        return
    step = next(i for i, output in enumerate(transcript.outputs) if output.error)
    code = transcript.failure.code
    if step < due:
        reason = f"{step_name(case, step)}: {code}, due only at {step_name(case, due)}"
        yield step, failed(Kind.TOO_EARLY, reason)
    elif step > due and tier == "exact":
        reason = f"{step_name(case, due)}: no {code}; it occurred only at {step_name(case, step)}"
        yield due, failed(Kind.TOO_LATE, reason)


def _excess_state(case: Case, transcript: Transcript, tier: Tier) -> Iterator[tuple[int, Verdict]]:
    """The steps after which a backend retains more than the case allows, each with its verdict.

    A step is judged at ``exact``, if the backend counts its state.
    """
    if tier != "exact":
        return
    for i, (step, output) in enumerate(zip(case.steps, transcript.outputs, strict=False)):
        if step.state is None or output.state is None:
            continue
        retained = output.state.rows + output.state.groups
        if retained > step.state:
            what = f"holds {output.state.rows} rows and {output.state.groups} groups"
            reason = f"{step_name(case, i)}: {what}, {step.state} are enough"
            yield i, failed(Kind.TOO_MUCH_STATE, reason)


def _denied_state(case: Case, transcript: Transcript, tier: Tier) -> Iterator[tuple[int, Verdict]]:
    """The steps after which a backend reports an empty state, but must retain a row; with verdicts.

    The proof is a row that is emitted later, before any further input row.  Only ``exact`` judges
    this.
    """
    if tier != "exact":
        return
    feeds = [any(isinstance(each, Rows) for each in step.events) for step in case.steps]
    for i, (step, output) in enumerate(zip(case.steps, transcript.outputs, strict=False)):
        if step.state is None or output.state is None:
            continue
        # The polls after this step and before the next step that feeds rows, or up to the end.
        later = takewhile(lambda number: number >= len(feeds) or not feeds[number], count(i + 1))
        polls = zip(later, transcript.outputs[i + 1 :], strict=False)
        emitting = next((number for number, each in polls if each.rows), None)
        if emitting is not None and output.state.rows + output.state.groups == 0:
            proof = f"{step_name(case, emitting)} gave a row without a new input row"
            reason = f"{step_name(case, i)}: says that it holds nothing, but {proof}"
            yield i, failed(Kind.FALSE_STATE, reason)
