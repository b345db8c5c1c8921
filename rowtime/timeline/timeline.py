"""The timeline of a run on the reference: each event, its emitted rows, and their reasons."""

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from algebra.catalog import Column, Stream
from algebra.plan import Changes, Delta, row_type
from algebra.prepare import Prepared, prepare
from algebra.records.pipeline import RunError
from algebra.wire import to_wire
from grammar.source import SqlError
from reference.acceptance import DroppedRow
from reference.backend import event_text
from reference.engine.session import Session
from reference.ingress import ingress_of
from reference.provenance.provenance import Emission, Provenance
from reference.relation import Row
from rowtime.timeline.apply import apply_event
from rowtime.timeline.changelog import changelog_run
from rowtime.timeline.events import Play
from rowtime.timeline.values import common_date, listed, millis, short, time_of
from tck.drawing.changelog import ChangelogRun
from tck.drawing.event_words import event_words
from tck.drawing.timeline import ArrivedRow, EmittedRow, Entry, Key, ProducerBound, Timeline, Wait
from tck.protocol import (
    Bound,
    CloseProducer,
    Elapse,
    End,
    Event,
    Load,
    Now,
    OpenProducer,
    Rows,
)

if TYPE_CHECKING:
    from algebra.types import Type


def timeline(play: Play) -> Timeline | ChangelogRun:
    """The run of a play on the reference; a `ChangelogRun` if the query has EMIT CHANGES.

    A failure at run time ends the run, and is the ``failure`` of the last entry.  Raises `SqlError`
    if the query is refused, and `RunError` if it is not a streaming query.
    """
    prepared = prepare(play.script.text, play.sql, play.profile)
    if isinstance(prepared.query, Changes):
        return changelog_run(play, prepared)
    return timeline_of(play, prepared)


def timeline_of(play: Play, prepared: Prepared) -> Timeline:
    """The `timeline` of a play whose script and query are bound."""
    if not isinstance(prepared.query, Delta):
        raise RunError("only a query that says SELECT STREAM has a timeline: it emits rows in time")
    return _Run(play, prepared, prepared.query).timeline()


class _Run:
    """A run in progress: the session of the reference, and the entries so far."""

    def __init__(self, play: Play, prepared: Prepared, query: Delta) -> None:
        objects = prepared.catalog.objects.values()
        self._play = play
        self._query = query
        self._provenance = Provenance(prepared)
        self._rowtimes = {
            ".".join(each.name): ingress_of(each).rowtime
            for each in objects
            if isinstance(each, Stream)
        }
        self._names = {".".join(each): each for each in self._provenance.session.names}
        self._day = self._refused = ""
        self._entries: list[Entry] = []

    def timeline(self) -> Timeline:
        """The timeline of the whole run."""
        self._day = common_date(time for each in self._play.events for time in self._times_of(each))
        for event in self._play.events:
            if not self._play_event(event):
                break
        shown = {dot.input for each in self._entries for dot in each.arrived}
        shown |= {name for each in self._entries for name in each.input_bounds}
        inputs = {
            name: ", ".join(column.name for column in self._columns(name))
            for name in self._names
            if name in shown
        }
        return Timeline(
            title=self._play.title,
            sql=self._play.sql.strip(),
            inputs=inputs,
            columns=", ".join(field.name for field in row_type(self._query)),
            day=self._day,
            entries=tuple(self._entries),
        )

    def _play_event(self, event: Event) -> bool:
        """Apply an event, and record its entry; return False if the query has failed."""
        provenance = self._provenance
        arrivals_before, emissions_before = len(provenance.arrivals), len(provenance.emissions)
        text, late, failure = self._event_text(event), list[DroppedRow](), ""
        self._refused = ""
        try:
            late = provenance.happened(event_text(event), partial(self._apply, event))
        except SqlError as error:
            failure = str(error)
        arrived = [
            self._arrived_row(".".join(each.stream), each.row, (".".join(each.stream), each.place))
            for each in provenance.arrivals[arrivals_before:]
        ]
        arrived += [self._dropped_row(each) for each in late]
        moment = provenance.moments[-1]
        emitted = list(enumerate(provenance.emissions))[emissions_before:]
        self._entries.append(
            Entry(
                text,
                arrived=tuple(arrived),
                bounds=tuple(self._bounds(event)),
                emitted=tuple(self._emitted_row(number, each) for number, each in emitted),
                input_bounds={".".join(name): at for name, at in moment.input_bounds.items()},
                output_bound=moment.output_bound,
                refused=self._refused,
                failure=failure,
            )
        )
        return not failure

    def _apply(self, event: Event, session: Session) -> list[DroppedRow]:
        """Apply an event to the session; return the rows that are dropped."""
        late, self._refused = apply_event(event, session)
        return late

    # --- texts --------------------------------------------------------------------------------

    def _event_text(self, event: Event) -> str:
        """An event in words; for a row, with its rowtime."""
        times = list[str]()
        if isinstance(event, Rows):
            place = self._rowtimes.get(event.input, -1)
            times = [short(row[place], self._day) for row in event.rows[:1] if place >= 0]
        return "  ".join(event_words(event, lambda at: short(at, self._day), *times))

    def _columns(self, name: str) -> Sequence[Column]:
        """The columns of an input."""
        return self._provenance.session.columns(self._names[name])

    def _arrived_row(self, name: str, row: Row, key: Key) -> ArrivedRow:
        """A row that passed ingress."""
        place = self._rowtimes.get(name, -1)
        columns = self._columns(name)
        values = [
            to_wire(each.type, value)
            for at, (each, value) in enumerate(zip(columns, row, strict=True))
            if at != place
        ]
        time = row[place] if place >= 0 else None
        assert time is None or isinstance(time, int), "a rowtime is a TIMESTAMP"
        return ArrivedRow(name, time, listed(values, self._day), key)

    def _dropped_row(self, late: DroppedRow) -> ArrivedRow:
        """A row that was dropped at ingress."""
        name, row, dropped = ".".join(late.target), late.wire, late.dropped
        place = self._rowtimes.get(name, -1)
        time = row[place] if 0 <= place < len(row) else None
        values = [value for at, value in enumerate(row) if at != place]
        why = f"{str(dropped.fault).replace('_', ' ').lower()}: {dropped.reason}"
        return ArrivedRow(name, time_of(time), listed(values, self._day), None, why)

    def _bounds(self, event: Event) -> Iterator[ProducerBound]:
        """The bounds that an event sets; the end of all inputs sets one on each input."""
        match event:
            case Bound(name, at, strict):
                yield ProducerBound(name, millis(at), strict)
            case End(name):
                yield from (
                    ProducerBound(each, None) for each in self._rowtimes if name in (None, each)
                )
            case Load() | Rows() | OpenProducer() | CloseProducer() | Now() | Elapse():
                pass

    def _emitted_row(self, number: int, emission: Emission) -> EmittedRow:
        """The emission with this ``number``, with the rows and windows from which it was made."""
        types: list[Type] = [field.type for field in row_type(self._query)]
        values = [to_wire(t, value) for t, value in zip(types, emission.row, strict=True)]
        return EmittedRow(
            number,
            time=None if math.isinf(emission.time) else int(emission.time),
            text=listed(values, self._day),
            parts=tuple((".".join(each.stream), each.place) for each in emission.origins),
            windows=tuple((millis(start), millis(end)) for start, end in emission.windows),
            frames=emission.frames,
            waits=tuple(Wait(each.since, each.until) for each in self._provenance.waits(number)),
            reason=self._provenance.reason(number),
        )

    def _times_of(self, event: Event) -> Iterator[int]:
        """The rowtimes and bounds in an event, in milliseconds."""
        match event:
            case Rows(name, rows):
                place = self._rowtimes.get(name, -1)
                found = [time_of(row[place]) for row in rows if 0 <= place < len(row)]
                yield from (time for time in found if time is not None)
            case Bound(_, at):
                yield millis(at)
            case Load() | OpenProducer() | CloseProducer() | Now() | Elapse() | End():
                pass
