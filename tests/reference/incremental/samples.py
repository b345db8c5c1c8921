"""Streaming queries and the histories that they are played over, for the laws of operators."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from hypothesis import assume
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from algebra.catalog import Profile, Stream
from algebra.monotonicity.columns import OrderOf, column_monotonicity, rowtime_column
from algebra.plan import Delta
from algebra.prepare import prepare
from grammar.source import SqlError
from reference.dml.statements import applied
from reference.evaluate import Contents, World
from reference.incremental.train import Train
from reference.relation import Relation, Row
from tests.reference.incremental.histories import Event, Play, Rows, histories
from tests.reference.incremental.plans import Script, scripts

MINUTE = 60_000


@dataclass(frozen=True)
class Bound:
    """A query that was accepted, and what it reads."""

    query: Delta
    streams: tuple[Stream, ...]
    tables: Contents


@cache
def bound(script: Script) -> Bound | SqlError:
    """A script made ready, or why it cannot be streamed."""
    profile = Profile.SQLSTREAM if script.sqlstream else Profile.CALCITE
    try:
        prepared = prepare(script.ddl, script.sql, profile)
    except SqlError as error:
        return error
    world = World()
    for step in prepared.steps:
        world, _, _ = applied(step, world, {})
    objects = prepared.catalog.objects.values()
    assert isinstance(prepared.query, Delta)
    streams = tuple(each for each in objects if isinstance(each, Stream))
    return Bound(prepared.query, streams, world.tables)


@dataclass(frozen=True)
class Sample:
    """A query, and a history of its streams that ends."""

    script: Script
    query: Delta
    streams: tuple[Stream, ...]
    tables: Contents
    events: list[Event]

    def play(self, wanted: frozenset[int] = frozenset()) -> Play:
        """The query before the first event."""
        return Play(self.query, self.streams, tables=self.tables, wanted=wanted)

    def trains(self, events: Sequence[Event]) -> list[Train]:
        """What is emitted at each push into the network, with hidden clocks."""
        play = self.play()
        for event in events:
            play.step(event)
        return play.trains

    def rows(self, events: Sequence[Event]) -> list[Row]:
        """The rows that are emitted, in order."""
        play = self.play()
        return [row for event in events for row in play.step(event)]

    @property
    def place(self) -> int | None:
        """The column by which the rows arrive in order, if one is."""
        place = rowtime_column(self.query)
        if place is None:
            return None
        orders = column_monotonicity(self.query.input, OrderOf.ROWS)
        return place if orders[place].ascending else None

    def times(self, rows: Relation) -> list[object]:
        """The rowtimes of rows, where they are in order."""
        return [] if self.place is None else [row[self.place] for row in rows]

    def accepted(self) -> list[Rows]:
        """The rows that the gates let in, one by one, in their order."""
        play = self.play()
        found: list[Rows] = []
        for event in self.events:
            had = {name: len(rows) for name, rows in play.contents.items()}
            play.step(event)
            for name, rows in play.contents.items():
                found += [Rows(name[-1], (row,)) for row in rows[had[name] :]]
        return found


@st.composite
def samples(
    draw: DrawFn,
    most_steps: int = 3,
    max_rows: int = 14,
    of: SearchStrategy[Script] | None = None,
) -> Sample:
    """A generated query, or one of ``of``, over a generated history of its streams."""
    script = draw(scripts(most_steps) if of is None else of)
    found = bound(script)
    assume(not isinstance(found, SqlError))
    assert isinstance(found, Bound)
    read = [each for each in found.streams if f" {each.name[-1]} " in f"{script.sql} "]
    tick = draw(st.sampled_from([MINUTE, MINUTE, MINUTE, 20 * MINUTE, 20_000 * MINUTE]))
    events = draw(histories(read, tick, max_rows=max_rows, strays=True))
    return Sample(script, found.query, tuple(read), found.tables, events)
