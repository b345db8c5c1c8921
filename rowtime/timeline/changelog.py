"""Runs a query with EMIT CHANGES on the reference, and records its changes, event by event."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from algebra.catalog import Stream
from algebra.plan import Changes, row_type
from algebra.prepare import Prepared
from algebra.wire import WireRow, row_writer
from grammar.source import SqlError
from reference.acceptance import DroppedRow
from reference.engine.session import Session
from reference.ingress import ingress_of
from reference.relational.changelog import WeightedRows, single
from rowtime.timeline.apply import apply_event
from rowtime.timeline.events import Play
from rowtime.timeline.values import common_date, listed, short, time_of
from tck.drawing.changelog import ChangelogRun, PlainEvent, drawn_events
from tck.drawing.event_words import event_words
from tck.protocol import Event, Load, Rows


def changelog_run(play: Play, prepared: Prepared) -> ChangelogRun:
    """Run a play; the events of one step are one event of the changelog (S-1001.h).

    A failure at run time ends the run.
    """
    query = prepared.query
    assert isinstance(query, Changes), "a changelog"
    session = Session(prepared)
    fields = row_type(query)
    write = row_writer([field.type for field in fields])
    rowtimes = {
        ".".join(each.name): ingress_of(each).rowtime
        for each in prepared.catalog.objects.values()
        if isinstance(each, Stream)
    }
    day = common_date(_times(play.events, rowtimes))
    failure = ""
    events: list[PlainEvent] = []

    def changes() -> list[tuple[str, int]]:
        """The changes of the answer since the last call, as texts with weights of 1 or -1."""
        weighted: WeightedRows = single(session.new_changes())
        rows: Sequence[WireRow] = write([row for row, _ in weighted])
        return [(listed(row, day), w) for row, (_, w) in zip(rows, weighted, strict=True)]

    steps = play.steps or range(len(play.events))
    located = list(zip(play.events, play.lines, strict=True))
    loads = [each for each in play.events if isinstance(each, Load)]
    rest = [(at, each) for at, each in zip(steps, play.events, strict=True) if each not in loads]
    by_step = groupby(rest, key=lambda pair: pair[0])
    # The first group has the contents of the tables.  It is shown only if it is not empty, or if it
    # has changes.
    grouped: list[list[Event]] = [[*loads], *([each for _, each in step] for _, step in by_step)]
    for number, step in enumerate(grouped):
        words = [line for each in step for line in _words(each, day)]
        faults: list[str] = []
        found: list[tuple[str, int]] = []
        try:
            for event in step:
                faults += map(_dropped, apply_event(event, session)[0])
            found = changes()
        except SqlError as error:
            failure = str(error)
            faults.append(f"the query fails: {failure.splitlines()[0]}")
        if number or words or found or failure:
            line = next((n for each, n in located if step and each is step[0]), 0)
            events.append(PlainEvent(tuple(words) or ("the start",), tuple(faults), found, line))
        if failure:
            break
    columns = ", ".join(field.name for field in fields)
    return ChangelogRun(play.title, play.sql.strip(), columns, day, drawn_events(events), failure)


def _words(event: Event, day: str) -> Iterator[str]:
    """The lines of an event: one for each row."""
    if not isinstance(event, Rows):
        yield "  ".join(event_words(event, lambda at: short(at, day)))
        return
    weights = event.weights or (1,) * len(event.rows)
    for row, weight in zip(event.rows, weights, strict=True):
        text = f"{'' if weight > 0 else 'delete '}{listed(row, day)}"
        yield "  ".join(event_words(event, lambda at: short(at, day), text))


def _dropped(late: DroppedRow) -> str:
    """The line for a row that was dropped: its fault, and the reason."""
    dropped = late.dropped
    return f"dropped: {str(dropped.fault).replace('_', ' ').lower()}: {dropped.reason}"


def _times(events: Sequence[Event], rowtimes: Mapping[str, int]) -> Iterator[int]:
    """The rowtimes of the events, in milliseconds."""
    for each in events:
        place = rowtimes.get(each.input, -1) if isinstance(each, Rows) else -1
        if isinstance(each, Rows) and place >= 0:
            found = (time_of(row[place]) for row in each.rows if place < len(row))
            yield from (time for time in found if time is not None)
