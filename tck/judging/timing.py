"""The steps at which rows were emitted, compared with the steps that allow them."""

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
    """The possible faults of a row at a step; a step with several is named after the first."""

    EARLY = "too early"
    LATE = "too late"
    MISSING = "missing"
    EXTRA = "not expected"


@dataclass(frozen=True, slots=True)
class Difference:
    """The first step that differs, from 0: its worst fault, a reason in one line, and details.

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
    """One fault: the step at which it shows, and the places of its rows in their two lists.

    ``scheduled`` is None for a row that is not expected, ``emitted`` for a row that is missing.
    """

    fault: TimingFault
    step: int
    scheduled: int | None
    emitted: int | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """The scheduled rows, compared with the emitted ones.

    ``in_time`` maps the places of scheduled rows to those of the rows emitted in time for them;
    ``faults`` are the others.
    """

    scheduled: tuple[ScheduledRow, ...]
    in_time: Mapping[int, int]
    faults: tuple[Misplaced, ...]

    @property
    def untimely(self) -> bool:
        """Whether an expected row was emitted too early or too late."""
        return any(each.fault in (TimingFault.EARLY, TimingFault.LATE) for each in self.faults)


def compare(answer: Answer, tier: TimedTier) -> Comparison:
    """The rows of an answer, compared with the schedule of its case at a tier.

    Only for a case whose steps list its rows (`rows_are_timed`).
    """
    case = answer.case
    scheduled = schedule(case, answer.expected, tier)
    in_time, faults = compare_times(
        scheduled, answer.steps, answer.classes, answer.matching, len(case.steps)
    )
    return Comparison(scheduled, in_time, faults)


def first_difference(answer: Answer, comparison: Comparison) -> Difference | None:
    """The first step with an untimely row; None if all rows are in time."""
    if not comparison.faults:
        return None
    order = list(TimingFault)
    first = min(comparison.faults, key=lambda each: (each.step, order.index(each.fault)))
    return _described(answer, comparison, first)


def compare_times(
    scheduled: Sequence[ScheduledRow],
    emitted: Sequence[int],
    classes: Classes,
    matching: Matching,
    steps: int,
) -> tuple[dict[int, int], tuple[Misplaced, ...]]:
    """The pairs of scheduled rows and rows emitted in time, and a fault for each other row.

    ``emitted`` has the steps of the emitted rows, ascending; equal rows have equal ``classes``, and
    ``matching`` pairs them without regard to their steps.  An extra row after the last of the
    ``steps`` is not a fault.  No row is a fault if another choice of pairs would have it in time:
    of equal rows, an emitted one is paired with the scheduled one that is due first.
    """
    doubtful = {classes.expected[place] for place in matching.missing}
    doubtful.update(classes.actual[place] for place in matching.extra)
    for place, other in matching.pairs:
        if not scheduled[place].first <= emitted[other] <= scheduled[place].last:
            doubtful.add(classes.expected[place])
    in_time = {i: j for i, j in matching.pairs if classes.expected[i] not in doubtful}
    due = places_by_class(classes.expected, doubtful)
    emitted_places = places_by_class(classes.actual, doubtful)
    otherwise: dict[int, int] = {}
    for number, places in due.items():
        candidates = emitted_places.get(number, [])
        mine = _in_time(scheduled, emitted, places, candidates)
        in_time |= mine
        taken = set(mine.values())
        otherwise |= _out_of_time(
            scheduled,
            emitted,
            [place for place in places if place not in mine],
            [place for place in candidates if place not in taken],
            steps,
        )
    return in_time, tuple(_misplaced(scheduled, emitted, steps, in_time, otherwise))


def _in_time(
    scheduled: Sequence[ScheduledRow],
    emitted: Sequence[int],
    due: Sequence[int],
    came: Sequence[int],
) -> dict[int, int]:
    """The most pairs in time among equal rows: the row with the earliest deadline is first.

    A row that the query may fail before it emits has one of the latest deadlines, so that it comes
    after those that must be emitted.
    """
    unplaced = sorted(due, key=lambda place: scheduled[place].first, reverse=True)
    open_ones: list[tuple[int, int]] = []
    pairs: dict[int, int] = {}
    for place in came:
        step = emitted[place]
        while unplaced and scheduled[unplaced[-1]].first <= step:
            row = unplaced.pop()
            heappush(open_ones, (scheduled[row].last, row))
        while open_ones and open_ones[0][0] < step:
            heappop(open_ones)
        if open_ones:
            pairs[heappop(open_ones)[1]] = place
    return pairs


def _out_of_time(
    scheduled: Sequence[ScheduledRow],
    emitted: Sequence[int],
    due: Sequence[int],
    came: Sequence[int],
    steps: int,
) -> dict[int, int]:
    """The other equal rows in pairs, by their steps; an optional row is not late."""
    pairs: dict[int, int] = {}
    left = iter(came)
    for row in sorted(due, key=lambda place: (scheduled[place].first, scheduled[place].last)):
        place = next(left, None)
        if place is None or (scheduled[row].optional and emitted[place] >= steps):
            break
        pairs[row] = place
    return pairs


def _misplaced(
    scheduled: Sequence[ScheduledRow],
    emitted: Sequence[int],
    steps: int,
    in_time: Mapping[int, int],
    otherwise: Mapping[int, int],
) -> Iterator[Misplaced]:
    for place, row in enumerate(scheduled):
        if place in in_time:
            continue
        other = otherwise.get(place)
        if other is None:
            if not row.optional:
                yield Misplaced(TimingFault.MISSING, row.last, place, None)
        elif emitted[other] < row.first:
            yield Misplaced(TimingFault.EARLY, emitted[other], place, other)
        else:
            yield Misplaced(TimingFault.LATE, row.last, place, other)
    paired = {*in_time.values(), *otherwise.values()}
    for place, step in enumerate(emitted):
        if place not in paired and step < steps:
            yield Misplaced(TimingFault.EXTRA, step, None, place)


def _described(answer: Answer, comparison: Comparison, first: Misplaced) -> Difference:
    """The step of the first fault, with the rows due there and the rows emitted there."""
    case, scheduled, in_time = answer.case, comparison.scheduled, comparison.in_time
    here = [each for each in comparison.faults if each.step == first.step]
    late = (TimingFault.LATE, TimingFault.MISSING)
    absent = {each.scheduled: each for each in here if each.fault in late}
    left_range = [
        place
        for place in range(len(scheduled))
        if place in absent or (place in in_time and answer.steps[in_time[place]] == first.step)
    ]
    right_range = [place for place, step in enumerate(answer.steps) if step == first.step]
    index = {place: i for i, place in enumerate(right_range)}
    matched = set(in_time.values())
    matching = Matching(
        tuple(
            (i, index[in_time[place]]) for i, place in enumerate(left_range) if place not in absent
        ),
        tuple(i for i, place in enumerate(left_range) if place in absent),
        tuple(i for i, place in enumerate(right_range) if place not in matched),
    )
    beside = rows_beside(
        answer.columns,
        [scheduled[place].row for place in left_range],
        [answer.actual[place] for place in right_range],
        matching,
    )
    noted = [note for each in here if (note := _note(answer, scheduled, each))]
    notes = noted[:_NOTES]
    if len(noted) > _NOTES:
        notes.append(f"  ... {len(noted) - _NOTES} more")
    counts = [(sum(each.fault is fault for each in here), fault) for fault in TimingFault]
    words = [
        f"{number} row{'' if number == 1 else 's'} {what}" for number, what in counts if number
    ]
    return Difference(
        first.step,
        first.fault,
        f"{step_name(case, first.step)}: {', '.join(words)}",
        (f"  {step_text(case, first.step)}", *beside, *notes),
        tuple(scheduled[each.scheduled].cells for each in here if each.scheduled is not None),
    )


def _note(answer: Answer, scheduled: Sequence[ScheduledRow], fault: Misplaced) -> str:
    """The step at which a misplaced row was due, or was emitted; empty for an extra row."""
    if fault.scheduled is None:
        return ""
    case, row = answer.case, row_text(scheduled[fault.scheduled].row)
    if fault.fault is TimingFault.EARLY:
        return f"+ {row}: due only at {moment(case, scheduled[fault.scheduled].first)}"
    if fault.emitted is None:
        return f"- {row}: never emitted"
    return f"- {row}: emitted only at {moment(case, answer.steps[fault.emitted])}"


def rows_are_timed(case: Case) -> bool:
    """Whether the steps list the rows, and so the times at which each may be emitted."""
    return bool(case.steps) and case.rows is None and case.lists_rows
