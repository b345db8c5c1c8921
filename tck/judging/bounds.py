"""Judge the output bounds that a backend reports, by its own rows and by the bounds of the case."""

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

    ``unsound``: the bound is not a time or ``end``, or a row can break its promise.  If not, the
    bound promises less than it should, which is wrong only at tier ``exact``.
    """

    step: int
    reason: str
    detail: tuple[str, ...]
    unsound: bool


def bound_faults(answer: Answer, tier: Tier) -> Iterator[FalseBound]:
    """The wrong bounds of a transcript, in the order of steps.

    At every tier: a bound is not a time; it is below an earlier bound; a row is below an earlier
    bound; or a bound is above the step's ``output_bound`` (``clock`` in the case file), so that a
    row of another input could be below it.  At ``exact`` also: a bound is below the step's
    ``output_bound``, or is no longer reported (S-103, S-306).
    """
    case, place = answer.case, rowtime_place(answer.case)
    rows = iter(answer.actual)
    # The highest bound so far, and its step; `datetime.min` stands for no bound.
    highest, highest_step = datetime.min, 0
    for step, output in enumerate(answer.transcript.outputs):
        emitted = list(islice(rows, len(output.rows)))
        if highest != datetime.min:
            after_end = highest == bound_time(END)  # then no row may follow, whatever its rowtime
            times = ((row, rowtime_of(row, place)) for row in emitted)
            below = (row for row, time in times if after_end or (time and time < highest))
            if row := next(below, None):
                promise = f"{bound_text(highest)}, the bound of {step_name(case, highest_step)}"
                yield _bound_fault(case, step, f"a row below {promise}", (f"+ {row_text(row)}",))
        try:
            bound = datetime.min if output.bound is None else bound_time(output.bound)
        except UnreadableError:
            what = "neither a time with its date nor `end`"
            yield _bound_fault(case, step, f"the bound is {cell_literal(output.bound)}, {what}")
            continue
        reported = "none" if output.bound is None else bound_text(bound)
        expected = case.steps[step].output_bound if step < len(case.steps) else None
        # A bound that is no longer reported decreases, too; only `exact` forbids this.
        decreases = bound < highest and output.error is None
        if decreases and output.bound is not None:
            yield _bound_fault(
                case, step, f"the bound falls from {bound_text(highest)} to {reported}"
            )
        elif expected is not None and bound != bound_time(expected):
            unsound = bound > bound_time(expected)
            if unsound or tier == "exact":
                what = f"the output's bound is {expected}, the backend says {reported}"
                yield _bound_fault(case, step, what, (f"- {expected}", f"+ {reported}"), unsound)
        elif decreases and tier == "exact":
            what = f"the bound falls from {bound_text(highest)} to {reported}"
            yield _bound_fault(case, step, what, unsound=False)
        if bound > highest:
            highest, highest_step = bound, step


def _bound_fault(
    case: Case, step: int, what: str, detail: tuple[str, ...] = (), unsound: bool = True
) -> FalseBound:
    """The fault of a bound, with the step's name in the reason and its events in the details."""
    events = f"  {step_text(case, step)}"
    return FalseBound(step, f"{step_name(case, step)}: {what}", (events, *detail), unsound)
