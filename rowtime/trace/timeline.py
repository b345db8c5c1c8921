"""The timeline of a run: what happened, event by event, and what came of it."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from algebra.catalog import Column, Stream
from algebra.functions.datetimes import parse_timestamp
from algebra.plan import Delta, row_type
from algebra.prepare import Prepared, prepare
from algebra.records.pipeline import RunError
from algebra.types import TIMESTAMP, Type
from algebra.wire import Wire, from_wire, to_wire
from grammar.source import SqlError
from reference.backend import said
from reference.engine.session import Late, Session
from reference.ingress import gate
from reference.provenance.provenance import Account, Emission
from reference.relation import Row
from rowtime.trace.events import Play
from tck.protocol import Bound, End, Event, Load, Now, Rows

#: A row that entered: the name of its stream, and its place there from 0.
Key = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Dot:
    """A row that came to an input: ``key`` where it passed the gate, else why it was dropped.

    ``time`` is its rowtime in milliseconds, None where it has none; ``text`` its other values.
    """

    input: str
    time: int | None
    text: str
    key: Key | None
    dropped: str = ""


@dataclass(frozen=True, slots=True)
class Flag:
    """A bound that a producer set, in milliseconds, or (None) the end of an input."""

    input: str
    time: int | None
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Out:
    """A row that came out, the ``number``-th from 0, at ``time`` (None: it has none).

    ``parts`` are the rows it is made of, ``windows`` half-open stretches of time that hold them;
    ``reason`` says so in lines.
    """

    number: int
    time: int | None
    text: str
    parts: tuple[Key, ...]
    windows: tuple[tuple[int, int], ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Happening:
    """An event, and all that came of it.

    ``clocks`` are what is known of the inputs after it, ``clock`` what is known of the output:
    milliseconds below which nothing more comes, or an infinity.  ``refused`` says why a bound has
    no effect; ``failure`` ends a run.
    """

    text: str
    dots: tuple[Dot, ...]
    flags: tuple[Flag, ...]
    outs: tuple[Out, ...]
    clocks: Mapping[str, float]
    clock: float
    refused: str = ""
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Timeline:
    """A run: its query, the inputs that it reads with their columns, and all that happened.

    ``day`` is the date of all times, empty where there are several; times of that day are written
    without it.
    """

    title: str
    sql: str
    inputs: Mapping[str, str]
    columns: str
    day: str
    happenings: tuple[Happening, ...]

    @property
    def failure(self) -> str:
        """Why the query failed, as a person reads it; empty if it did not."""
        return self.happenings[-1].failure if self.happenings else ""

    def clock(self, time: float) -> str:
        """A time as it is written here."""
        return clock_text(time, self.day)


def clock_text(time: float, day: str) -> str:
    """A time in milliseconds, without its date if that is ``day``."""
    if math.isinf(time):
        return "end" if time > 0 else "–"  # noqa: RUF001 - a dash where no bound is known
    return str(to_wire(TIMESTAMP, int(time))).removeprefix(f"{day} ")


def timeline(play: Play) -> Timeline:
    """The run of a play.

    Raises the query's refusal, and `RunError` where it is not a streaming query.  A failure at run
    time ends the run; it is said in the last happening.
    """
    prepared = prepare(play.script.text, play.sql, play.profile)
    if not isinstance(prepared.query, Delta):
        raise RunError("only a query that says SELECT STREAM has a timeline: its rows have moments")
    return _Run(play, prepared, prepared.query).timeline()


class _Run:
    """A play on its way."""

    def __init__(self, play: Play, prepared: Prepared, query: Delta) -> None:
        objects = prepared.catalog.objects.values()
        self._play = play
        self._query = query
        self._account = Account(prepared)
        self._rowtimes = {
            ".".join(each.name): gate(each).rowtime for each in objects if isinstance(each, Stream)
        }
        self._names = {".".join(each): each for each in self._account.session.names}
        self._day = self._refused = ""
        self._happenings: list[Happening] = []

    def timeline(self) -> Timeline:
        """All of it."""
        self._day = _one_day(self._times_of(each) for each in self._play.events)
        for event in self._play.events:
            if not self._happens(event):
                break
        shown = {dot.input for each in self._happenings for dot in each.dots}
        shown |= {name for each in self._happenings for name in each.clocks}
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
            tuple(self._happenings),
        )

    def _happens(self, event: Event) -> bool:
        """Let an event happen; whether the query goes on."""
        account = self._account
        entered, came = len(account.arrivals), len(account.emissions)
        text, late, failure = self._said(event), list[Late](), ""
        self._refused = ""
        try:
            late = account.happened(said(event), self._act(event))
        except SqlError as error:
            failure = str(error)
        arrived = account.arrivals[entered:]
        dots = [
            self._dot(".".join(each.stream), each.row, (".".join(each.stream), each.place))
            for each in arrived
        ]
        dots += [self._lost(each) for each in late]
        moment = account.moments[-1]
        emitted = list(enumerate(account.emissions))[came:]
        self._happenings.append(
            Happening(
                text,
                tuple(dots),
                tuple(self._flags(event)),
                tuple(self._out(number, each) for number, each in emitted),
                {".".join(name): clock for name, clock in moment.clocks.items()},
                moment.clock,
                self._refused,
                failure,
            )
        )
        return not failure

    def _act(self, event: Event) -> Callable[[Session], list[Late]]:
        return partial(self._apply, event)

    def _apply(self, event: Event, session: Session) -> list[Late]:
        """Let an event happen to the session; the rows that it drops."""
        match event:
            case Load(name, rows):
                return session.load(self._names[name], rows)
            case Rows(name, rows):
                return session.rows(self._names[name], rows)
            case Bound(name, at, strict):
                error = session.bound(self._names[name], _millis(at) + strict)
                self._refused = "" if error is None else str(error.code)
            case Now(at):
                session.now(_millis(at))
            case End(name):
                session.end(None if name is None else self._names[name])
        return []

    # --- words --------------------------------------------------------------------------------

    def _said(self, event: Event) -> str:
        match event:
            case Load(name, rows):
                return f"{name}  {len(rows)} row{'' if len(rows) == 1 else 's'} from before"
            case Rows(name, rows):
                times = [_short(row[self._rowtimes[name]], self._day) for row in rows[:1]]
                return f"{name}  {times[0]}" if self._rowtimes.get(name, -1) >= 0 else name
            case Bound(name, at, strict):
                return f"{name}  {'strict ' if strict else ''}bound {_short(at, self._day)}"
            case Now(at):
                return f"the session's clock  {_short(at, self._day)}"
            case End(name):
                return "end of all input" if name is None else f"{name}  end"

    def _columns(self, name: str) -> Sequence[Column]:
        return self._account.session.columns(self._names[name])

    def _dot(self, name: str, row: Row, key: Key | None) -> Dot:
        """A row that has passed."""
        place = self._rowtimes.get(name, -1)
        columns = self._columns(name)
        values = [
            to_wire(each.type, value)
            for at, (each, value) in enumerate(zip(columns, row, strict=True))
            if at != place
        ]
        time = row[place] if place >= 0 else None
        assert time is None or isinstance(time, int), "a rowtime is a TIMESTAMP"
        return Dot(name, time, _listed(values, self._day), key)

    def _lost(self, late: Late) -> Dot:
        """A row that has not."""
        name, place = ".".join(late[0]), self._rowtimes.get(".".join(late[0]), -1)
        time = late[1][place] if 0 <= place < len(late[1]) else None
        values = [value for at, value in enumerate(late[1]) if at != place]
        dropped = late[3]
        why = f"{str(dropped.fault).replace('_', ' ').lower()}: {dropped.reason}"
        return Dot(name, _time_of(time), _listed(values, self._day), None, why)

    def _flags(self, event: Event) -> Iterator[Flag]:
        match event:
            case Bound(name, at, strict):
                yield Flag(name, _millis(at), strict)
            case End(name):
                yield from (Flag(each, None) for each in self._rowtimes if name in (None, each))
            case Load() | Rows() | Now():
                pass

    def _out(self, number: int, emission: Emission) -> Out:
        types: list[Type] = [field.type for field in row_type(self._query)]
        values = [to_wire(t, value) for t, value in zip(types, emission.row, strict=True)]
        return Out(
            number,
            None if math.isinf(emission.time) else int(emission.time),
            _listed(values, self._day),
            tuple((".".join(each.stream), each.place) for each in emission.origins),
            tuple((_millis(start), _millis(end)) for start, end in emission.windows),
            self._account.reason(number),
        )

    def _times_of(self, event: Event) -> Iterator[int]:
        """The times that an event speaks of."""
        match event:
            case Rows(name, rows):
                place = self._rowtimes.get(name, -1)
                found = [_time_of(row[place]) for row in rows if 0 <= place < len(row)]
                yield from (time for time in found if time is not None)
            case Bound(_, at):
                yield _millis(at)
            case Load() | Now() | End():
                pass


def _one_day(groups: Iterator[Iterator[int]]) -> str:
    """The date of all times, or nothing where there are several."""
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
    """The time that a value on the wire says, if it is one."""
    try:
        time = from_wire(TIMESTAMP, value)
    except ValueError:
        return None
    return time if isinstance(time, int) else None
