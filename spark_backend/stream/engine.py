"""One streaming query, micro-batch by micro-batch: accepted rows in, determined rows out.

**Emitted rows.** Let ``bound`` be the bound of the query's output (S-306): however the inputs
continue, no later row is below it.  The inputs could also end here.  So the query over the rows so
far and the query over all future rows have the same rows below ``bound``.  These rows are evaluated
as a relation, by the translation of the batch backend.  A micro-batch emits the rows from the
previous bound up to the new one, in rowtime order.  Each row has one rowtime, and the bound never
decreases, so no row is emitted twice or left out.

**Retained rows.** An input row is retained while an output row at or above the bound can depend on
it (`spark_backend.stream.retention.retention`); emitted rows are not computed again.  If a running
total needs all earlier rows, partial aggregates replace those that are final
(`spark_backend.stream.compaction.compactor`).

**Few rows and many.** Rows that arrive in memory stay in memory, and are emitted from there.  Rows
that arrive in a frame stay in Spark: one query over the retained and the new rows computes the
output, another one the rows to retain, and the caller runs both (`RowBuffer.save`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.catalog import QualifiedName, Stream
from algebra.monotonicity.progress import Bound, Bounds
from algebra.parts.mentions import scans
from algebra.plan import Delta, Plan, Reads, row_type
from algebra.types import MAX_TIMESTAMP, MIN_TIMESTAMP, Type
from spark_backend.data.contents import Contents
from spark_backend.data.few_rows import FewRows
from spark_backend.data.row_buffer import RowBuffer
from spark_backend.order.output_order import OutputOrder
from spark_backend.order.times import UNKNOWN, is_counted
from spark_backend.relation import types_of
from spark_backend.runtime.arrow import ARRIVAL
from spark_backend.runtime.failures import failures
from spark_backend.runtime.session import tune_micro_batch
from spark_backend.stream.bounds.bound_propagation import BoundPropagation
from spark_backend.stream.compaction.compaction import Compaction
from spark_backend.stream.compaction.compactor import Compactor
from spark_backend.stream.emission.emit import Emission, all_rows
from spark_backend.stream.emission.emit_batch import EmitBatches
from spark_backend.stream.emission.emit_batch_columns import BoundHistory, SavedLimit
from spark_backend.stream.evaluator import Evaluator
from spark_backend.stream.retention.per_row_retention import needed_rows, whole_rows
from spark_backend.stream.retention.policy import POLICY, Doubling, RetentionPolicy
from spark_backend.stream.retention.retention import Retention
from spark_backend.stream.row_stores import RowStores
from spark_backend.stream.stage_facts import InputStream, StageFacts, stage_facts
from spark_backend.stream.state import EngineState
from spark_backend.stream.step_result import StepResult


@dataclass(slots=True)
class Engine:
    """A running streaming query.

    ``contents`` has the tables and histories that the query reads, and the session's clock.
    ``exact``: the reported bound is that of S-306, because another statement or the session reads
    it; without it the bound may be lower if that delays no row. ``has_next_stage``: the next
    stage reads the rows, and the bounds of all columns. ``target`` is the stream into which a
    statement writes the rows; then the bound is that of its rowtime column, if any (S-605.j).
    ``policy`` decides when rows are evicted, and ``facts`` are deduced from the plan at the start.
    """

    query: Delta
    contents: Contents
    exact: bool = False
    has_next_stage: bool = False
    target: Stream | None = None
    policy: RetentionPolicy = field(default_factory=lambda: POLICY)
    facts: StageFacts = field(init=False)
    _stores: RowStores = field(init=False)
    _evaluator: Evaluator = field(init=False)
    _compactor: Compactor = field(init=False)
    #: The number of the last micro-batch.
    _batch: int = 0
    #: The bound up to which rows have been emitted; None while no bound is known.
    _emitted: int | None = None
    _ended: bool = False
    #: The bounds that `EmitBatches` read in the last micro-batch.
    _reached: tuple[SavedLimit, ...] = ()
    #: A lower bound of the rowtimes in frames, as long as no row has been emitted; None: not known.
    _start: int | None = None
    #: The rows that the plan still reads; None if they must be found, as after a compaction.
    _retention: Retention | None = None
    #: The least retained rowtime of each stream at the last eviction.
    _since: dict[QualifiedName, int] = field(default_factory=dict[QualifiedName, int])
    #: When the next exact bound, compaction and eviction pay off.
    _exact_bound: Doubling = field(default_factory=Doubling)
    _compacting: Doubling = field(default_factory=Doubling)
    _evicting: dict[QualifiedName, Doubling] = field(default_factory=dict[QualifiedName, Doubling])
    #: Brings rows that the next stage reads into memory.
    _few: FewRows = field(default_factory=FewRows)

    def __post_init__(self) -> None:
        """Deduce the facts of the stage."""
        self.facts = facts = stage_facts(self.query, self.target)
        self._compactor = Compactor(facts.plan, facts.ascending)
        types = {name: each.types for name, each in facts.streams.items()}
        session, in_memory = self.contents.session, self.policy.in_memory
        self._stores = RowStores(session, types, self._compactor, in_memory)
        self._evaluator = Evaluator(self.contents, self._stores)

    @property
    def streams(self) -> dict[QualifiedName, Stream]:
        """The streams whose arriving rows the query reads."""
        return {name: each.declared for name, each in self.facts.streams.items()}

    def step(
        self,
        rows: Mapping[QualifiedName, RowBuffer],
        bounds: Mapping[QualifiedName, Bounds],
    ) -> StepResult:
        """Take accepted rows, in order of arrival, and the bounds of later ones; return the output.

        Raises the run-time errors of the query's expressions over rows in memory.
        """
        self._settle()
        self._batch += 1
        # The exact bound costs queries but can evict more rows: it pays off if there are many rows.
        many = self._exact_bound.is_due(self.retained, self.policy.exact_bound)
        exact = self.exact or self.facts.emits_at_bound or many
        for name, new in rows.items():
            self._append(name, new, bounds[name])
        self._stores.read_small_tables()
        with failures():
            propagation = self._propagation(bounds)
            known = propagation.of(self.facts.plan, exact=exact)
            in_memory = not self._stores.framed and any(each.count for each in rows.values())
            emitted = self._emit_rows(known, propagation, arrived_in_memory=in_memory)
            if self.has_next_stage:
                emitted = self._few.collected(emitted, self.contents.session)
        order, bound, implicit = self.facts.order, None, None
        if order is not None and self.facts.reported is not None:
            # If rows are emitted in another order than that of the column, pending rows hold back
            # its bound, and only the exact bound is right.
            in_its_order = order.by_time and self.facts.reported == self.facts.time
            bound = known.columns[self.facts.reported] if in_its_order or exact else None
        if self.facts.timed is not None and not known.ended:
            timed = propagation.of(self.facts.timed, exact=exact)
            implicit = timed.columns[-1] if order is not None and (order.by_time or exact) else None
        all_bounds = None
        if self.has_next_stage:
            all_bounds = propagation.of(self.query.input, exact=True)
        if known.ended:
            self._ended = True
            self._clear()
        else:
            self._retain(propagation)
            if exact:
                self._exact_bound.note_eviction()
        if self._stores.framed or emitted.framed:
            tune_micro_batch(self.contents.session)  # the rows are read after this
        # A bound that counts micro-batches is not a time, and is not reported.
        return StepResult(
            rows=emitted,
            bound=None if is_counted(bound) else _time_of(bound),
            ended=self._ended,
            retained=self.retained,
            implicit_bound=None if is_counted(implicit) else _time_of(implicit),
            bounds=all_bounds,
        )

    @property
    def retained(self) -> int:
        """The number of retained input rows; rows of a stream that is read twice count once."""
        return self._stores.count

    def retained_of(self, name: QualifiedName) -> int:
        """The number of retained input rows of one stream."""
        streams = self._stores.streams
        return streams[name].count if name in streams else 0

    @property
    def compacts(self) -> bool:
        """Whether partial aggregates or a retained prefix can replace rows."""
        return self._compactor.compaction is not None

    @property
    def compacted(self) -> int:
        """The number of rows of partial aggregates and of the retained prefix."""
        return sum(each.count for each in self._compactor.tables.values())

    def types_retained(self, name: QualifiedName) -> tuple[Type, ...]:
        """The column types of the retained rows of a stream, or of a table of compaction."""
        if name in self._compactor.types:
            return self._compactor.types[name]
        return self._stores.types[name]

    def state(self) -> tuple[EngineState, Mapping[QualifiedName, RowBuffer]]:
        """The state for the next micro-batch: a record, and the rows of each stream.

        The rows include the tables of compaction, under names that no stream has.  Rows that
        arrived in a frame must be written before the next micro-batch: by the caller
        (`RowBuffer.save`), or else by the engine.
        """
        horizons, tables = self._compactor.horizons, self._compactor.tables
        state = EngineState(self._batch, self._emitted, self._ended, horizons, self._reached)
        return state, {**self._stores.streams, **tables}

    def restore(self, state: EngineState, rows: Mapping[QualifiedName, RowBuffer]) -> None:
        """Continue from the `state` of another engine of the same query."""
        self._clear()
        self._batch, self._emitted, self._ended = state.batch, state.emitted, state.ended
        self._reached = state.reached
        self._compactor.restore(state.horizons, rows)
        tables = self._compactor.types
        self._stores.streams.update((n, each) for n, each in rows.items() if n not in tables)

    def close(self) -> None:
        """Evict all rows, and remove the files."""
        self._clear()
        self._stores.close()

    # --- emission -------------------------------------------------------------------------------

    def _propagation(self, bounds: Mapping[QualifiedName, Bounds]) -> BoundPropagation:
        """The bounds of plans in this micro-batch, over the rows at its start."""

        def stream_bounds(stream: Stream) -> Bounds:
            """The bounds of a stream's later rows, its implicit rowtime included."""
            known, own = bounds[stream.name], self.facts.streams[stream.name]
            implicit = (
                (self._implicit_rowtime(own, known, coming=1),) if own.has_implicit_rowtime else ()
            )
            width = len(own.declared.columns)
            return replace(known, columns=(*known.columns[:width], *map(Bound, implicit)))

        return BoundPropagation(stream_bounds, self._evaluator.rows, self._evaluator.meaning_of)

    def _emit_rows(
        self, known: Bounds, propagation: BoundPropagation, *, arrived_in_memory: bool
    ) -> RowBuffer:
        """Advance the bound; return the rows from the previous bound up to the new one.

        At the end these are all remaining rows.  ``known`` has the bounds of the plan.
        ``arrived_in_memory``: new rows have arrived, and are in memory.  If the query can fail on
        these rows, it is evaluated even if none of its rows is determined.
        """
        before, limit, new = self._emitted, self._emitted, None
        if self.facts.order is not None:
            new = _time_of(known.columns[self.facts.order.place])
            if new is not None:  # the bound never goes back
                limit = new if before is None else self._later(before, new)
        order = self._order_now(propagation)
        types = types_of(row_type(self.query))
        no_bound = limit is None and not self.facts.out_of_order
        # If the bound stays, only rows that are emitted at it or out of order can be determined.
        if not known.ended and limit == before and (no_bound or not self.facts.emits_at_bound):
            # The query is evaluated so that a row that fails does it now.  If rows can fail only
            # near an end of the calendar, it is evaluated only while no bound is known.
            if arrived_in_memory and (
                self.facts.can_fail or (new is None and self.facts.can_fail_at_edges)
            ):
                self._evaluator.rows(self.facts.plan)
            return RowBuffer(types)
        self._emitted = limit
        if self._ended or not any(each.count for each in self._stores.streams.values()):
            return RowBuffer(types)
        until = None if known.ended else limit
        part = None
        if order is not None:
            order = replace(order, plan=self._compactor.applied(order.plan))
            part = Emission(
                order=order,
                before=before,
                limit=until,
                batch=self._batch,
                start=self._start,
                retained=self.retained,
            )
        if self._stores.framed:
            return self._emit_frame(part, types)
        if part is None:
            return RowBuffer.of(types, self._evaluator.rows(self.facts.plan))
        translator = self._evaluator.translator()
        rows = part.relation(translator)
        return RowBuffer.of(
            types, self._evaluator.collect_rows(rows, types, small=translator.small)
        )

    def _order_now(self, propagation: BoundPropagation) -> OutputOrder | None:
        """The output order, with the emit batches of this micro-batch if rows have any."""
        order = self.facts.order
        if order is None or not self.facts.emits_at_bound:
            return order
        history = BoundHistory(self._batch, self._reached)
        plan = EmitBatches(history, propagation, over_retained=self._compactor.over).of(order.plan)
        assert plan is not None, "whether rows have emit batches does not depend on bounds"
        self._reached = tuple(history.now)
        return replace(order, plan=plan, emits_at_bound=True, out_of_order=self.facts.out_of_order)

    def _emit_frame(self, part: Emission | None, types: tuple[Type, ...]) -> RowBuffer:
        """The rows of `_emit_rows` as a frame, which is computed when it is first read.

        The retained rows may be written to a file at the same time: neither waits for the other.
        """
        translator = self._evaluator.translator()
        if part is None:
            plan: Plan = self.facts.plan
            make = partial(all_rows, plan, translator, types)
        else:
            plan = part.order.plan
            make = partial(part.as_frame, translator, types)
        read = list(scans(plan))
        tables = self._compactor.types
        if any(e.reads is not Reads.STREAM and e.source.name not in tables for e in read):
            return make()  # tables and histories may have changed after the step
        for each in read:
            translator.source(each)  # it keeps the present rows
        return RowBuffer.deferred(types, make)

    def _later(self, a: int, b: int) -> int:
        """The later one of two bounds, in the direction of the output order."""
        descending = self.facts.order is not None and self.facts.order.descending
        return min(a, b) if descending else max(a, b)

    # --- retention ------------------------------------------------------------------------------

    def _implicit_rowtime(self, own: InputStream, known: Bounds, *, coming: int = 0) -> int:
        """The implicit rowtime of a row that arrives now in a stream without a rowtime column.

        It is the bound of the stream if a bound is known, else a number that counts micro-batches
        (`is_counted`).  With ``coming`` it is the least rowtime of a row that arrives that many
        micro-batches later.
        """
        # The bound of the implicit rowtime is after those of the columns.  It is left out if the
        # producers' bounds are those of a column, such as a time that descends.
        arrival = known.columns[len(own.declared.columns) :]
        at = _time_of(arrival[0]) if arrival else None
        return UNKNOWN + self._batch + coming if at is None else at

    def _append(self, name: QualifiedName, new: RowBuffer, known: Bounds) -> None:
        """Append new rows to the retained rows of a stream, with their hidden values.

        These are the implicit rowtime, if there is no rowtime column, and the number of the
        micro-batch, if rows at the bound may be emitted. ``known`` has the bounds of the stream
        when the rows arrived.
        """
        own = self.facts.streams[name]
        hidden = (self._implicit_rowtime(own, known),) if own.has_implicit_rowtime else ()
        if self.facts.emits_at_bound:
            hidden = (*hidden, self._batch)
        if not new.framed:
            self._stores.append(name, ((*row, *hidden) for row in new.rows()))
            return
        if self._emitted is None and new.least is not None:
            self._start = new.least if self._start is None else min(self._start, new.least)
        new = new.only(own.read)
        for value in hidden:
            new = new.with_value(value, own.types[len(new.types)])
        self._stores.add(name, new)

    def _settle(self) -> None:
        """Write the rows of the previous micro-batch, unless they are written."""
        self._stores.settle(self._batch)
        self._compacting.settle(self.retained)
        self._exact_bound.settle(self.retained)
        for name, evicting in self._evicting.items():
            evicting.settle(self.retained_of(name))

    def _retain(self, propagation: BoundPropagation) -> None:
        """Compact and evict the rows on which no later output row depends, if this pays off now."""
        order, bound = self.facts.order, self._emitted
        if bound is None or order is None:
            return
        due = self._compacting.is_due(self.retained, self.policy.compaction)
        if self._compactor.compaction is not None and due:
            self._compact(self._compactor.compaction, bound, propagation)
        if self._retention is None:
            self._retention = self._compactor.retention()
        #: The least rowtime of rows that are still to be emitted.
        first = bound + (1 if self.facts.bound_is_done else 0)
        for name, store in list(self._stores.streams.items()):
            since = self._retention.since(name, first, self._evaluator.constant)
            time = self.facts.streams[name].time
            evicting = self._evicting.setdefault(name, Doubling())
            if time is not None and since is not None and not self.facts.has_monotonic:
                # Rows that arrive at the present bound are evicted when they are emitted.
                if self._since.get(name) != since or self.facts.bound_is_done:
                    self._stores.evict_before(name, time, since)
                    self._since[name] = since
            elif evicting.is_due(store.count, self.policy.eviction):
                self._evict_by_rows(name, order, bound, propagation)
                evicting.note_eviction()

    def _evict_by_rows(
        self, name: QualifiedName, order: OutputOrder, bound: int, propagation: BoundPropagation
    ) -> None:
        """Evict the rows of a stream that are no longer needed, if no rowtime determines them."""
        state, stores = self.facts.row_state, self._stores
        if state is None:
            return
        with failures():
            if stores.framed:
                whole = whole_rows(state, stores.streams[name].types, bound, propagation)
                if whole is not None:
                    stores.replace(name, self._evaluator.translator().translate(whole).frame)
                    return
            plan = needed_rows(
                state, self.facts.plan, name, bound, propagation, descending=order.descending
            )
            if stores.framed:
                stores.retain_places(name, self._evaluator.translator().translate(plan).frame)
                return
            places = {value for (value,) in self._evaluator.rows(plan)}
        stores.retain(name, (i in places for i in range(stores.streams[name].count)))

    def _compact(self, compaction: Compaction, bound: int, propagation: BoundPropagation) -> None:
        """Replace final rows by partial aggregates; `_retain` then evicts the rows."""
        window, compactor = compaction.window, self._compactor
        self._compacting.note_eviction()
        with failures():
            final = self._final_before(compaction, propagation)
            horizon = compactor.next_horizon(compaction, bound, final, self._evaluator.constant)
            if horizon is None or horizon == compactor.horizon:
                return
            columns: list[Bound | None] = [None] * len(row_type(window.input))
            columns[compaction.time] = Bound(horizon)
            progress_of = propagation.progress_at(window, Bounds(tuple(columns)))
            plans = compaction.contents(compactor.horizon, horizon, progress_of)
            tables = {table.name: self._table(plan) for table, plan in plans}
        compactor.take(horizon, tables)
        self._retention = None

    def _final_before(self, compaction: Compaction, propagation: BoundPropagation) -> int:
        """The time before which the input rows of OVER are final; by default the least time."""
        window = compaction.window
        known = propagation.of(window.input, exact=True)
        time = MAX_TIMESTAMP if known.ended else _time_of(known.columns[compaction.time])
        if time is not None and compaction.peers:
            first = _time_of(propagation.first_of_peers(window, compaction.time, compaction.peers))
            time = time if first is None else min(time, first)
        return MIN_TIMESTAMP if time is None else time  # None: a row of any time can still come

    def _table(self, plan: Plan) -> RowBuffer:
        """The rows of ``plan``, in any order, which become a table of compaction."""
        types = types_of(row_type(plan))
        if not self._stores.framed:
            return RowBuffer.of(types, self._evaluator.rows(plan))
        plan = self._compactor.applied(plan)
        frame = self._evaluator.translator().translate(plan).frame
        frame = frame.withColumn(ARRIVAL, F.lit(0).cast("bigint"))
        return RowBuffer.of_frame(frame, types, numbers=1)

    def _clear(self) -> None:
        """Evict all rows, and reset the facts about them."""
        self._stores.clear()
        self._retention = None
        self._since.clear()
        self._start = None


def _time_of(bound: Bound | None) -> int | None:
    """The value of a bound of a time, in milliseconds; None if no bound is known."""
    if bound is None or bound.value is None:
        return None
    assert isinstance(bound.value, int), "a bound of a TIMESTAMP is whole"
    return bound.value
