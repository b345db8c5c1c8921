"""A query alone, given micro-batches in memory or in frames, and restarted on its way."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from algebra.catalog import Profile
from algebra.expression import Value
from algebra.monotonicity.progress import Bound, Bounds
from algebra.plan import Plan
from algebra.prepare import prepare
from algebra.types import Type
from reference.evaluate import World, evaluate
from spark_backend.data.contents import Contents
from spark_backend.data.row_buffer import RowBuffer
from spark_backend.runtime.arrow import frame_of
from spark_backend.runtime.session import spark_session
from spark_backend.stream.pipeline.statements import Statements

Row = tuple[Value, ...]
Name = tuple[str, ...]
#: Of each stream the rows of each micro-batch, which come by their times.
Batches = Sequence[Mapping[Name, Sequence[Row]]]


@dataclass(slots=True)
class Drive:
    """A query that is given micro-batches in memory, or ``bulk`` in frames."""

    ddl: str
    sql: str
    bulk: bool = False
    profile: Profile = Profile.CALCITE
    rows: list[Row] = field(default_factory=list[Row])
    retained: list[int] = field(default_factory=list[int])
    engine: Statements = field(init=False)
    _numbers: int = 0
    #: The last values of ordered columns.
    _reached: dict[tuple[Name, int], Bound] = field(default_factory=dict[tuple[Name, int], Bound])

    def __post_init__(self) -> None:
        """Begin."""
        self.engine = self.begun()

    @property
    def query(self) -> Plan:
        """The query's plan."""
        query = prepare(self.ddl, self.sql, self.profile).query
        assert query is not None
        return query

    def begun(self) -> Statements:
        """The query's stages, which have seen nothing."""
        return Statements(prepare(self.ddl, self.sql, self.profile), Contents(spark_session(), 0))

    def step(self, rows: Mapping[Name, Sequence[Row]], *, ended: bool = False) -> None:
        """A micro-batch; by their ordered columns no row before its last ones comes after it."""
        stores: dict[Name, RowBuffer] = {}
        bounds: dict[Name, Bounds] = {}
        for name, stream in self.engine.sources.items():
            own = rows.get(name, ())
            types = tuple(each.type for each in stream.columns)
            stores[name] = self.buffer(types, own)
            times = [row[0] for each in rows.values() for row in each if isinstance(row[0], int)]
            last = max(times, default=0)
            columns: list[Bound | None] = [Bound(last)]
            for place in range(1, len(types)):
                if own and stream.columns[place].ordering is not None:
                    self._reached[name, place] = Bound(own[-1][place])
                columns.append(self._reached.get((name, place)))
            bounds[name] = Bounds(tuple(columns), ended)
        answer = self.engine.step(stores, bounds).answer
        assert answer is not None
        self.rows += answer.rows.rows()
        self.engine.release()
        self.retained.append(sum(count for *_, count in self.engine.retained_rows))

    def buffer(self, types: tuple[Type, ...], rows: Sequence[Row]) -> RowBuffer:
        """Rows of a stream, in a frame if ``bulk``."""
        if not self.bulk:
            return RowBuffer.of(types, rows)
        frame = frame_of(spark_session(), types, rows, self._numbers)
        self._numbers += len(rows)
        return RowBuffer.of_frame(frame, types, count=len(rows), numbers=self._numbers)

    def restart(self, folder: Path) -> None:
        """Let another engine go on from what this one leaves behind."""
        state, retained = self.engine.state()
        paths: dict[str, tuple[str, RowBuffer]] = {}
        for name, store in retained.items():
            path = str(folder / "-".join((str(self._numbers), str(len(self.rows)), name)))
            paths[name] = path, store.save(spark_session(), path)

        def loaded(name: str, types: tuple[Type, ...]) -> RowBuffer:
            path, store = paths[name]
            if not store.count:
                return RowBuffer(types)
            return RowBuffer.load(spark_session(), path, types, store.count, store.numbers)

        engine = self.begun()
        engine.restore(state, loaded)
        self.engine.close()
        self.engine = engine

    def totals(self, folder: Path) -> int:
        """How many rows the tables of totals have."""
        self.restart(folder)
        return sum(count for _, count in self.engine.compacted)

    @property
    def horizons(self) -> tuple[int | None, ...]:
        """Those of all stages."""
        state, _ = self.engine.state()
        return tuple(each for stage in state.statements for each in stage.engine.horizons)

    def run(self, batches: Batches) -> list[Row]:
        """All rows, to the end."""
        for each in batches:
            self.step(each)
        self.step({}, ended=True)
        self.engine.close()
        return self.rows

    def expected_rows(self, batches: Batches) -> list[Row]:
        """The rows that the query has by its definition, which the reference evaluates.

        All rows are there at once: there are no micro-batches, and nothing is evicted.
        """
        streams = {
            name: [row for each in batches for row in each.get(name, ())]
            for name in self.engine.sources
        }
        return list(evaluate(self.query, World(histories=streams, streams=streams)))


def by_value(rows: Sequence[Row]) -> list[Row]:
    """Rows without their order."""
    return sorted(rows, key=repr)
