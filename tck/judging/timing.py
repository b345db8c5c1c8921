"""The steps at which rows were emitted, against those that allow them: the first difference."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tck.corpus.case import Case, CellRow
from tck.judging.difference import rows_beside
from tck.judging.matching import Matching, ReadRow, candidates, read_row
from tck.judging.pairing import Pairing
from tck.judging.schedule import ScheduledRow, TimedTier, schedule
from tck.protocol import Accepted, Bound, End, Event, Load, Now, Rows
from tck.transcript import Transcript


class TimingFault(StrEnum):
    """What may be wrong with a row at a step; a step with several is named after the first."""

    EARLY = "too early"
    LATE = "too late"
    MISSING = "missing"
    EXTRA = "not expected"


@dataclass(frozen=True, slots=True)
class EmittedRow:
    """A row that the backend emitted, and the step of its poll, from 0."""

    row: ReadRow
    step: int


@dataclass(frozen=True, slots=True)
class Difference:
    """The first step that differs, from 0: its worst fault, a reason in one line, and details.

    ``detail`` are lines that show expected rows beside emitted ones; ``concerns`` are the expected
    rows at fault.
    """

    step: int
    fault: TimingFault
    reason: str
    detail: tuple[str, ...]
    concerns: tuple[CellRow, ...]


@dataclass(frozen=True, slots=True)
class Misplaced:
    """One fault: the step at which it shows, and the places of its rows in their two lists.

    ``scheduled`` is None for a row that is not expected, ``emitted`` for one that never came.
    """

    fault: TimingFault
    step: int
    scheduled: int | None
    emitted: int | None


def first_difference(
    case: Case, accepted: Accepted, transcript: Transcript, tier: TimedTier
) -> Difference | None:
    """The first step at which the emitted rows are not those that may be; None: all are in time.

    Only for a case whose steps list its rows (`rows_are_timed`).
    """
    scheduled = schedule(case, accepted, tier)
    emitted = [
        EmittedRow(read_row(row, accepted.columns, None), step)
        for step, output in enumerate(transcript.outputs)
        for row in output.rows
    ]
    in_time, faults = compare_times(scheduled, emitted, len(case.steps))
    if not faults:
        return None
    first = min(faults, key=lambda each: (each.step, list(TimingFault).index(each.fault)))
    return _described(case, accepted, scheduled, emitted, in_time, faults, first)


def compare_times(
    scheduled: Sequence[ScheduledRow], emitted: Sequence[EmittedRow], steps: int
) -> tuple[Pairing, tuple[Misplaced, ...]]:
    """The rows emitted in time, paired with scheduled ones, and a fault for every other row.

    Rows emitted after the last of the ``steps`` may be any: an extra one there is no fault.  The
    pairing is a greatest one: no row is a fault that another choice of pairs would have in time.
    """
    equal = candidates([each.row for each in scheduled], [each.row for each in emitted])
    in_time = Pairing(
        [
            [i for i in rows if scheduled[place].first <= emitted[i].step <= scheduled[place].last]
            for place, rows in enumerate(equal)
        ]
    )
    in_time.add_right(i for i, each in enumerate(emitted) if each.step < steps)
    in_time.add_left(i for i, each in enumerate(scheduled) if not each.optional)
    unpaired = [
        [
            i
            for i in rows
            if i not in in_time.left_of
            and (emitted[i].step < steps or not scheduled[place].optional)
        ]
        for place, rows in enumerate(equal)
    ]
    early_or_late = Pairing(
        [[] if place in in_time.right_of else rows for place, rows in enumerate(unpaired)]
    )
    early_or_late.add_left(
        sorted(range(len(scheduled)), key=lambda i: (scheduled[i].first, scheduled[i].last))
    )
    return in_time, tuple(_misplaced(scheduled, emitted, steps, in_time, early_or_late))


def _misplaced(
    scheduled: Sequence[ScheduledRow],
    emitted: Sequence[EmittedRow],
    steps: int,
    in_time: Pairing,
    early_or_late: Pairing,
) -> Iterator[Misplaced]:
    for place, row in enumerate(scheduled):
        if place in in_time.right_of:
            continue
        other = early_or_late.right_of.get(place)
        if other is None:
            if not row.optional:
                yield Misplaced(TimingFault.MISSING, row.last, place, None)
        elif emitted[other].step < row.first:
            yield Misplaced(TimingFault.EARLY, emitted[other].step, place, other)
        else:
            yield Misplaced(TimingFault.LATE, row.last, place, other)
    for place, each in enumerate(emitted):
        paired = place in in_time.left_of or place in early_or_late.left_of
        if not paired and each.step < steps:
            yield Misplaced(TimingFault.EXTRA, each.step, None, place)


def _described(
    case: Case,
    accepted: Accepted,
    scheduled: Sequence[ScheduledRow],
    emitted: Sequence[EmittedRow],
    in_time: Pairing,
    faults: Sequence[Misplaced],
    first: Misplaced,
) -> Difference:
    """The step of the first fault, with the rows due there beside the rows emitted there."""
    here = [each for each in faults if each.step == first.step]
    late = (TimingFault.LATE, TimingFault.MISSING)
    absent = {each.scheduled: each for each in here if each.fault in late}
    left_range = [
        place
        for place in range(len(scheduled))
        if place in absent
        or (place in in_time.right_of and emitted[in_time.right_of[place]].step == first.step)
    ]
    right_range = [place for place, each in enumerate(emitted) if each.step == first.step]
    matching = Matching(
        tuple(
            (i, right_range.index(in_time.right_of[place]))
            for i, place in enumerate(left_range)
            if place not in absent
        ),
        tuple(i for i, place in enumerate(left_range) if place in absent),
        tuple(i for i, place in enumerate(right_range) if place not in in_time.left_of),
    )
    beside = rows_beside(
        accepted.columns,
        [scheduled[place].row for place in left_range],
        [emitted[place].row for place in right_range],
        matching,
    )
    notes = [note for each in here if (note := _note(case, scheduled, emitted, each))]
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


def _note(
    case: Case,
    scheduled: Sequence[ScheduledRow],
    emitted: Sequence[EmittedRow],
    fault: Misplaced,
) -> str:
    """When a misplaced row should have come, or when it did; empty for an extra row."""
    if fault.scheduled is None:
        return ""
    row = "  ".join(value.text for value in scheduled[fault.scheduled].row)
    if fault.fault is TimingFault.EARLY:
        return f"+ {row}: not before {step_name(case, scheduled[fault.scheduled].first)}"
    if fault.emitted is None:
        return f"- {row}: never came"
    return f"- {row}: came at {step_name(case, emitted[fault.emitted].step)}"


def step_name(case: Case, step: int) -> str:
    """``step 2 (line 41)``; the step after the last is the kit's own end of all inputs."""
    if step >= len(case.steps):
        return "the end of all inputs"
    return f"step {step + 1} (line {case.steps[step].line})"


def step_text(case: Case, step: int) -> str:
    """The events of a step: ``ORDERS: 2 rows; TRADES: bound 2015-02-15 10:11:00``."""
    events: Sequence[Event] = case.steps[step].events if step < len(case.steps) else (End(),)
    return "; ".join(map(_event_text, events)) or "nothing happens"


def _event_text(event: Event) -> str:
    match event:
        case Load(name, rows) | Rows(name, rows):
            return f"{name}: {len(rows)} row{'' if len(rows) == 1 else 's'}"
        case Bound(name, at, strict):
            return f"{name}: {'strict ' if strict else ''}bound {at}"
        case Now(at):
            return f"now {at}"
        case End(None):
            return "end of all inputs"
        case End(name):
            return f"{name}: end"


def rows_are_timed(case: Case) -> bool:
    """Whether the steps list the rows, and so when each may come, rather than the whole result."""
    return bool(case.steps) and case.rows is None and case.lists_rows
