"""Histories of streams, and a streaming query played over one, event by event."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from hypothesis import strategies as st

from algebra.catalog import Column, Stream
from algebra.expression import Value
from algebra.plan import Delta
from algebra.types import DATETIME, INTEGERS, INTERVAL, MILLIS_PER_DAY, Kind
from reference.dml.statements import accepted_rows, environment
from reference.environment import Environment
from reference.evaluate import Contents, World, evaluate
from reference.incremental.standing.query import Flow
from reference.ingress import ingress_of
from reference.relation import Relation, Row

if TYPE_CHECKING:
    from reference.incremental.train import Train

#: 2015-02-15 10:00:00, where histories start.
START = 1_423_994_400_000


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows arrive together; late ones are dropped at the gate."""

    stream: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """A bound of a stream's rowtime, in milliseconds."""

    stream: str
    at: int


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of one stream, or of all."""

    stream: str | None = None


Event: TypeAlias = Rows | Told | Ended


class Play:
    """A streaming query at work: ``world`` has the rows that have come in, ``flow`` what it does.

    ``now`` is the session's clock, which stands still; ``tables`` are the tables' rows.  ``wanted``
    are columns of the output whose bounds are asked for, too.  ``trains`` is what came out of the
    network: rows with a hidden clock after them, and bounds.
    """

    def __init__(
        self,
        query: Delta,
        streams: Sequence[Stream],
        now: int = START,
        tables: Contents | None = None,
        wanted: frozenset[int] = frozenset(),
    ) -> None:
        self.query = query
        self.world = World(tables or {}, now=now)
        self.ingresses = {each.name: ingress_of(each) for each in streams}
        self.contents: dict[tuple[str, ...], list[Row]] = {each.name: [] for each in streams}
        self.flow = Flow(query, self.env, wanted)
        forms = self.env.forms
        self.accept = {name: forms.ingress(e, self.env) for name, e in self.ingresses.items()}
        self.trains: list[Train] = []

    @property
    def env(self) -> Environment:
        """What expressions see."""
        return environment(self.world)

    def step(self, event: Event) -> Relation:
        """The rows that are emitted because of ``event``."""
        match event:
            case Rows(stream, rows):
                ingress, kept, _ = accepted_rows(
                    self.ingresses[stream,], rows, self.accept[stream,]
                )
                self.contents[stream,] += kept
            case Told(stream, at):
                ingress, kept = self.ingresses[stream,].with_bound(at)[0], ()
            case Ended(stream):
                for name in [(stream,)] if stream is not None else list(self.ingresses):
                    self.ingresses[name] = replace(self.ingresses[name], ended=True)
                    self.trains.append(self.flow.enter(self.ingresses[name], ()))
                return self.flow.drained()
        self.ingresses[stream,] = ingress
        self.trains.append(self.flow.enter(ingress, kept))
        return self.flow.drained()

    def relational(self) -> Relation:
        """The rows of the query over the rows that have come in (S-303)."""
        return evaluate(self.query, self.world._replace(streams=self.contents))


def played(query: Delta, streams: Sequence[Stream], events: Sequence[Event]) -> list[Relation]:
    """The rows that are emitted at each event."""
    play = Play(query, streams)
    return [play.step(each) for each in events]


# --- histories ----------------------------------------------------------------------------------

#: So many rows arrive together at most.
MOST_TOGETHER = 4
#: The values of a column that is in no order, by its kind.
_ALPHABET: dict[Kind, tuple[Value, ...]] = {
    Kind.BOOLEAN: (True, False),
    Kind.DOUBLE: (0.1, 0.2, 0.3, -1.5, 1e300, float("nan"), float("inf")),
    Kind.DECIMAL: (Decimal("0.10"), Decimal("-2.50"), Decimal("7.25")),
    Kind.VARCHAR: ("a", "b", "c"),
}


_T = TypeVar("_T")


class Choices:
    """Choices among few, each read off a byte: a draw for each would take ten times as long."""

    def __init__(self, drawn: bytes) -> None:
        self._bytes = iter(drawn)

    def among(self, few: Sequence[_T]) -> _T:
        """One of ``few``; the first of zero."""
        return few[next(self._bytes) % len(few)]

    def number(self, least: int, most: int) -> int:
        """A whole number, both ends included."""
        return self.among(range(least, most + 1))


def _values(column: Column) -> Sequence[Value]:
    """What a column that is in no order may hold; NULL is half of it where it may be."""
    kind = column.type.kind
    found = range(4) if kind in INTEGERS | DATETIME | INTERVAL else _ALPHABET[kind]
    return (*[None] * len(found), *found) if column.type.nullable else found


def _moved(column: Column, steps: int, tick: int, start: int) -> Value:
    """The value of a monotonic column so many steps from where it starts."""
    ordering = column.ordering
    assert ordering is not None
    steps = -steps if ordering.descending else steps
    match column.type.kind:
        case Kind.TIMESTAMP:
            return start + steps * tick
        case Kind.DATE:
            return start // MILLIS_PER_DAY + steps
        case Kind.DOUBLE:
            return steps / 8
        case Kind.DECIMAL:
            return Decimal(steps).scaleb(-column.type.scale)
        case Kind.VARCHAR:
            return f"{1000 + steps:04d}"
        case _:
            return steps


@st.composite
def histories(
    draw: st.DrawFn,
    streams: Sequence[Stream],
    tick: int = 60_000,
    max_rows: int = 12,
    stride: int = 3,
    start: int = START,
    strays: bool = False,
) -> list[Event]:
    """A history of ``streams`` that ends, with rows, bounds, and at times an end before the last.

    Monotonic columns start at ``start``, or 0, and move by up to ``stride`` steps, of ``tick``
    milliseconds in a TIMESTAMP; those that are quasi-monotonic also back, now and then further than
    they may.
    """
    here = {each.name: [0] * len(each.columns) for each in streams}
    over: set[tuple[str, ...]] = set()
    events: list[Event] = []
    bytes_needed = 4 + MOST_TOGETHER * 2 * max(len(each.columns) for each in streams)
    steps_drawn = st.binary(min_size=bytes_needed, max_size=bytes_needed)
    for drawn in draw(st.lists(steps_drawn, max_size=max_rows)):
        choices = Choices(drawn)
        action = choices.among(["row", "row", "row", "rows", "bound", "end"])
        stream = choices.among(streams)
        places = here[stream.name]
        if stream.name in over:
            continue
        if action == "end":
            if len(streams) > 1 and choices.among([False, True]):
                over.add(stream.name)
                events.append(Ended(stream.name[-1]))
        elif action == "bound":
            at = _rowtime(stream)
            if at is not None:
                steps = places[at] + choices.number(-1, 2 * stride)
                value = _moved(stream.columns[at], steps, tick, start)
                assert isinstance(value, int), value
                events.append(Told(stream.name[-1], value))
        else:
            number = 1 if action == "row" else choices.number(2, MOST_TOGETHER)
            rows = [
                _row(choices, stream, places, tick, stride, start, strays) for _ in range(number)
            ]
            events.append(Rows(stream.name[-1], tuple(rows)))
    return [*events, Ended()]


def _rowtime(stream: Stream) -> int | None:
    """The column that bounds are about."""
    found = ingress_of(stream).rowtime
    return found if found >= 0 else None


def _row(
    choices: Choices,
    stream: Stream,
    places: list[int],
    tick: int,
    stride: int,
    start: int,
    late: bool,
) -> Row:
    """The next row of a stream whose columns have moved so many steps, which move on."""
    row: list[Value] = []
    for i, column in enumerate(stream.columns):
        ordering = column.ordering
        if ordering is None:
            row.append(choices.among(_values(column)))
            continue
        strict = int(ordering.strict)
        strays = ordering.slack is not None or ordering.rows is not None or ordering.punctuated
        back = stride if strays or (late and choices.number(0, 19) == 13) else 0
        steps = places[i] + choices.number(strict - back, stride)
        places[i] = max(places[i], steps)
        row.append(_moved(column, steps, tick, start))
    return tuple(row)


@st.composite
def cut_anew(draw: st.DrawFn, events: Sequence[Event]) -> list[Event]:
    """The same history in other trains: rows that came together come apart, and the reverse."""
    single: list[Event] = []
    for each in events:
        if isinstance(each, Rows):
            single += [Rows(each.stream, (row,)) for row in each.rows]
        else:
            single.append(each)
    trains: list[Event] = []
    for each in single:
        before = trains[-1] if trains else None
        if (
            isinstance(each, Rows)
            and isinstance(before, Rows)
            and before.stream == each.stream
            and draw(st.booleans())
        ):
            trains[-1] = Rows(each.stream, before.rows + each.rows)
        else:
            trains.append(each)
    return trains


def same(found: Relation, expected: Relation) -> bool:
    """Equal as multisets, to the bit: NaN is itself, and 0.0 is not -0.0."""
    return sorted(map(repr, found)) == sorted(map(repr, expected))
