"""Compare the steps at which rows were emitted with the steps at which they may be emitted.

Rows are named by their places: an expected row by its place in the schedule
(`tck.judging.schedule`), an emitted row by its place among all emitted rows.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from heapq import heappop, heappush
from typing import Final

from tck.corpus.case import Case, CellRow
from tck.corpus.steps.texts import moment, step_name, step_text
from tck.judging.answer import Answer
from tck.judging.rows.difference import rows_beside
from tck.judging.rows.equality import Classes
from tck.judging.rows.matching import Matching, places_by_class
from tck.judging.rows.reading import row_text
from tck.judging.schedule import ScheduledRow, TimedTier, schedule

#: How many notes on misplaced rows are shown.
_NOTES: Final = 40


class TimingFault(StrEnum):
    """The faults that a row can have at a step, the worst first."""

    EARLY = "too early"
    LATE = "too late"
    MISSING = "missing"
    EXTRA = "not expected"


@dataclass(frozen=True, slots=True)
class Difference:
    """The first step, from 0, whose rows have faults: the worst fault, and a reason in one line.

    ``detail`` has lines that show expected rows and emitted rows side by side; ``concerns`` has the
    expected rows at fault.
    """

    step: int
    fault: TimingFault
    reason: str
    detail: tuple[str, ...]
    concerns: tuple[CellRow, ...]


@dataclass(frozen=True, slots=True)
class Misplaced:
    """One fault: the step at which it shows, and the places of the expected and the emitted row.

    ``scheduled`` is None for a row that is not expected, ``emitted`` for a row that is missing.
    """

    fault: TimingFault
    step: int
    scheduled: int | None
    emitted: int | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """The scheduled rows, compared with the emitted ones.

    ``in_time`` has the pairs of a scheduled row and the row that was emitted in time for it;
    ``faults`` has the faults of the other rows.
    """

    scheduled: tuple[ScheduledRow, ...]
    in_time: Mapping[int, int]
    faults: tuple[Misplaced, ...]

    @property
    def has_untimely_row(self) -> bool:
        """Whether an expected row was emitted too early or too late."""
        return any(each.fault in (TimingFault.EARLY, TimingFault.LATE) for each in self.faults)


def compare(answer: Answer, tier: TimedTier) -> Comparison:
    """Compare the rows of an answer with the schedule of its case at a tier.

    The steps of the case must list its rows (`rows_are_timed`).
    """
    case = answer.case
    scheduled = schedule(case, answer.expected, tier)
    in_time, faults = compare_times(
        scheduled, answer.steps, answer.classes, answer.matching, len(case.steps)
    )
    return Comparison(scheduled, in_time, faults)


def first_difference(answer: Answer, comparison: Comparison) -> Difference | None:
    """The first step with a fault; None: there are no faults."""
    if not comparison.faults:
        return None
    order = list(TimingFault)
    first = min(comparison.faults, key=lambda each: (each.step, order.index(each.fault)))
    return _described(answer, comparison, first)


def compare_times(
    scheduled: Sequence[ScheduledRow],
    emission_steps: Sequence[int],
    classes: Classes,
    matching: Matching,
    step_count: int,
) -> tuple[dict[int, int], tuple[Misplaced, ...]]:
    """The pairs of scheduled rows and rows emitted in time, and the faults of the other rows.

    ``emission_steps`` has the step of each emitted row, ascending.  Equal rows have the same number
    in ``classes``, and ``matching`` pairs them without regard to their steps.  ``step_count`` is
    the number of steps of the case; an extra row after the last of these steps is not a fault.

    If the pairs of a class in ``matching`` are all in time, and no row of the class is left, these
    pairs stay.  The rows of other classes are paired again: first as many pairs in time as
    possible, then the rows that remain.
    """
    # The classes whose rows are paired again.
    pair_again = {classes.expected[place] for place in matching.missing}
    pair_again.update(classes.actual[place] for place in matching.extra)
    for place, other in matching.pairs:
        if not scheduled[place].first <= emission_steps[other] <= scheduled[place].last:
            pair_again.add(classes.expected[place])
    in_time = {i: j for i, j in matching.pairs if classes.expected[i] not in pair_again}
    due_places = places_by_class(classes.expected, pair_again)
    emitted_places = places_by_class(classes.actual, pair_again)
    out_of_time: dict[int, int] = {}
    for number, due in due_places.items():
        candidates = emitted_places.get(number, [])
        paired = _pairs_in_time(scheduled, emission_steps, due, candidates)
        in_time |= paired
        taken = set(paired.values())
        out_of_time |= _pairs_out_of_time(
            scheduled,
            emission_steps,
            [place for place in due if place not in paired],
            [place for place in candidates if place not in taken],
            step_count,
        )
    return in_time, tuple(_misplaced(scheduled, emission_steps, step_count, in_time, out_of_time))


def _pairs_in_time(
    scheduled: Sequence[ScheduledRow],
    emission_steps: Sequence[int],
    due: Sequence[int],
    candidates: Sequence[int],
) -> dict[int, int]:
    """As many pairs in time as possible of equal rows: scheduled ones (``due``) and emitted ones.

    Each of the ``candidates``, in the order of emission, is paired with the row that may be emitted
    at its step and has the earliest last step.  An optional row has one of the latest last steps,
    so the rows that must be emitted are paired first.
    """
    # The rows that may not yet be emitted; the row with the earliest first step is at the end.
    unplaced = sorted(due, key=lambda place: scheduled[place].first, reverse=True)
    by_deadline: list[tuple[int, int]] = []  # a heap of the rows that may be emitted now
    pairs: dict[int, int] = {}
    for place in candidates:
        step = emission_steps[place]
        while unplaced and scheduled[unplaced[-1]].first <= step:
            row = unplaced.pop()
            heappush(by_deadline, (scheduled[row].last, row))
        while by_deadline and by_deadline[0][0] < step:
            heappop(by_deadline)
        if by_deadline:
            pairs[heappop(by_deadline)[1]] = place
    return pairs


def _pairs_out_of_time(
    scheduled: Sequence[ScheduledRow],
    emission_steps: Sequence[int],
    due: Sequence[int],
    candidates: Sequence[int],
    step_count: int,
) -> dict[int, int]:
    """Pairs of the remaining equal rows, both in the order of their steps.

    An optional row cannot be late, so it is not paired with a row after the last step of the case.
    """
    pairs: dict[int, int] = {}
    unpaired = iter(candidates)
    for row in sorted(due, key=lambda place: (scheduled[place].first, scheduled[place].last)):
        place = next(unpaired, None)
        if place is None or (scheduled[row].optional and emission_steps[place] >= step_count):
            break
        pairs[row] = place
    return pairs


def _misplaced(
    scheduled: Sequence[ScheduledRow],
    emission_steps: Sequence[int],
    step_count: int,
    in_time: Mapping[int, int],
    out_of_time: Mapping[int, int],
) -> Iterator[Misplaced]:
    """The faults: of the pairs ``out_of_time``, and of the rows of both lists without a partner."""
    for place, row in enumerate(scheduled):
        if place in in_time:
            continue
        other = out_of_time.get(place)
        if other is None:
            if not row.optional:
                yield Misplaced(TimingFault.MISSING, row.last, place, None)
        elif emission_steps[other] < row.first:
            yield Misplaced(TimingFault.EARLY, emission_steps[other], place, other)
        else:
            yield Misplaced(TimingFault.LATE, row.last, place, other)
    paired = {*in_time.values(), *out_of_time.values()}
    for place, step in enumerate(emission_steps):
        if place not in paired and step < step_count:
            yield Misplaced(TimingFault.EXTRA, step, None, place)


def _described(answer: Answer, comparison: Comparison, first: Misplaced) -> Difference:
    """The difference at the step of the ``first`` fault, with the rows due and emitted at it."""
    case, scheduled = answer.case, comparison.scheduled
    faults = [each for each in comparison.faults if each.step == first.step]
    noted = [note for each in faults if (note := _note(answer, scheduled, each))]
    notes = noted[:_NOTES]
    if len(noted) > _NOTES:
        notes.append(f"  ... {len(noted) - _NOTES} more")
    counts = [(sum(each.fault is fault for each in faults), fault) for fault in TimingFault]
    words = [
        f"{number} row{'' if number == 1 else 's'} {what}" for number, what in counts if number
    ]
    beside = _rows_of_step(answer, comparison, faults, first.step)
    return Difference(
        first.step,
        first.fault,
        f"{step_name(case, first.step)}: {', '.join(words)}",
        (f"  {step_text(case, first.step)}", *beside, *notes),
        tuple(scheduled[each.scheduled].cells for each in faults if each.scheduled is not None),
    )


def _rows_of_step(
    answer: Answer, comparison: Comparison, faults: Sequence[Misplaced], step: int
) -> Sequence[str]:
    """Lines that show the rows due at a step next to the rows emitted at the step.

    A row counts as due if it was emitted in time at the step, or if the ``faults`` of the step have
    it as late or missing.
    """
    scheduled, in_time = comparison.scheduled, comparison.in_time
    absent_kinds = (TimingFault.LATE, TimingFault.MISSING)
    absent = {each.scheduled for each in faults if each.fault in absent_kinds}
    due = [
        place
        for place in range(len(scheduled))
        if place in absent or (place in in_time and answer.steps[in_time[place]] == step)
    ]
    emitted = [place for place, other in enumerate(answer.steps) if other == step]
    # `rows_beside` counts places in the two lists that it shows.
    shown_at = {place: i for i, place in enumerate(emitted)}
    partners = set(in_time.values())
    matching = Matching(
        tuple((i, shown_at[in_time[place]]) for i, place in enumerate(due) if place not in absent),
        tuple(i for i, place in enumerate(due) if place in absent),
        tuple(i for i, place in enumerate(emitted) if place not in partners),
    )
    return rows_beside(
        answer.columns,
        [scheduled[place].row for place in due],
        [answer.actual[place] for place in emitted],
        matching,
    )


def _note(answer: Answer, scheduled: Sequence[ScheduledRow], fault: Misplaced) -> str:
    """A line with the step at which a row was due, or was emitted; empty for an extra row."""
    if fault.scheduled is None:
        return ""
    case, row = answer.case, row_text(scheduled[fault.scheduled].row)
    if fault.fault is TimingFault.EARLY:
        return f"+ {row}: due only at {moment(case, scheduled[fault.scheduled].first)}"
    if fault.emitted is None:
        return f"- {row}: never emitted"
    return f"- {row}: emitted only at {moment(case, answer.steps[fault.emitted])}"


def rows_are_timed(case: Case) -> bool:
    """Whether the steps of a case list its rows; this gives the steps at which each is due."""
    return bool(case.steps) and case.rows is None and case.lists_rows
