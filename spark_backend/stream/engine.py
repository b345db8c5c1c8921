"""One streaming query, micro-batch by micro-batch: accepted rows in, determined rows out.

**What comes out.**  Let ``bound`` be the bound of the query's output (S-306): below it no later row
can be, however the inputs go on.  That they end here is one way for them to go on.  So the rows
below ``bound`` are the same in the query over the rows so far, taken for all, and in the query over
all rows there will ever be: they are evaluated as a relation, by the translation that batch uses.
A micro-batch gives those at or above the bound before and below the new one, by rowtime; since each
row has one rowtime, and the bound never falls, no row comes twice and none is left out.

**What is kept.**  The rows of which a row at or above the bound can still be made
(`spark_backend.stream.retention.retention`), input rows only: what has come out is not computed
again.  Where all rows would have to be, for running totals, a row for each partition stands for
those that are past (`spark_backend.stream.compaction.compactor`).

**Few rows and many.**  Rows that come in memory are kept in memory, and what they set free comes
out so.  Rows that come in a frame stay in Spark: what comes out is one query over what is kept and
what is new, what is kept from then on another, and both are for the driver to run
(`RowBuffer.save`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from tempfile import TemporaryDirectory
from typing import Final

from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.catalog import QualifiedName, Stream
from algebra.expression import Expression, InputRef, Literal, Value
from algebra.mentions import scans
from algebra.monotonicity.columns import rowtime_column
from algebra.monotonicity.context import Context
from algebra.monotonicity.progress import Bound, Bounds
from algebra.plan import Delta, Plan, Project, Reads, Scan, row_type
from algebra.plan import Values as ValuesOf
from algebra.rewrite import rewritten
from algebra.types import MAX_TIMESTAMP, MIN_TIMESTAMP, Type
from spark_backend.data.contents import Contents
from spark_backend.data.ingress import ingress_of
from spark_backend.data.row_buffer import RowBuffer
from spark_backend.relation import Relation, column_name, first_columns, types_of
from spark_backend.runtime.arrow import ARRIVAL, collected
from spark_backend.runtime.failures import failures
from spark_backend.runtime.session import MANY_ROWS, tune, tune_micro_batch
from spark_backend.stream.bounds.bound_propagation import Limits, Row
from spark_backend.stream.bounds.implicit_rowtime import clocked
from spark_backend.stream.bounds.set_operation_groups import SO_FAR
from spark_backend.stream.columns import columns_read
from spark_backend.stream.compaction.compaction import Fold
from spark_backend.stream.compaction.compactor import Folding
from spark_backend.stream.emission.emit import Part, whole
from spark_backend.stream.emission.emit_batch import Moments, numbered
from spark_backend.stream.emission.emit_batch_columns import History, Reached
from spark_backend.stream.emission.output_order import Leading, between, by_time, leading
from spark_backend.stream.emission.row_order import at_once, strays
from spark_backend.stream.retention.pending_frames import ProgressOf
from spark_backend.stream.retention.per_row_retention import needed_rows
from spark_backend.stream.retention.retention import Retention, has_monotonic
from spark_backend.stream.retention.row_ids import PLACED, placed
from spark_backend.stream.state import EngineState
from spark_backend.stream.times import HiddenName
from spark_backend.translate import in_order
from spark_backend.translator import Translator
from spark_backend.types import row_values
from spark_backend.workarounds.non_inlined_literals import non_inlined

#: So many values of expressions at bounds are remembered.
_REMEMBERED: Final = 1_000
#: With more rows than this, and twice those that were left last time, the exact bound is asked.
_MANY: Final = 10_000
#: With more rows than this, and twice those that were left last time, frames of rows are asked.
_FEW: Final = 1_000
#: So many rows or less are taken out of their files when a few more come.
_DRAWN: Final = 10_000


@dataclass(frozen=True, slots=True)
class Given:
    """What a micro-batch gives: rows by rowtime, and the bound, in milliseconds, of later ones.

    ``rows`` are in order; where rows came in a frame, they are in a frame, too, of which nothing
    has been computed: errors come when it is read.  ``bound`` None: nothing is known.  ``ended``:
    no row will come.  ``retained``: how many input rows are kept for later, at most.  ``clock``:
    the bound of their time where they do not show it (S-311).
    """

    rows: RowBuffer
    bound: int | None
    ended: bool
    retained: int
    clock: int | None = None


@dataclass(slots=True)
class Engine:
    """A streaming query at work.

    ``contents`` are the tables and histories that it reads, and the session's clock.  ``exact``:
    its bound is asked for by another statement, and is that of S-306; else it may be lower where no
    row is held back by that.
    """

    query: Delta
    contents: Contents
    exact: bool = False
    _plan: Plan = field(init=False)
    _leading: Leading | None = field(init=False)
    _time: int | None = field(init=False)
    _has_monotonic: bool = field(init=False)
    _kept: dict[QualifiedName, RowBuffer] = field(default_factory=dict[QualifiedName, RowBuffer])
    _given: int | None = None
    #: Whether rows may come that are at the bound.
    _prompt: bool = False
    #: Whether all rows at the bound have come out, and none of them is read again.
    _at_once: bool = False
    #: Whether rows come at their moment, beyond the bound, too.
    _strays: bool = False
    _reached: tuple[Reached, ...] = ()
    _ended: bool = False
    _batch: int = 0
    _asked: bool = False
    _fewest: int = 0
    _directory: TemporaryDirectory[str] | None = None
    _folding: Folding = field(init=False)
    _folded: int = 0
    _fold_asked: bool = False
    _retention: Retention | None = None
    _least: dict[QualifiedName, int] = field(default_factory=dict[QualifiedName, int])
    _left: dict[QualifiedName, int] = field(default_factory=dict[QualifiedName, int])
    _since: dict[QualifiedName, int] = field(default_factory=dict[QualifiedName, int])
    #: About where the rows begin, while none has come out.
    _start: int | None = None
    _thinned: set[QualifiedName] = field(default_factory=set[QualifiedName])
    _values: dict[tuple[int, Expression], Value] = field(
        default_factory=dict[tuple[int, Expression], Value]
    )

    def __post_init__(self) -> None:
        """Find the column that rows leave by, and the one whose bound is told."""
        self._leading = leading(self.query)
        self._plan = self.query.input if self._leading is None else self._leading.plan
        self._time = rowtime_column(self.query.input, self.query)
        self._has_monotonic = has_monotonic(self._plan)
        known = (
            self._leading is not None and not self._leading.descending and not self._has_monotonic
        )
        place = self._leading.place if self._leading is not None and known else None
        self._folding = Folding(self._plan, place)
        if self._leading is not None:
            self._prompt = self._moments(History(0), None) is not None
            context = Context(self.query)
            self._at_once = self._prompt and at_once(self._plan, context)
            timed = self._prompt and self._leading.by_time
            self._strays = timed and strays(self._plan, context)

    @property
    def streams(self) -> dict[QualifiedName, Stream]:
        """The streams whose passing rows the query reads."""
        found = (each for each in scans(self.query) if each.reads is Reads.STREAM)
        return {e.source.name: e.source for e in found if isinstance(e.source, Stream)}

    def step(
        self,
        rows: Mapping[QualifiedName, RowBuffer],
        bounds: Mapping[QualifiedName, Bounds],
    ) -> Given:
        """What accepted rows, in order of arrival, and what is then known of later ones set free.

        Raises the run-time errors of the query's expressions, of rows in memory.
        """
        self._settle()
        self._batch += 1
        # The exact bound costs queries, and can let go more rows: it is asked where there are many.
        many = self.retained > max(_MANY, 2 * self._fewest)
        exact = self.exact or self._prompt or many
        for name, new in rows.items():
            self._take(name, new)
        self._draw()
        with failures():
            limits = self._limits_at(bounds)
            known = limits.of(self._plan, Context(self.query), exact=exact)
            found = self._released(known, limits)
        told = None
        if self._time is not None and self._leading is not None:
            # Rows that leave in another order hold back the bound of their time: asked if exact.
            told = known.columns[self._time] if self._leading.by_time or exact else None
        if known.ended:
            self._ended = True
            self._forget()
        else:
            self._retain(limits)
            self._asked = exact
        if self._framed or found.framed:
            tune_micro_batch(self.contents.session)  # whoever reads the rows does so after this
        hidden = None
        if self._time is None and self._leading is not None and self._leading.by_time:
            counted = any(self._clocked(each) for each in self.streams)
            hidden = None if counted else known.columns[self._leading.place]
        return Given(found, _time_of(told), self._ended, self.retained, _time_of(hidden))

    @property
    def retained(self) -> int:
        """How many input rows are kept, those of a stream that is read twice once."""
        return sum(each.count for each in self._kept.values())

    def kept_of(self, name: QualifiedName) -> int:
        """How many input rows are kept of one stream."""
        return self._kept[name].count if name in self._kept else 0

    @property
    def folds(self) -> bool:
        """Whether rows of totals, and of past rows that calls still see, can stand for others."""
        return bool(self._folding.folds)

    @property
    def past(self) -> int:
        """How many rows of totals, and of past rows that calls still see, stand for others."""
        return sum(each.count for each in self._folding.tables.values())

    @property
    def in_time(self) -> int | None:
        """The place of a rowtime by which rows come in order, none before the bound told last."""
        led = self._leading
        if (
            led is None
            or not led.by_time
            or led.descending
            or led.place != self._time
            or self._strays
        ):
            return None
        return None if row_type(self.query)[led.place].type.nullable else led.place

    def state(self) -> tuple[EngineState, Mapping[QualifiedName, RowBuffer]]:
        """What the next micro-batch rests on: a few values, and the rows kept of each stream.

        Among these are the tables of totals, by names that no stream has.  Whoever saves a store
        (`RowBuffer.save`) spares the engine doing so: what came in a frame is to be written
        somewhere before the next micro-batch.
        """
        folding = self._folding
        state = EngineState(self._batch, self._given, self._ended, folding.times, self._reached)
        return state, {**self._kept, **folding.tables}

    def restore(self, state: EngineState, kept: Mapping[QualifiedName, RowBuffer]) -> None:
        """Go on from what `state` told of another engine of the same query."""
        self._forget()
        self._batch, self._given, self._ended = state.batch, state.given, state.ended
        self._reached = state.reached
        self._folding.restore(state.cuts, kept)
        self._kept.update((n, each) for n, each in kept.items() if n not in self._folding.types)

    def close(self) -> None:
        """Give back the files."""
        self._forget()
        if self._directory is not None:
            self._directory.cleanup()
            self._directory = None

    # --- what comes out -------------------------------------------------------------------------

    def _limits_at(self, bounds: Mapping[QualifiedName, Bounds]) -> Limits:
        """The bounds of plans in this micro-batch, over the rows that it began with."""

        def clocks(stream: Stream) -> Bounds:
            known = bounds[stream.name]
            if not self._clocked(stream.name):
                return known
            return replace(known, columns=(*known.columns, Bound(self._batch + 1)))

        return Limits(clocks, self._evaluated, self._meaning_of)

    def _released(self, known: Bounds, limits: Limits) -> RowBuffer:
        """The rows between the bound before and the new one; at the end all that are left."""
        before, limit = self._given, None
        if self._leading is not None:
            at = _time_of(known.columns[self._leading.place])
            limit = at if before is None else before if at is None else self._later(before, at)
        led = self._with_moments(limits)
        types = types_of(row_type(self.query))
        nothing = limit is None and not self._strays
        if not known.ended and limit == before and (nothing or not self._prompt):
            return RowBuffer(types)
        self._given = limit
        if self._ended or not any(each.count for each in self._kept.values()):
            return RowBuffer(types)
        ended = known.ended
        if self._framed:
            return self._released_in_frame(led, types, before, None if ended else limit)
        plan: Plan = Delta(self._plan)
        if led is not None:
            plan = between(led, before, None if ended else limit, self._batch)
            plan = by_time(plan, led.place) if led.by_time else plan
        return RowBuffer.of(types, (row[: len(types)] for row in self._evaluated(plan)))

    def _with_moments(self, limits: Limits) -> Leading | None:
        """The leading plan over what is kept, with moments where rows can come at the bound."""
        led = self._leading
        if led is None or not self._prompt:
            return led and replace(led, plan=self._folding.applied(led.plan))
        history = History(self._batch, self._reached)
        plan = self._moments(history, limits)
        assert plan is not None, "what is known of bounds makes no row wait"
        self._reached = tuple(history.now)
        return replace(led, plan=plan, prompt=True, strays=self._strays)

    def _moments(self, history: History, limits: Limits | None) -> Plan | None:
        plan = Moments(history, limits, self._folding).of(self._plan, Context(self.query))
        return None if plan is None else self._folding.applied(plan)

    def _released_in_frame(
        self,
        led: Leading | None,
        types: tuple[Type, ...],
        before: int | None,
        limit: int | None,
    ) -> RowBuffer:
        """The same as a frame, which is made when it is asked for.

        By then what is kept may be on its way to a file: neither waits for the other.
        """
        translator = self._translator()
        if led is None:
            plan: Plan = Delta(self._plan)
            make = partial(whole, plan, translator, types)
        else:
            plan = led.plan
            part = Part(led, before, limit, self._batch, self._start, self.retained)
            make = partial(part.of, translator, types)
        read = list(scans(plan))
        totals = self._folding.types
        if any(e.reads is not Reads.STREAM and e.source.name not in totals for e in read):
            return make()  # tables and histories are others after the step
        for each in read:
            translator.source(each)  # from now on it knows the rows that there are now
        return RowBuffer.deferred(types, make)

    def _later(self, a: int, b: int) -> int:
        """Of two bounds the one further on."""
        descending = self._leading is not None and self._leading.descending
        return min(a, b) if descending else max(a, b)

    # --- what is kept ---------------------------------------------------------------------------

    def _clocked(self, name: QualifiedName) -> bool:
        """Whether the rows of a stream have the hidden clock behind them: they tell no time."""
        return any(
            each.source.name == name and isinstance(each.source.columns[-1].name, HiddenName)
            for each in scans(self._plan)
        )

    def _numbered(self, name: QualifiedName) -> bool:
        """Whether the rows of a stream have the micro-batch in which they came behind them."""
        return self._prompt or self._clocked(name)

    def types_kept(self, name: QualifiedName) -> tuple[Type, ...]:
        """The types of the rows that are kept of a stream, or of totals."""
        if name in self._folding.types:
            return self._folding.types[name]
        stream = self.streams[name]
        if self._clocked(name):
            stream = clocked(stream)
        elif self._prompt:
            stream = numbered(stream)
        return tuple(each.type for each in stream.columns)

    def _store(self, name: QualifiedName) -> RowBuffer:
        if name not in self._kept:
            self._kept[name] = RowBuffer(self.types_kept(name))
        return self._kept[name]

    def _take(self, name: QualifiedName, new: RowBuffer) -> None:
        """Put the rows that have come behind those that are kept."""
        store, numbered = self._store(name), self._numbered(name)
        if new.framed:
            ordered = ingress_of(self.streams[name]).bounds
            if self._given is None and new.least is not None:
                self._start = new.least if self._start is None else min(self._start, new.least)
            new = new.only(columns_read(self._plan)[name] | frozenset(ordered))
            if numbered:
                new = new.with_value(self._batch, self.types_kept(name)[-1])
            self._kept[name] = new.behind(store, self.contents.session)
            return
        if store.framed and store.counted and store.count <= _DRAWN:
            rows = store.rows() if store.count else ()
            store = self._kept[name] = RowBuffer.of(store.types, rows)
        for each in new.rows():
            store.append((*each, self._batch) if numbered else each)

    @property
    def _framed(self) -> bool:
        """Whether rows are evaluated where they are, in Spark."""
        stores = (*self._kept.values(), *self._folding.tables.values())
        return any(each.framed for each in stores)

    def _settle(self) -> None:
        """Write what is kept of the micro-batch before, if nobody has; see how much it is."""
        for name, store in self._kept.items():
            self._write(store, "-".join((*name, str(self._batch % 2))))
            self._left[name] = store.count
        for name, store in self._folding.tables.items():
            self._write(store, "-".join((*name, str(self._folding.turns % 2))))
        if self._fold_asked:
            self._folded, self._fold_asked = self.retained, False
        if self._asked:
            self._fewest, self._asked = self.retained, False
        for name in self._thinned:
            self._least[name] = self._kept[name].count
        self._thinned.clear()

    def _write(self, store: RowBuffer, place: str) -> None:
        """Put a frame's rows into a file, if nobody has."""
        if store.framed and not store.counted:
            if self._directory is None:
                self._directory = TemporaryDirectory(prefix="rowtime-")
            with failures():
                store.save(self.contents.session, f"{self._directory.name}/{place}")

    def _draw(self) -> None:
        """Take totals out of their files, if they are few, and what they are added to is, too."""
        if not any(each.framed for each in self._kept.values()):
            for name, store in self._folding.tables.items():
                if store.framed and store.counted and store.count <= _DRAWN:
                    self._folding.tables[name] = store.in_memory()

    def _retain(self, limits: Limits) -> None:
        """Let go the rows of which no row to come is made."""
        if self._given is None or self._leading is None:
            return
        if self._folding.folds and self.retained > max(_FEW, 2 * self._folded):
            self._fold(self._given, limits)
        if self._retention is None:
            self._retention = self._folding.retention()
        for name, store in list(self._kept.items()):
            first = self._given + (1 if self._at_once else 0)
            since = self._retention.since(name, first, self.constant)
            time = -1 if self._clocked(name) else ingress_of(self.streams[name]).rowtime
            if time is not None and since is not None and not self._has_monotonic:
                if self._since.get(name) != since:
                    self._keep_since(name, time, since)
                    self._since[name] = since
            elif store.count > max(_FEW, 2 * self._least.get(name, 0)):
                self._keep_needed(name, self._leading, self._given, limits)
                self._thinned.add(name)

    def _fold(self, given: int, limits: Limits) -> None:
        """Let totals stand for rows that are past; `_retain` then lets those go."""

        def final(fold: Fold) -> int | None:
            window = fold.window
            known = limits.of(window.input, Context(window), exact=True)
            # Of rows of which nothing is known any time can come.
            at = MAX_TIMESTAMP if known.ended else _time_of(known.columns[fold.time])
            if at is not None and fold.peers:
                first = _time_of(limits.first_of_peers(window, fold.time, fold.peers))
                at = at if first is None else min(at, first)
            return MIN_TIMESTAMP if at is None else at

        def progress_at(fold: Fold, cut: int) -> ProgressOf:
            window = fold.window
            columns: list[Bound | None] = [None] * len(row_type(window.input))
            columns[fold.time] = Bound(cut)
            return limits.progress_at(window, Bounds(tuple(columns)))

        self._fold_asked = True
        with failures():
            cuts = self._folding.next_cuts(given, final, self.constant)
            made = self._folding.contents(cuts, progress_at)
            tables = {name: self._totals(plan) for name, plan in made}
        if cuts != self._folding.cuts:
            self._folding.take(cuts, tables)
            self._retention = None

    def _totals(self, plan: Plan) -> RowBuffer:
        """The rows of a table of totals, whose order is open."""
        types = types_of(row_type(plan))
        if not self._framed:
            return RowBuffer.of(types, self._evaluated(plan))
        frame = self._translator().translate(self._folding.applied(plan)).frame
        frame = frame.withColumn(ARRIVAL, F.lit(0).cast("bigint"))
        return RowBuffer.of_frame(frame, types, numbers=1)

    def _keep_since(self, name: QualifiedName, place: int, since: int) -> None:
        """Let go the rows whose time, at ``place``, is before ``since``."""
        store = self._kept[name]
        if store.framed:
            place %= len(store.types)
            time = F.col(column_name(place))
            later = time >= non_inlined(since, time)
            kept = store.where(later, self.contents.session)
            self._kept[name] = kept.likely(self._left.get(name))
        else:
            self._keep(name, (_at_least(row[place], since) for row in store.rows()))

    def _keep_needed(self, name: QualifiedName, led: Leading, given: int, limits: Limits) -> None:
        """Let go what is not needed, where no rowtime tells."""
        context = Context(self.query)
        with failures():
            plan = needed_rows(
                self._plan, led.place, context, name, given, limits, descending=led.descending
            )
            if plan is None:
                return
            if self._framed:
                rows = self._translator().translate(plan).frame
                self._kept[name] = self._kept[name].at(rows, self.contents.session)
                return
            places = {value for (value,) in self._evaluated(plan)}
        self._keep(name, (i in places for i in range(self._kept[name].count)))

    def _keep(self, name: QualifiedName, which: Iterable[bool]) -> None:
        """Let a stream have those of its rows that ``which`` says, in order."""
        old = self._kept[name]
        new = RowBuffer(old.types)
        for row, kept in zip(old.rows(), which, strict=True):
            if kept:
                new.append(row)
        old.close()
        self._kept[name] = new

    def _forget(self) -> None:
        for each in self._kept.values():
            each.close()
        self._kept.clear()
        self._folding.forget()
        self._retention = None
        self._left.clear()
        self._since.clear()
        self._thinned.clear()
        self._start = None

    # --- evaluation -----------------------------------------------------------------------------

    def _evaluated(self, plan: Plan) -> Sequence[Row]:
        """The rows of a plan over what is kept: one query of Spark."""
        plan = self._folding.applied(plan)
        translator = (
            self._translator()
            if any(True for _ in scans(plan))
            else self._translator_of_constants()
        )
        types = types_of(row_type(plan))
        frame = in_order(translator.translate(plan))
        if not translator.small:
            return list(collected(frame, types))
        return [row_values(types, each) for each in frame.collect()]

    def _translator(self) -> Translator:
        """An evaluation in which streams have the rows that are kept."""
        base = self.contents.translator()
        count = self.contents.count() + self.retained
        if self._framed:
            tune_micro_batch(base.session)
        else:
            tune(base.session, count)
        known: dict[QualifiedName, Relation] = {}

        def source(scan: Scan) -> Relation:
            width = len(scan.source.columns)
            if scan.source.name[-1] is PLACED:
                rows = self._store(scan.source.name[:-1]).relation(base.session)
                return placed(first_columns(rows, width - 1))
            if scan.source.name[-1] is SO_FAR:
                return first_columns(
                    self._store(scan.source.name[:-1]).relation(base.session), width
                )
            if scan.source.name in self._folding.types:
                if scan.source.name not in known:
                    store = self._folding.store(scan.source.name)
                    known[scan.source.name] = store.relation(base.session)
                return known[scan.source.name]
            if scan.reads is not Reads.STREAM:
                return base.source(scan)
            stream = scan.source
            assert isinstance(stream, Stream), "only streams pass"
            if stream.name not in known:
                known[stream.name] = self._store(stream.name).relation(base.session)
            return first_columns(known[stream.name], width)

        return replace(base, source=source, small=count < MANY_ROWS and not self._framed)

    def _translator_of_constants(self) -> Translator:
        """An evaluation of an expression without columns, which reads no rows."""
        base = self.contents.translator()
        tune(base.session, 0)
        return replace(base, small=True)

    def _meaning_of(self, expression: Expression) -> "_Meaning":
        return _Meaning(expression, self)

    def constant(self, expression: Expression) -> Value:
        """The value of an expression without columns; those of bounds are asked again and again."""
        key = (self.contents.now, expression)
        if key not in self._values:
            if len(self._values) >= _REMEMBERED:
                self._values.clear()
            plan = Project(ValuesOf(((),), ()), (expression,), ("VALUE",))
            with failures():
                ((value,),) = self._evaluated(plan)
            self._values[key] = value
        return self._values[key]


@dataclass(frozen=True, slots=True)
class _Meaning:
    """The function from a row to the value of an expression, as Spark computes it."""

    expression: Expression
    engine: Engine

    def __call__(self, row: tuple[Value, ...]) -> Value:
        def at(leaf: Expression) -> Expression:
            return Literal(row[leaf.index], leaf.type) if isinstance(leaf, InputRef) else leaf

        return self.engine.constant(rewritten(self.expression, at))


def _time_of(bound: Bound | None) -> int | None:
    """The time that a bound is, in milliseconds."""
    if bound is None or bound.value is None:
        return None
    assert isinstance(bound.value, int), "a bound of a TIMESTAMP is whole"
    return bound.value


def _at_least(value: Value, least: int) -> bool:
    return isinstance(value, int) and value >= least
