"""A session: the objects of a catalog, and what has come into them for one query."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import TypeAlias

from algebra.catalog import Column, QualifiedName, Stream, Table
from algebra.prepare import Prepared
from algebra.wire import Wire
from grammar.source import SqlError
from reference.entry import Dropped, Gates, gate, typed_rows
from reference.evaluate import World, evaluate
from reference.history import check_history, remembered
from reference.modify import inserted
from reference.relation import Relation, Row
from reference.standing import (
    Refusal,
    admitted,
    applied,
    environment,
    extended,
    in_order_of_flow,
    settled,
    sources_of,
)

#: A row that was dropped: where, as it came, its place among all that came there, and why.
Late: TypeAlias = tuple[QualifiedName, tuple[Wire, ...], int, Dropped]


class Session:
    """One query on the objects of its script.

    Raises the run-time errors of the script's DML, and NOT_SUPPORTED for standing statements in a
    circle.  ``refusals`` are rows that the script's own INSERTs offered streams in vain.
    """

    def __init__(self, prepared: Prepared) -> None:
        objects = prepared.catalog.objects.values()
        self._prepared = prepared
        self._tables = {each.name: each for each in objects if isinstance(each, Table)}
        self._gates: Gates = {each.name: gate(each) for each in objects if isinstance(each, Stream)}
        self._world = World()
        self._offered: dict[QualifiedName, int] = {}  # rows that arrived so far, by input
        self._given: dict[QualifiedName, int] = {}  # rows of contents so far, by object
        self._ended = False
        self.refusals: list[Refusal] = []
        for step in prepared.steps:
            self._world, self._gates, refused = applied(step, self._world, self._gates)
            self.refusals += refused
        in_order_of_flow(prepared.standing)
        self._fresh = self._gates

    @property
    def names(self) -> tuple[QualifiedName, ...]:
        """What rows may be offered to: the streams and tables."""
        return (*self._gates, *self._tables)

    def columns(self, name: QualifiedName) -> tuple[Column, ...]:
        """The columns of a stream or table."""
        return (self._tables.get(name) or self._gates[name].source).columns

    # --- input ----------------------------------------------------------------------------------

    def load(self, name: QualifiedName, rows: Sequence[tuple[Wire, ...]]) -> list[Late]:
        """Take a table's contents, or a stream's history; the rows that were dropped.

        The rows of a history have passed: they move the clock as any others do (S-103).
        """
        first = self._given.get(name, 0)
        self._given[name] = first + len(rows)
        kept, late = self._typed(name, rows, first)
        late += self._enter(name, kept, passing=False)
        return sorted(late, key=lambda each: each[2])

    def rows(self, name: QualifiedName, rows: Sequence[tuple[Wire, ...]]) -> list[Late]:
        """Take rows as they arrive; the ones that were dropped."""
        first = self._offered.get(name, 0)
        self._offered[name] = first + len(rows)
        kept, late = self._typed(name, rows, first)
        late += self._enter(name, kept, passing=True)
        return sorted(late, key=lambda each: each[2])

    def bound(self, name: QualifiedName, at: int) -> SqlError | None:
        """Take a bound, in milliseconds; BOUND_BACKWARDS for one that is weaker than the clock."""
        entry, error = self._gates[name].bounded(at)
        self._gates = {**self._gates, name: entry}
        return error

    def now(self, at: int) -> None:
        """Set the session's clock, in milliseconds."""
        self._world = replace(self._world, now=at)

    def end(self, name: QualifiedName | None) -> None:
        """End one input, or all."""
        self._ended = self._ended or name is None
        self._gates = {
            each: replace(entry, ended=True) if name in (None, each) else entry
            for each, entry in self._gates.items()
        }

    def _typed(
        self, name: QualifiedName, rows: Sequence[tuple[Wire, ...]], first: int
    ) -> tuple[list[tuple[int, tuple[Wire, ...], Row]], list[Late]]:
        """The rows that have the right width and types, with place and wire form; the others."""
        columns = self.columns(name)
        kept: list[tuple[int, tuple[Wire, ...], Row]] = []
        late: list[Late] = []
        read = typed_rows(columns, rows, self._world.now)
        for place, wire, row in zip(count(first), rows, read, strict=False):
            if isinstance(row, Dropped):
                late.append((name, wire, place, row))
            else:
                kept.append((place, wire, row))
        return kept, late

    def _enter(
        self,
        name: QualifiedName,
        offered: list[tuple[int, tuple[Wire, ...], Row]],
        passing: bool,
    ) -> list[Late]:
        """Let rows in; those that may not."""
        world, env = self._world, environment(self._world)
        rows = [row for _, _, row in offered]
        if name in self._tables:
            old = world.tables.get(name, ())
            kept, dropped = inserted(self._tables[name], old, rows, upsert=False, env=env)
            self._world = replace(world, tables={**world.tables, name: kept})
        else:
            entry, kept, refused = admitted(self._gates[name], rows, env)
            dropped = [(each.place, each.dropped) for each in refused]
            self._gates = {**self._gates, name: entry}
            if not passing:
                self._fresh = {**self._fresh, name: entry}
            streams = extended(world.streams, name, kept) if passing else world.streams
            histories = extended(world.histories, name, kept)
            self._world = replace(world, streams=streams, histories=histories)
        return [(name, offered[at][1], offered[at][0], why) for at, why in dropped]

    # --- output ---------------------------------------------------------------------------------

    @property
    def ended(self) -> bool:
        """Whether no more input can come that the query waits for."""
        if self._ended or self._prepared.query is None:
            return self._ended
        inputs = sources_of(self._prepared.query, self._prepared.standing)
        filled = {each.target.name for each in self._prepared.standing}
        streams = [each for each in inputs if each in self._gates and each not in filled]
        return bool(streams) and all(self._gates[each].ended for each in streams)

    def result(self) -> tuple[Relation, list[Refusal]]:
        """The query's rows over all that has come in, and what standing statements lost.

        Raises the run-time errors of both, INSUFFICIENT_HISTORY too.
        """
        assert self._prepared.query is not None, "only a query has a result"
        world, gates, refusals = settled(
            self._prepared.standing, self._world, self._fresh, self._gates
        )
        check_history(self._prepared.query, world, gates, environment(world))
        return evaluate(self._prepared.query, remembered(world, gates)), refusals
