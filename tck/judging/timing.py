"""When rows came against when they were due: the first step that differs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tck.corpus.case import Case, CellRow
from tck.judging.difference import rows_beside
from tck.judging.matching import Matching, ReadRow, alike, read_row
from tck.judging.pairing import Pairing
from tck.judging.schedule import Due, Timed, schedule
from tck.protocol import Accepted, Bound, End, Event, Load, Now, Rows
from tck.transcript import Transcript


class Fault(StrEnum):
    """What may be wrong with a row at a step; of several, the first is named."""

    EARLY = "too early"
    LATE = "too late"
    MISSING = "missing"
    EXTRA = "not expected"


@dataclass(frozen=True, slots=True)
class Came:
    """A row that came, and at which step."""

    row: ReadRow
    step: int


@dataclass(frozen=True, slots=True)
class Difference:
    """The first step that differs: its place from 0, what is wrong there, and how it looks.

    ``concerns`` are the expected rows that it is about.
    """

    step: int
    fault: Fault
    reason: str
    detail: tuple[str, ...]
    concerns: tuple[CellRow, ...]


@dataclass(frozen=True, slots=True)
class _Wrong:
    """One row out of place: what is wrong, at which step, and its places among the rows."""

    fault: Fault
    step: int
    due: int | None
    came: int | None


def first_difference(
    case: Case, accepted: Accepted, transcript: Transcript, tier: Timed
) -> Difference | None:
    """The first step at which other rows came than may; None where all came in time.

    Asked of a case whose steps list its rows.
    """
    dues = schedule(case, accepted, tier)
    came = [
        Came(read_row(row, accepted.columns, None), step)
        for step, output in enumerate(transcript.outputs)
        for row in output.rows
    ]
    in_time, wrong = compared(dues, came, len(case.steps))
    if not wrong:
        return None
    first = min(wrong, key=lambda each: (each.step, list(Fault).index(each.fault)))
    return _shown(case, accepted, dues, came, in_time, wrong, first)


def compared(
    dues: Sequence[Due], came: Sequence[Came], steps: int
) -> tuple[Pairing, tuple[_Wrong, ...]]:
    """Rows that came in time, paired with what was due; and all that are out of place.

    Rows that come after the last of the ``steps`` are open: what is not expected there is not
    wrong.  There is no better pairing: no row is called late that another could have let in.
    """
    same = alike([due.row for due in dues], [each.row for each in came])
    in_time = Pairing(
        [
            [i for i in rows if dues[place].first <= came[i].step <= dues[place].last]
            for place, rows in enumerate(same)
        ]
    )
    in_time.add_right(i for i, each in enumerate(came) if each.step < steps)
    in_time.add_left(i for i, due in enumerate(dues) if not due.optional)
    left_over = [
        [
            i
            for i in rows
            if i not in in_time.left_of and (came[i].step < steps or not dues[place].optional)
        ]
        for place, rows in enumerate(same)
    ]
    early_or_late = Pairing(
        [[] if place in in_time.right_of else rows for place, rows in enumerate(left_over)]
    )
    by_time = sorted(range(len(dues)), key=lambda i: (dues[i].first, dues[i].last))
    early_or_late.add_left(by_time)
    return in_time, tuple(_out_of_place(dues, came, steps, in_time, early_or_late))


def _out_of_place(
    dues: Sequence[Due],
    came: Sequence[Came],
    steps: int,
    in_time: Pairing,
    early_or_late: Pairing,
) -> Iterator[_Wrong]:
    for place, due in enumerate(dues):
        if place in in_time.right_of:
            continue
        other = early_or_late.right_of.get(place)
        if other is None:
            if not due.optional:
                yield _Wrong(Fault.MISSING, due.last, place, None)
        elif came[other].step < due.first:
            yield _Wrong(Fault.EARLY, came[other].step, place, other)
        else:
            yield _Wrong(Fault.LATE, due.last, place, other)
    for place, each in enumerate(came):
        paired = place in in_time.left_of or place in early_or_late.left_of
        if not paired and each.step < steps:
            yield _Wrong(Fault.EXTRA, each.step, None, place)


def _shown(
    case: Case,
    accepted: Accepted,
    dues: Sequence[Due],
    came: Sequence[Came],
    in_time: Pairing,
    wrong: Sequence[_Wrong],
    first: _Wrong,
) -> Difference:
    """The first step that differs, with what was due there beside what came."""
    here = [each for each in wrong if each.step == first.step]
    absent = {each.due: each for each in here if each.fault in (Fault.LATE, Fault.MISSING)}
    lefts = [
        place
        for place in range(len(dues))
        if place in absent
        or (place in in_time.right_of and came[in_time.right_of[place]].step == first.step)
    ]
    rights = [place for place, each in enumerate(came) if each.step == first.step]
    matching = Matching(
        tuple(
            (i, rights.index(in_time.right_of[place]))
            for i, place in enumerate(lefts)
            if place not in absent
        ),
        tuple(i for i, place in enumerate(lefts) if place in absent),
        tuple(i for i, place in enumerate(rights) if place not in in_time.left_of),
    )
    beside = rows_beside(
        accepted.columns,
        [dues[place].row for place in lefts],
        [came[place].row for place in rights],
        matching,
    )
    notes = [note for each in here if (note := _note(case, dues, came, each))]
    counts = [(sum(each.fault is fault for each in here), fault) for fault in Fault]
    said = [f"{number} row{'' if number == 1 else 's'} {what}" for number, what in counts if number]
    return Difference(
        first.step,
        first.fault,
        f"{step_name(case, first.step)}: {', '.join(said)}",
        (f"  {step_text(case, first.step)}", *beside, *notes),
        tuple(dues[each.due].cells for each in here if each.due is not None),
    )


def _note(case: Case, dues: Sequence[Due], came: Sequence[Came], wrong: _Wrong) -> str:
    """When a row that is out of place should have come, or when it did; empty where neither."""
    if wrong.due is None:
        return ""
    row = "  ".join(shown.text for shown in dues[wrong.due].row)
    if wrong.fault is Fault.EARLY:
        return f"+ {row}: not before {step_name(case, dues[wrong.due].first)}"
    if wrong.came is None:
        return f"- {row}: never came"
    return f"- {row}: came at {step_name(case, came[wrong.came].step)}"


def step_name(case: Case, step: int) -> str:
    """``step 2 (line 41)``; the kit's own end of all inputs has neither number nor line."""
    if step >= len(case.steps):
        return "the end of all inputs"
    return f"step {step + 1} (line {case.steps[step].line})"


def step_text(case: Case, step: int) -> str:
    """What happens at a step: ``ORDERS: 2 rows; TRADES: bound 2015-02-15 10:11:00``."""
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
    """Whether the steps say when rows come: not where the whole result is listed beside them."""
    return bool(case.steps) and case.rows is None and case.lists_rows
