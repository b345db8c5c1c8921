"""The timeline of a run on the reference: each event, the rows it emitted, and why."""

import math
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial

from algebra.catalog import Column, Stream
from algebra.functions.datetimes import parse_timestamp
from algebra.plan import Changes, Delta, row_type
from algebra.prepare import Prepared, prepare
from algebra.records.pipeline import RunError
from algebra.types import TIMESTAMP, Type
from algebra.wire import Wire, from_wire, to_wire
from grammar.source import SqlError
from reference.backend import event_text
from reference.engine.session import Late, Session
from reference.ingress import ingress_of
from reference.provenance.provenance import Emission, Provenance
from reference.relation import Row
from rowtime.timeline.events import Play
from tck.drawing.event_words import event_words
from tck.drawing.timeline import ArrivedRow, EmittedRow, Entry, Key, ProducerBound, Timeline
from tck.protocol import (
    Bound,
    CloseProducer,
    End,
    Event,
    Load,
    Now,
    OpenProducer,
    Rows,
)


def timeline(play: Play) -> Timeline:
    """The run of a play on the reference.

    A failure at run time ends the run, and is the ``failure`` of the last entry.  Raises `SqlError`
    if the query is refused, and `RunError` if it is not a streaming query.
    """
    return timeline_of(play, prepare(play.script.text, play.sql, play.profile))


def timeline_of(play: Play, prepared: Prepared) -> Timeline:
    """The `timeline` of a play whose script and query are bound."""
    if isinstance(prepared.query, Changes):
        raise RunError("a changelog has no timeline yet: its rows are not final (S-1001)")
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
        self._day = _one_day(self._times_of(each) for each in self._play.events)
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
            self._play.title,
            self._play.sql.strip(),
            inputs,
            ", ".join(field.name for field in row_type(self._query)),
            self._day,
            tuple(self._entries),
        )

    def _play_event(self, event: Event) -> bool:
        """Apply an event and record its entry; false: the query has failed."""
        provenance = self._provenance
        entered, came = len(provenance.arrivals), len(provenance.emissions)
        text, late, failure = self._event_text(event), list[Late](), ""
        self._refused = ""
        try:
            late = provenance.happened(event_text(event), partial(self._apply, event))
        except SqlError as error:
            failure = str(error)
        arrived = [
            self._arrived_row(".".join(each.stream), each.row, (".".join(each.stream), each.place))
            for each in provenance.arrivals[entered:]
        ]
        arrived += [self._dropped_row(each) for each in late]
        moment = provenance.moments[-1]
        emitted = list(enumerate(provenance.emissions))[came:]
        self._entries.append(
            Entry(
                text,
                tuple(arrived),
                tuple(self._bounds(event)),
                tuple(self._emitted_row(number, each) for number, each in emitted),
                {".".join(name): clock for name, clock in moment.clocks.items()},
                moment.clock,
                self._refused,
                failure,
            )
        )
        return not failure

    def _apply(self, event: Event, session: Session) -> list[Late]:
        """Apply an event to the session; the rows that it drops."""
        match event:
            case Load(name, rows):
                return session.load(self._names[name], rows)
            case Rows(name, rows, producer):
                return session.rows(self._names[name], rows, producer)
            case OpenProducer(name, producer):
                session.open_producer(self._names[name], producer)
            case CloseProducer(name, producer):
                session.close_producer(self._names[name], producer)
            case Bound(name, at, strict, producer):
                error = session.bound(self._names[name], _millis(at) + strict, producer)
                self._refused = "" if error is None else str(error.code)
            case Now(at):
                session.now(_millis(at))
            case End(name):
                session.end(None if name is None else self._names[name])
        return []

    # --- texts --------------------------------------------------------------------------------

    def _event_text(self, event: Event) -> str:
        times = list[str]()
        if isinstance(event, Rows):
            place = self._rowtimes.get(event.input, -1)
            times = [_short(row[place], self._day) for row in event.rows[:1] if place >= 0]
        return "  ".join(event_words(event, lambda at: _short(at, self._day), *times))

    def _columns(self, name: str) -> Sequence[Column]:
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
        return ArrivedRow(name, time, _listed(values, self._day), key)

    def _dropped_row(self, late: Late) -> ArrivedRow:
        """A row that was dropped at ingress."""
        name, place = ".".join(late[0]), self._rowtimes.get(".".join(late[0]), -1)
        time = late[1][place] if 0 <= place < len(late[1]) else None
        values = [value for at, value in enumerate(late[1]) if at != place]
        dropped = late[3]
        why = f"{str(dropped.fault).replace('_', ' ').lower()}: {dropped.reason}"
        return ArrivedRow(name, _time_of(time), _listed(values, self._day), None, why)

    def _bounds(self, event: Event) -> Iterator[ProducerBound]:
        match event:
            case Bound(name, at, strict):
                yield ProducerBound(name, _millis(at), strict)
            case End(name):
                yield from (
                    ProducerBound(each, None) for each in self._rowtimes if name in (None, each)
                )
            case Load() | Rows() | OpenProducer() | CloseProducer() | Now():
                pass

    def _emitted_row(self, number: int, emission: Emission) -> EmittedRow:
        types: list[Type] = [field.type for field in row_type(self._query)]
        values = [to_wire(t, value) for t, value in zip(types, emission.row, strict=True)]
        return EmittedRow(
            number,
            None if math.isinf(emission.time) else int(emission.time),
            _listed(values, self._day),
            tuple((".".join(each.stream), each.place) for each in emission.origins),
            tuple((_millis(start), _millis(end)) for start, end in emission.windows),
            self._provenance.reason(number),
        )

    def _times_of(self, event: Event) -> Iterator[int]:
        """The rowtimes and bounds in an event, in milliseconds."""
        match event:
            case Rows(name, rows):
                place = self._rowtimes.get(name, -1)
                found = [_time_of(row[place]) for row in rows if 0 <= place < len(row)]
                yield from (time for time in found if time is not None)
            case Bound(_, at):
                yield _millis(at)
            case Load() | OpenProducer() | CloseProducer() | Now() | End():
                pass


def _one_day(groups: Iterator[Iterator[int]]) -> str:
    """The date that all times have; empty: they have several, or there are none."""
    days = {
        datetime.fromtimestamp(time / 1000, UTC).strftime("%Y-%m-%d")
        for times in groups
        for time in times
    }
    return days.pop() if len(days) == 1 else ""


def _listed(values: Sequence[Wire], day: str) -> str:
    return ", ".join(_short(each, day) for each in values)


def _short(value: Wire, day: str) -> str:
    return "NULL" if value is None else str(value).removeprefix(f"{day} ")


def _millis(at: str) -> int:
    return parse_timestamp(at)


def _time_of(value: Wire) -> int | None:
    """The milliseconds of a TIMESTAMP on the wire; None: the value is NULL or none."""
    try:
        time = from_wire(TIMESTAMP, value)
    except ValueError:
        return None
    return time if isinstance(time, int) else None
