"""The output bounds that a backend reports, against its own rows and against the case."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from tck.corpus.case import Case
from tck.corpus.steps.literals import cell_literal
from tck.corpus.steps.texts import step_name, step_text
from tck.corpus.values import UnreadableError
from tck.judging.answer import Answer
from tck.judging.rows.reading import row_text
from tck.judging.rowtimes import END, bound_text, bound_time, rowtime_of, rowtime_place
from tck.protocol import Tier


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


def bound_faults(answer: Answer, tier: Tier) -> Iterator[FalseBound]:
    """The wrong bounds of a transcript, in the order of steps.

    At every tier: a bound is not a time; it is below an earlier bound; a row is below an earlier
    bound; or a bound is above the case's ``clock``, so that a row of another input could be below
    it.  At ``exact`` also: a bound differs from the ``clock``, or is no longer reported (S-103,
    S-306).
    """
    case, place = answer.case, rowtime_place(answer.case)
    rows = iter(answer.actual)
    highest, highest_step = datetime.min, 0
    for step, output in enumerate(answer.transcript.outputs):
        here = list(islice(rows, len(output.rows)))
        if highest != datetime.min:
            after_end = highest == bound_time(END)
            times = ((row, rowtime_of(row, place)) for row in here)
            below = (row for row, time in times if after_end or (time and time < highest))
            if row := next(below, None):
                promise = f"{bound_text(highest)}, the bound of {step_name(case, highest_step)}"
                yield _false(case, step, f"a row below {promise}", (f"+ {row_text(row)}",))
        try:
            bound = datetime.min if output.bound is None else bound_time(output.bound)
        except UnreadableError:
            what = "neither a time with its date nor `end`"
            yield _false(case, step, f"the bound is {cell_literal(output.bound)}, {what}")
            continue
        reported = "none" if output.bound is None else bound_text(bound)
        right = case.steps[step].output_bound if step < len(case.steps) else None
        decreases = bound < highest and output.error is None
        if decreases and output.bound is not None:
            yield _false(case, step, f"the bound falls from {bound_text(highest)} to {reported}")
        elif right is not None and bound != bound_time(right):
            unsound = bound > bound_time(right)
            if unsound or tier == "exact":
                what = f"the output's bound is {right}, the backend says {reported}"
                yield _false(case, step, what, (f"- {right}", f"+ {reported}"), unsound)
        elif decreases and tier == "exact":
            what = f"the bound falls from {bound_text(highest)} to {reported}"
            yield _false(case, step, what, unsound=False)
        if bound > highest:
            highest, highest_step = bound, step


def _false(
    case: Case, step: int, what: str, detail: tuple[str, ...] = (), unsound: bool = True
) -> FalseBound:
    events = f"  {step_text(case, step)}"
    return FalseBound(step, f"{step_name(case, step)}: {what}", (events, *detail), unsound)
