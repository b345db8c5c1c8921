"""A streaming query as a Structured Streaming query: foreachBatch over readStreams, exactly once.

Structured Streaming reads the sources and says which rows are in which micro-batch; what they mean
is the engine's (`spark_backend.stream.engine`).  It uses no watermark and no state store of Spark:

1. micro-batch n starts from the state that n - 1 left behind;
2. its rows go through the gates, and through the engine;
3. what comes out is written under the number n, over what a try before may have left there;
4. the state is written under n; then Structured Streaming commits n.

A query that dies anywhere does n again when it is started anew: from the same state, with the same
rows (Spark's own log of offsets says which), to the same place.  So each row of the output is there
once.  The states of n and n - 1 are kept, each where the one before the other was.
"""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final, cast

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses
from pyspark.sql.streaming.query import StreamingQuery

from algebra.catalog import Profile, QualifiedName, Stream
from algebra.plan import Delta, row_type
from algebra.prepare import Prepared, prepare
from algebra.progress import Bound, Bounds
from algebra.types import VARCHAR
from spark_backend.arrow import ARRIVAL, collected, frame_of
from spark_backend.contents import Contents
from spark_backend.dataframes import inside, outside
from spark_backend.entry import Gate, gate_of
from spark_backend.relation import column_name, types_of
from spark_backend.session import tune
from spark_backend.stream.engine import Engine, Given
from spark_backend.stream.limits import Row
from spark_backend.stream.state import EngineState, gate_state, restore_gate

#: Takes the rows of a micro-batch, in order, and its number; called again for one that was tried.
Sink = Callable[[DataFrame, int], None]

#: The column that says which input a row is of.
_INPUT: Final = "input"
#: States that are kept: that of the last micro-batch, and that which a second try starts from.
_STATES: Final = 2


class CheckpointError(RuntimeError):
    """The state beside the checkpoint is not that of this query, or cannot be read."""


@dataclass(frozen=True, slots=True)
class Progress:
    """What a micro-batch did: rows in, out and late, the output's bound, and rows retained."""

    batch: int
    rows: int
    given: int
    late: int
    bound: int | None
    retained: int


def files(directory: str, format: str = "parquet") -> Sink:
    """A sink of files, a folder ``batch=n`` for each micro-batch that has rows."""

    def write(rows: DataFrame, batch: int) -> None:
        rows.coalesce(1).write.mode("overwrite").format(format).save(f"{directory}/batch={batch}")

    return write


@dataclass(slots=True)
class Pipeline:
    """A streaming query over streaming DataFrames.

    ``sources``: of each stream that the query reads, by its name, a DataFrame of `readStream` with
    its columns; rows of a micro-batch arrive in the order in which Spark reads them.  ``state``: a
    directory on any file system of Spark's, empty at first.  ``told`` hears of each micro-batch.
    Raises `SqlError` as `prepare` does, `ValueError` for a source that does not fit.
    """

    spark: SparkSession
    ddl: str
    sql: str
    sources: Mapping[str, DataFrame]
    sink: Sink
    state: str
    profile: Profile = Profile.CALCITE
    told: Callable[[Progress], None] = lambda _: None
    _prepared: Prepared = field(init=False)
    _engine: Engine = field(init=False)
    _gates: dict[QualifiedName, Gate] = field(init=False)
    _last: int = -1

    def __post_init__(self) -> None:
        """Judge the query, and set up its engine."""
        self._prepared = prepare(self.ddl, self.sql, self.profile)
        if not isinstance(self._prepared.query, Delta):
            raise ValueError("only a streaming query runs as a pipeline: SELECT STREAM …")
        missing = [n for n in self._names if n not in self.sources]
        if missing or self._prepared.standing:
            what = ", ".join(missing) or "the streams that standing statements feed"
            raise ValueError(f"the pipeline has no source of {what}")
        self._begin()

    @property
    def _query(self) -> Delta:
        query = self._prepared.query
        assert isinstance(query, Delta), "asked at the start"
        return query

    @property
    def _names(self) -> dict[str, Stream]:
        engine = Engine(self._query, Contents(self.spark, 0))
        return {".".join(each.name): each for each in engine.streams.values()}

    def _begin(self) -> None:
        contents = Contents(self.spark, time.time_ns() // 1_000_000)
        self._engine = Engine(self._query, contents)
        self._gates = {each.name: gate_of(each) for each in self._engine.streams.values()}
        self._last = -1

    def start(self, checkpoint: str, *, once: bool = False) -> StreamingQuery:
        """The running query; ``once``: it ends when it has read what is there now."""
        tagged = [
            self._tagged(name, stream, self.sources[name]) for name, stream in self._names.items()
        ]
        whole, *others = tagged
        for each in others:
            whole = whole.unionByName(each, allowMissingColumns=True)
        writer = whole.writeStream.option("checkpointLocation", checkpoint)
        writer = writer.foreachBatch(self._batch)
        return (writer.trigger(availableNow=True) if once else writer).start()

    def _tagged(self, name: str, stream: Stream, frame: DataFrame) -> DataFrame:
        """The rows of a source as values inside, under a name of their own."""
        columns = [
            inside(frame, name, each).alias(column_name(i)) for i, each in enumerate(stream.columns)
        ]
        return frame.select(F.lit(name).alias(_INPUT), F.struct(*columns).alias(f"of {name}"))

    # --- one micro-batch ------------------------------------------------------------------------

    def _batch(self, frame: DataFrame, batch: int) -> None:
        if self._last != batch - 1 or batch == 0:
            self._recall(batch - 1)
        self._last = -1  # should this try fail, the next one starts from what was written
        rows = self._arrived(frame)
        accepted: dict[QualifiedName, Sequence[Row]] = {}
        late = 0
        for name, each in rows.items():
            gate = self._gates[name]
            checks = self._engine.contents.checks(self._engine.streams[name])
            accepted[name], refused = gate.judge(each, checks)
            late += len(refused)
        bounds = {name: _bounds(gate) for name, gate in self._gates.items()}
        given = self._engine.step(accepted, bounds)
        if given.rows:
            self.sink(self._outside(given.rows), batch)
        self._store(batch)
        self._last = batch
        self.told(_progress(batch, rows, given, late))

    def _arrived(self, frame: DataFrame) -> dict[QualifiedName, list[Row]]:
        """The rows of each stream, in the order in which Spark reads them."""
        numbered = frame.withColumn(ARRIVAL, F.monotonically_increasing_id()).persist()
        rows: dict[QualifiedName, list[Row]] = {}
        for name, stream in self._names.items():
            types = tuple(each.type for each in stream.columns)
            own = numbered.filter(F.col(_INPUT) == F.lit(name)).orderBy(ARRIVAL)
            columns = [F.col(f"`of {name}`.{column_name(i)}") for i in range(len(types))]
            rows[stream.name] = list(collected(own.select(*columns), types))
        numbered.unpersist()
        return rows

    def _outside(self, rows: Sequence[Row]) -> DataFrame:
        fields = row_type(self._query)
        types = types_of(fields)
        width = len(types)
        tune(self.spark, len(rows))
        frame = frame_of(self.spark, types, [row[:width] for row in rows])
        return outside(frame.orderBy(ARRIVAL).drop(ARRIVAL), fields)

    # --- the state ------------------------------------------------------------------------------

    @property
    def _mark(self) -> str:
        """What tells this query from others."""
        text = json.dumps([self.ddl, self.sql, str(self.profile)])
        return sha256(text.encode()).hexdigest()

    def _store(self, batch: int) -> None:
        """Write what the next micro-batch rests on; the words that say so come last."""
        engine, kept = self._engine.state()
        names = {".".join(name): store for name, store in kept.items()}
        for name, store in names.items():
            frame = frame_of(self.spark, store.types, list(store.rows()))
            frame.coalesce(1).write.mode("overwrite").parquet(self._place(batch, name))
        words = {
            "query": self._mark,
            "batch": batch,
            "engine": [engine.batch, engine.given, engine.ended],
            "gates": {".".join(n): gate_state(gate) for n, gate in self._gates.items()},
            "kept": sorted(names),
        }
        frame = frame_of(self.spark, (VARCHAR,), [(json.dumps(words),)]).drop(ARRIVAL)
        frame.coalesce(1).write.mode("overwrite").text(self._place(batch, "words"))

    def _recall(self, batch: int) -> None:
        """Go on from the state of a micro-batch; before the first there is none."""
        self._begin()
        if batch < 0:
            return
        words = self._words(batch)
        if words["query"] != self._mark or words["batch"] != batch:
            raise CheckpointError(
                f"the state in {self.state} is that of another query: "
                "start with a new checkpoint and a new state directory"
            )
        number, given, ended = cast("tuple[int, int | None, bool]", words["engine"])
        kept: dict[QualifiedName, Sequence[Row]] = {}
        named = {".".join(name): name for name in self._gates}
        for name in cast("list[str]", words["kept"]):
            types = self._engine.types_kept(named[name])
            frame = self.spark.read.parquet(self._place(batch, name)).orderBy(ARRIVAL)
            kept[named[name]] = list(collected(frame.drop(ARRIVAL), types))
        self._engine.restore(EngineState(number, given, ended), kept)
        for name, state in cast("dict[str, dict[str, object]]", words["gates"]).items():
            restore_gate(self._gates[named[name]], state)

    def _words(self, batch: int) -> dict[str, object]:
        try:
            (row,) = self.spark.read.text(self._place(batch, "words")).collect()
            found = json.loads(str(row[0]))
        except (AnalysisException, ValueError) as error:
            raise CheckpointError(
                f"the state of micro-batch {batch} in {self.state} is missing or damaged: start "
                "with a new checkpoint and a new state directory, or put both back from a copy"
            ) from error
        return cast("dict[str, object]", found)  # what `_store` has written

    def _place(self, batch: int, what: str) -> str:
        return f"{self.state}/{batch % _STATES}/{what}"


def _bounds(gate: Gate) -> Bounds:
    limits: list[Bound | None] = [None] * len(gate.relation.columns)
    for place, clock in gate.clocks.items():
        if clock.bound is not None:
            limits[place] = Bound(clock.bound, clock.strict)
    return Bounds(tuple(limits))


def _progress(
    batch: int, rows: Mapping[QualifiedName, Sequence[Row]], given: Given, late: int
) -> Progress:
    arrived = sum(len(each) for each in rows.values())
    return Progress(batch, arrived, len(given.rows), late, given.bound, given.retained)
