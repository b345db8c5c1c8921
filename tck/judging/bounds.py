"""The output bounds that a backend reports, against its own rows and against the case."""

from collections.abc import Iterator
from dataclasses import dataclass

from tck.corpus.case import Case
from tck.corpus.values import UnreadableError
from tck.judging.matching import read_row
from tck.judging.rowtimes import END, readable_bound, rowtime_of, rowtime_place, sortable_bound
from tck.judging.timing import step_name, step_text
from tck.protocol import Accepted, Tier
from tck.transcript import Transcript


@dataclass(frozen=True, slots=True)
class FalseBound:
    """A wrong bound: the step, from 0, at which it shows, the reason in one line, and details.

    ``unsound``: it promises more than is right, so that a row can break it.  Otherwise it promises
    less than is right, which is wrong at tier ``exact`` alone.
    """

    step: int
    reason: str
    detail: tuple[str, ...]
    unsound: bool


def bound_faults(
    case: Case, accepted: Accepted, transcript: Transcript, tier: Tier
) -> Iterator[FalseBound]:
    """The wrong bounds of a transcript, in the order of steps.

    At every tier: a row is below a bound reported before it, or a bound is above the case's
    ``clock``, so that a row of another input could be below it.  At ``exact`` also: a bound differs
    from the ``clock``, or is below one reported before it (S-103, S-306).
    """
    place = rowtime_place(accepted)
    highest, highest_step = "", 0
    for step, output in enumerate(transcript.outputs):
        for row in output.rows:
            read = read_row(row, accepted.columns, None)
            time = rowtime_of(read, place)
            if highest == sortable_bound(END) or (time is not None and time < highest):
                promise = f"{readable_bound(highest)}, the bound of {step_name(case, highest_step)}"
                text = "  ".join(value.text for value in read)
                yield _false(case, step, f"a row below {promise}", (f"+ {text}",))
                break
        try:
            bound = "" if output.bound is None else sortable_bound(output.bound)
        except UnreadableError as error:
            yield _false(case, step, f"the bound cannot be read: {error}")
            continue
        right = case.steps[step].output_bound if step < len(case.steps) else None
        if right is not None and bound != sortable_bound(right):
            unsound = bound > sortable_bound(right)
            if unsound or tier == "exact":
                reported = readable_bound(bound) or "none"
                what = f"the output's bound is {right}, the backend says {reported}"
                yield _false(case, step, what, (f"- {right}", f"+ {reported}"), unsound)
        elif tier == "exact" and bound < highest and output.error is None:
            before, after = readable_bound(highest), readable_bound(bound) or "none"
            yield _false(case, step, f"the bound falls from {before} to {after}", unsound=False)
        if bound > highest:
            highest, highest_step = bound, step


def _false(
    case: Case, step: int, what: str, detail: tuple[str, ...] = (), unsound: bool = True
) -> FalseBound:
    events = f"  {step_text(case, step)}"
    return FalseBound(step, f"{step_name(case, step)}: {what}", (events, *detail), unsound)
