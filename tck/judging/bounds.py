"""The bounds that a backend gives of its output, against its own rows and against what is right."""

from collections.abc import Iterator
from dataclasses import dataclass

from tck.corpus.case import Case
from tck.corpus.values import UnreadableError
from tck.judging.matching import read_row
from tck.judging.rowtimes import END, moment, rowtime_of, rowtime_place, written
from tck.judging.timing import step_name, step_text
from tck.protocol import Accepted, Tier
from tck.transcript import Transcript


@dataclass(frozen=True, slots=True)
class FalseBound:
    """What is wrong with a bound, and at which step, from 0, it shows.

    ``broken``: no promise of it could be kept; else less is promised than is right.
    """

    step: int
    reason: str
    detail: tuple[str, ...]
    broken: bool


def false_bounds(
    case: Case, accepted: Accepted, transcript: Transcript, tier: Tier
) -> Iterator[FalseBound]:
    """Bounds that are wrong, in the order of steps.

    At every tier: a row came below a bound that was given before it; a bound is above the ``clock``
    that the case says is right, so that a row may still come below it.  At ``exact`` also: it is
    another than the ``clock``, or falls (S-103, S-306).
    """
    place = rowtime_place(accepted)
    highest, given_at = "", 0
    for step, output in enumerate(transcript.outputs):
        for row in output.rows:
            read = read_row(row, accepted.columns, None)
            time = rowtime_of(read, place)
            if highest == moment(END) or (time is not None and time < highest):
                what = f"a row below {written(highest)}, the bound of {step_name(case, given_at)}"
                text = "  ".join(shown.text for shown in read)
                yield _false(case, step, what, (f"+ {text}",))
                break
        try:
            bound = "" if output.bound is None else moment(output.bound)
        except UnreadableError as error:
            yield _false(case, step, f"the bound cannot be read: {error}")
            continue
        right = case.steps[step].clock if step < len(case.steps) else None
        if right is not None and bound != moment(right):
            broken = bound > moment(right)
            if broken or tier == "exact":
                said = written(bound) or "none"
                what = f"the output's bound is {right}, the backend says {said}"
                yield _false(case, step, what, (f"- {right}", f"+ {said}"), broken)
        elif tier == "exact" and bound < highest and output.error is None:
            what = f"the bound falls from {written(highest)} to {written(bound) or 'none'}"
            yield _false(case, step, what, broken=False)
        if bound > highest:
            highest, given_at = bound, step


def _false(
    case: Case, step: int, what: str, detail: tuple[str, ...] = (), broken: bool = True
) -> FalseBound:
    happened = f"  {step_text(case, step)}"
    return FalseBound(step, f"{step_name(case, step)}: {what}", (happened, *detail), broken)
