"""Compare a backend's warnings about refused events with those that a case expects (S-601.e)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tck.corpus.case import Case, ExpectedWarning
from tck.corpus.steps.texts import step_name
from tck.judging.verdict import Kind, Verdict, failed
from tck.protocol import Bound, Event, SqlWarning, Tier
from tck.transcript import Transcript, events_by_step


@dataclass(frozen=True, slots=True)
class _FedEvent:
    """An event that the kit fed, with its step, from 0; -1: it was fed before the first step."""

    step: int
    event: Event


def warning_faults(case: Case, transcript: Transcript, tier: Tier) -> Iterator[Verdict]:
    """Verdicts on expected warnings that are missing or have another code, and on further warnings.

    A case expects a warning about a bound of an input in a step.  A backend's warning has the
    number of an event.  It is the expected warning if this event is a bound of the same input in
    the same step.  At the tiers above ``final`` the warning must also be reported at this step.
    """
    fed = [_FedEvent(-1, load) for load in case.tables]
    for step, events in enumerate(events_by_step(case)):
        fed += [_FedEvent(step, event) for event in events]
    reported = [(step, w) for step, out in enumerate(transcript.outputs) for w in out.warnings]
    for step, output in enumerate(case.steps):
        for expected in output.warnings:
            matching = ((n, w) for n, w in reported if _is_about(w, step, expected, fed))
            found = next(matching, None)
            if found is None:
                yield _fault(case, step, f"the bound of {expected.input} must be refused")
                continue
            reported.remove(found)
            reported_at, warning = found
            if warning.code != expected.code:
                reason = f"the bound of {expected.input} was refused with {warning.code}"
                yield _fault(case, step, f"{reason}, not with {expected.code}")
            elif tier != "final" and reported_at != step:
                moment = f"was reported at {step_name(case, reported_at)}"
                yield _fault(case, step, f"the refusal of the bound of {expected.input} {moment}")
    for reported_at, warning in reported:
        what = f"event {warning.event}, from 0, must not be refused: {warning.code}"
        yield _fault(case, reported_at, f"{what}: {warning.message}".rstrip(": "))


def _is_about(
    warning: SqlWarning, step: int, expected: ExpectedWarning, fed: Sequence[_FedEvent]
) -> bool:
    """Whether a warning is about a bound of the expected input in the step; ``fed``: all events."""
    if warning.event >= len(fed):
        return False
    about = fed[warning.event]
    return (
        about.step == step
        and isinstance(about.event, Bound)
        and about.event.input == expected.input
    )


def _fault(case: Case, step: int, reason: str) -> Verdict:
    """The verdict on a wrong or missing warning, with the step's name before the reason."""
    return failed(Kind.WRONG_WARNING, f"{step_name(case, step)}: {reason}")
