"""What came too early, too late, or against a bound: the first of it in the order of steps."""

from collections.abc import Iterator
from typing import Final

from tck.corpus.case import Case
from tck.judging.bounds import FalseBound, false_bounds
from tck.judging.timing import Fault, first_difference, rows_are_timed, step_name
from tck.judging.verdict import Kind, Verdict, failed
from tck.protocol import Accepted, Tier
from tck.transcript import Transcript

_KINDS: Final = {
    Fault.EARLY: Kind.TOO_EARLY,
    Fault.LATE: Kind.TOO_LATE,
    Fault.MISSING: Kind.WRONG_ROWS,
    Fault.EXTRA: Kind.WRONG_ROWS,
}


def wrong_moments(
    case: Case, accepted: Accepted, transcript: Transcript, tier: Tier
) -> Iterator[Verdict]:
    """The first fault at the steps: of rows, failure and bounds; then of what is not told or freed.

    The rows are the right ones, and in the right order.  At ``final`` only bounds are judged: a
    promise that was given must be true at any tier.
    """
    bounds = list(false_bounds(case, accepted, transcript, tier))
    wrong = [
        *_rows(case, accepted, transcript, tier),
        *_failure(case, transcript, tier),
        *((false.step, _bound(false)) for false in bounds if false.broken),
    ]
    short = [
        *((false.step, _bound(false)) for false in bounds if not false.broken),
        *_state(case, transcript, tier),
    ]
    for faults in (wrong, short):
        if faults:
            yield min(faults, key=lambda fault: fault[0])[1]


def _bound(false: FalseBound) -> Verdict:
    return failed(Kind.FALSE_BOUND, false.reason, false.detail)


def _rows(
    case: Case, accepted: Accepted, transcript: Transcript, tier: Tier
) -> Iterator[tuple[int, Verdict]]:
    if tier == "final" or not rows_are_timed(case):
        return
    first = first_difference(case, accepted, transcript, tier)
    if first is not None:
        kind = _KINDS[first.fault]
        yield first.step, failed(kind, first.reason, first.detail, first.concerns)


def _failure(case: Case, transcript: Transcript, tier: Tier) -> Iterator[tuple[int, Verdict]]:
    """A failure at another step; at ``bounded`` it may come as late as the end of the inputs."""
    due = len(case.steps) - 1
    if tier == "final" or not case.failure or not transcript.failure:
        return
    step = next(i for i, output in enumerate(transcript.outputs) if output.error)
    code = transcript.failure.code
    if step < due:
        reason = f"{step_name(case, step)}: {code}, not before {step_name(case, due)}"
        yield step, failed(Kind.TOO_EARLY, reason)
    elif step > due and tier == "exact":
        reason = f"{step_name(case, due)}: no {code}, it came at {step_name(case, step)}"
        yield due, failed(Kind.TOO_LATE, reason)


def _state(case: Case, transcript: Transcript, tier: Tier) -> Iterator[tuple[int, Verdict]]:
    """More rows and groups than are needed, at ``exact``, of a backend that counts them."""
    if tier != "exact":
        return
    for i, (step, output) in enumerate(zip(case.steps, transcript.outputs, strict=False)):
        if step.state is None or output.state is None:
            continue
        held = output.state.rows + output.state.groups
        if held > step.state:
            what = f"holds {output.state.rows} rows and {output.state.groups} groups"
            reason = f"{step_name(case, i)}: {what}, {step.state} are enough"
            yield i, failed(Kind.TOO_MUCH_STATE, reason)
