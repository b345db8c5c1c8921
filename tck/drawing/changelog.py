"""A changelog as it is drawn: the changes at each event, and how long each row was valid."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class DrawnChange:
    """A change: the text of its row, and the lane in which the validity of the row is drawn.

    ``stays``: the row was inserted, and is in the answer at the end of the run.  ``other`` is the
    number of the event, from 1, that deletes the row, or that has inserted it; 0: there is none.
    """

    text: str
    inserts: bool
    lane: int
    stays: bool = False
    other: int = 0


@dataclass(frozen=True, slots=True)
class ChangeEvent:
    """An event in words, line by line, and the changes after it, deletes first.

    ``faults`` are the rows that were dropped, and the failure of the query.  ``place`` is the line
    of the event in its file, from 1; 0: it stands in none.
    """

    lines: tuple[str, ...]
    changes: tuple[DrawnChange, ...]
    faults: tuple[str, ...] = ()
    place: int = 0


@dataclass(frozen=True, slots=True)
class ChangelogRun:
    """The run of a query with EMIT CHANGES; its first event is the start, if that has changes.

    ``failure`` is the run-time error that has ended the run; empty: there was none.  ``columns``
    are those of the result, as one text.  ``day`` is the date of all times, which are then written
    without it; empty: they are of several days.
    """

    title: str
    sql: str
    columns: str
    day: str
    events: tuple[ChangeEvent, ...]
    failure: str = ""

    @property
    def answer(self) -> tuple[str, ...]:
        """The rows of the answer at the end, in the order in which they were inserted."""
        changes = (change for event in self.events for change in event.changes)
        return tuple(change.text for change in changes if change.stays)

    @property
    def lanes(self) -> int:
        """The number of lanes."""
        changes = [change for event in self.events for change in event.changes]
        return max((change.lane + 1 for change in changes), default=0)


@dataclass(frozen=True, slots=True)
class PlainEvent:
    """A `ChangeEvent` whose changes, (text of the row, weight), have no lanes yet.

    ``lines``, ``faults`` and ``place`` are those of the `ChangeEvent`.
    """

    lines: tuple[str, ...]
    faults: tuple[str, ...]
    changes: Sequence[tuple[str, int]]
    place: int = 0


def drawn_events(events: Sequence[PlainEvent]) -> tuple[ChangeEvent, ...]:
    """The events of a run with their lanes: a row takes the first lane that no valid row has.

    A delete ends the validity of the row of that text that was inserted first.  A delete of a row
    that is not there is drawn in the first lane that no valid row has, too: it ends no validity.
    """
    valid: dict[int, tuple[str, int, int]] = {}  # by lane: the text, and the place of its insert
    drawn: list[list[DrawnChange]] = []
    for number, event in enumerate(events):
        changes: list[DrawnChange] = []
        for text, weight in event.changes:
            free = next(lane for lane in range(len(valid) + 1) if lane not in valid)
            if weight > 0:
                valid[free] = (text, number, len(changes))
                changes.append(DrawnChange(text, inserts=True, lane=free))
                continue
            ending = [(insert, lane) for lane, (other, *insert) in valid.items() if other == text]
            if not ending:
                changes.append(DrawnChange(text, inserts=False, lane=free))
                continue
            (inserted, place), lane = min(ending)
            del valid[lane]
            of_event = changes if inserted == number else drawn[inserted]
            of_event[place] = replace(of_event[place], other=number + 1)
            changes.append(DrawnChange(text, inserts=False, lane=lane, other=inserted + 1))
        drawn.append(changes)
    for _, number, place in valid.values():
        drawn[number][place] = replace(drawn[number][place], stays=True)
    return tuple(
        ChangeEvent(event.lines, tuple(changes), event.faults, event.place)
        for event, changes in zip(events, drawn, strict=True)
    )


def valid_lanes(run: ChangelogRun) -> Iterator[tuple[ChangeEvent, frozenset[int]]]:
    """Each event with the lanes of the rows that were valid before it."""
    valid = frozenset[int]()
    for event in run.events:
        yield event, valid
        for change in event.changes:
            valid = valid | {change.lane} if change.inserts else valid - {change.lane}
