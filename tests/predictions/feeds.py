"""Streams that are in step, for queries of the corpus and of Nexmark: predictions are about these.

A query of the corpus reads endless streams of which each has a row at every moment.  Those of
Nexmark have the hundred events of the second that a moment ends.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from itertools import count, islice
from typing import Final, Protocol

from algebra.catalog import Profile, QualifiedName, Stream, Table
from algebra.metadata.durations import Duration
from algebra.metadata.schedule.facts import total_latency
from algebra.prepare import Prepared, prepare
from algebra.types import Kind
from benchmarks.nexmark.generate import Config, events, schema
from benchmarks.nexmark.run import FOLDER, NAMES, SIDE
from reference.acceptance import typed_rows
from reference.dml.statements import sources_of
from reference.relation import Row
from tck.corpus.case import Case
from tests.predictions.prediction import retentions
from tests.reference.building import ts
from tests.reference.incremental.test_bounded_state import (
    MANY_WINDOWS,
    queries,
    said,
    start_of,
    value,
    windows_of_a_row,
)

#: When all streams begin.
START: Final = ts("2020-01-01 00:00:00")
SECOND: Final = 1_000
#: Events of Nexmark a second.
RATE: Final = 100


class Feed(Protocol):
    """A query, and what its streams and tables have."""

    prepared: Prepared
    tables: Mapping[QualifiedName, Sequence[Row]]

    @property
    def streams(self) -> Sequence[QualifiedName]:
        """The streams that have rows."""
        ...

    def spacing(self, longest: int, moments: int) -> int:
        """The milliseconds between moments, of which ``longest`` is to have so many."""
        ...

    def rows(self, now: int) -> Mapping[QualifiedName, Sequence[Row]]:
        """The next rows of each stream, at ``now`` or before it."""
        ...


@dataclass(slots=True)
class Steady:
    """A query of the corpus: each of its streams has a row at each moment."""

    prepared: Prepared
    tables: Mapping[QualifiedName, Sequence[Row]]
    made: Mapping[QualifiedName, Iterator[Callable[[int], Row]]]

    @staticmethod
    def of(case: Case, prepared: Prepared) -> "Steady":
        """The streams from their start."""
        objects, tables = prepared.catalog.objects, dict[QualifiedName, Sequence[Row]]()
        for load in case.tables:
            name = tuple(load.object.split("."))
            table = objects[name]
            assert isinstance(table, Table | Stream), "rows are loaded into these"
            rows, _ = typed_rows(table.columns, load.rows, 0)
            tables[name] = [*tables.get(name, ()), *rows]
        return Steady(
            prepared,
            tables,
            {name: _steady(source, case) for name, source in sources(prepared).items()},
        )

    @property
    def streams(self) -> Sequence[QualifiedName]:
        """The streams that the session itself feeds."""
        return list(self.made)

    def spacing(self, longest: int, moments: int) -> int:
        """A second at least; where a row is in many windows there are fewer moments."""
        assert self.prepared.query is not None
        many = windows_of_a_row(self.prepared.query) > MANY_WINDOWS
        return max(longest // (moments // 10 if many else moments), SECOND)

    def rows(self, now: int) -> Mapping[QualifiedName, Sequence[Row]]:
        """A row of each stream."""
        return {name: [next(made)(now)] for name, made in self.made.items()}


def sources(prepared: Prepared) -> Mapping[QualifiedName, Stream]:
    """The streams that a query and its statements read, and no statement feeds."""
    assert prepared.query is not None
    fed = {each.target.name for each in prepared.standing}
    return {
        name: source
        for name in sorted(sources_of(prepared.query, prepared.standing) - fed)
        if isinstance(source := prepared.catalog.objects[name], Stream)
    }


def _steady(source: Stream, case: Case) -> Iterator[Callable[[int], Row]]:
    """Rows of a stream, each to be made for the time at which it arrives."""
    few = said(case, source)
    kept = [tuple(dict.fromkeys(row[at] for row in few)) for at in range(len(source.columns))]
    starts = [
        0 if each.ordering is None else start_of(source, at)
        for at, each in enumerate(source.columns)
    ]

    def made(n: int) -> Callable[[int], Row]:
        return lambda time: tuple(
            value(column, kept[at], time, starts[at], n) for at, column in enumerate(source.columns)
        )

    return map(made, count())


@dataclass(slots=True)
class Auctions:
    """A query of Nexmark: a moment ends a second of persons, auctions and bids."""

    prepared: Prepared
    tables: Mapping[QualifiedName, Sequence[Row]]
    events: Iterator[tuple[str, Row]]

    @staticmethod
    def of(name: str) -> "Auctions":
        """The events from the first on."""
        sql = (FOLDER / "queries" / f"{name}.sql").read_text("utf-8")
        config = Config(1_000_000, start=START, rate=RATE)
        prepared = prepare(schema(config), sql, Profile.CALCITE)
        return Auctions(prepared, {("SIDE",): SIDE}, events(config))

    @property
    def streams(self) -> Sequence[QualifiedName]:
        """Those that the query reads."""
        return list(sources(self.prepared))

    def spacing(self, longest: int, moments: int) -> int:
        """A second, however long the windows are."""
        del longest, moments
        return SECOND

    def rows(self, now: int) -> Mapping[QualifiedName, Sequence[Row]]:
        """The next hundred events, evenly over the second that ends now."""
        found: dict[QualifiedName, list[Row]] = {name: [] for name in self.streams}
        for place, (name, (_, *values)) in enumerate(islice(self.events, RATE), 1):
            if (name,) in found:
                found[name,].append((now - SECOND + place * SECOND // RATE, *values))
        return found


# --- which queries --------------------------------------------------------------------------------


def nexmark() -> Mapping[str, Callable[[], Feed]]:
    """The queries of Nexmark."""
    return {name: _auctions(name) for name in NAMES}


def _auctions(name: str) -> Callable[[], Feed]:
    return lambda: Auctions.of(name)


@cache
def corpus(*, by_shape: bool = False) -> Mapping[str, Callable[[], Feed]]:
    """Streaming queries of the corpus, by case: one of those that have the same metadata.

    ``by_shape``: one of those whose metadata differ in lengths of time and numbers of rows alone,
    among a few queries (`queries`).  The same operators retain the same kinds of rows, and rows
    wait for the same kinds of things.

    Streams that are out of order, or in the order of days, are left out: their clocks are behind
    the times of their rows, and so not in step.
    """
    found: dict[object, tuple[Case, Prepared]] = {}
    for case, prepared in queries(few=by_shape).values():
        query = prepared.query
        assert query is not None
        names = sources_of(query, prepared.standing)
        streams = [e for name in names if isinstance(e := prepared.catalog.objects[name], Stream)]
        if not all(map(in_step, streams)):
            continue
        detail = _parts if by_shape else str
        alike = [
            (type(plan), each.kind, detail(each.duration), len(each.per), each.port)
            for plan, kept in retentions(query)
            for each in kept
        ]
        found.setdefault((detail(total_latency(query)), tuple(alike)), (case, prepared))
    return {case.id: _of_case(case, prepared) for case, prepared in found.values()}


def _parts(duration: Duration | None) -> str:
    """The parts that a duration has, without their lengths."""
    if duration is None:
        return str(None)
    return str([each.name for each in fields(duration) if getattr(duration, each.name)])


def _of_case(case: Case, prepared: Prepared) -> Callable[[], Feed]:
    return lambda: Steady.of(case, prepared)


def in_step(stream: Stream) -> bool:
    """Whether the bounds of a stream are the times of its rows."""
    return not any(
        each.type.kind is Kind.DATE or order.slack or order.rows or order.punctuated
        for each in stream.columns
        if (order := each.ordering) is not None
    )
