"""The records of a changelog that is drawn: the changes at each event, and the lanes of rows.

A row is *valid* from the event that inserts it to the event that deletes it.  This time is drawn as
a vertical bar in a *lane*.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class DrawnChange:
    """A change: the text of its row, and the lane of the row.

    ``inserts``: the change is an insert; else a delete.  ``stays``: the row is inserted, and is in
    the answer at the end of the run.  ``other`` is the number, from 1, of the event with the
    opposite change: the one that deletes the inserted row, or has inserted the deleted row.  0:
    there is none.
    """

    text: str
    inserts: bool
    lane: int
    stays: bool = False
    other: int = 0


@dataclass(frozen=True, slots=True)
class ChangeEvent:
    """An event in words, line by line, and the changes after it, deletes first.

    ``faults`` has texts about rows that were dropped, and about the failure of the query.
    ``place`` is the line of the event in its file, from 1; 0: the event is not from a file.
    """

    lines: tuple[str, ...]
    changes: tuple[DrawnChange, ...]
    faults: tuple[str, ...] = ()
    place: int = 0


@dataclass(frozen=True, slots=True)
class ChangelogRun:
    """The run of a query with EMIT CHANGES; its first event is the start, if that has changes.

    ``failure`` is the run-time error that has ended the run; empty: there was none.  ``columns``
    are those of the result, as one text.  ``day`` is the date of all times, which are written
    without it; empty: the times are on several days.
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
        """The number of lanes that the rows need."""
        changes = [change for event in self.events for change in event.changes]
        return max((change.lane + 1 for change in changes), default=0)


@dataclass(frozen=True, slots=True)
class PlainEvent:
    """A `ChangeEvent` whose changes have no lanes yet: each is a pair of a row's text and a weight.

    ``lines``, ``faults`` and ``place`` are as in `ChangeEvent`.
    """

    lines: tuple[str, ...]
    faults: tuple[str, ...]
    changes: Sequence[tuple[str, int]]
    place: int = 0


def drawn_events(events: Sequence[PlainEvent]) -> tuple[ChangeEvent, ...]:
    """The events of a run, with lanes: an inserted row takes the first lane that is free.

    Of several valid rows with the text of a delete, the delete ends the row that was inserted
    first.  If no such row is valid, the delete is drawn in the first free lane.
    """
    # By lane, the valid rows: the text, the number of the event that inserted it, from 0, and the
    # place of the insert among the changes of that event.
    valid: dict[int, tuple[str, int, int]] = {}
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
            inserting = changes if inserted == number else drawn[inserted]
            inserting[place] = replace(inserting[place], other=number + 1)
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
