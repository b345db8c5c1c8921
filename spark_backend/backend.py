"""Spark as a backend of the kit: it stores the rows, and evaluates a query when its input ends."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from algebra.catalog import Profile, Stream, Table, row_type_of
from algebra.explain import explain
from algebra.functions.datetimes import parse_timestamp
from algebra.modify import Delete, Modify
from algebra.monotonicity.columns import column_monotonicity
from algebra.plan import Changes, Delta, Plan, row_type
from algebra.prepare import Prepared, prepare
from algebra.wire import to_wire
from grammar.source import SqlError, located
from spark_backend.data.answers import Answers, Conversation
from spark_backend.data.changes import (
    NOT_THERE,
    ValidRows,
    changes_reader,
    differences,
    is_changing,
)
from spark_backend.data.contents import Contents
from spark_backend.data.ingress import BadRowError, Ingress, Refusal, ingress_of, internal_rows
from spark_backend.data.input import Arrivals, Arrived, Input, relation_named
from spark_backend.data.row_buffer import CHUNK
from spark_backend.data.standing import (
    RefusedRow,
    in_dependency_order,
    judged,
    read_by,
    run_standing,
    run_step,
)
from spark_backend.relation import types_of
from spark_backend.runtime.failure_location import located_in
from spark_backend.runtime.failures import SparkFailure
from spark_backend.runtime.session import SMALL_JVM, spark_session
from spark_backend.types import Row
from tck.protocol import (
    Accepted,
    Bound,
    CloseProducer,
    ColumnInfo,
    Elapse,
    End,
    Event,
    Hello,
    LateRow,
    Load,
    Now,
    Open,
    OpenProducer,
    Output,
    Refused,
    Rows,
    SqlWarning,
    Unsupported,
    WireRow,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: The name of a gap: most errors of Spark have no place in the text of the query.
FAILURE_PLACES: Final = "failure-places"
NO_PLACES: Final = "Spark says what failed; the place is known if only one expression can fail so"

#: The features that the backend lacks, each with the reason.
GAPS: Final = {
    "metadata": "Spark deduces no collation, latency or state of a streaming plan",
    FAILURE_PLACES: NO_PLACES,
    "moving-clock": "Spark reads the clock when all input has ended, not as each row passes",
    "changing-tables": "Spark reads a table when all input has ended, not as each row passes",
    "producers": "Spark reads a stream when all input has ended, not as its producers come and go",
}

#: The outputs of relational queries over few rows in this process, by the messages before them.
ANSWERS: Final[Answers[Output]] = Answers()


@dataclass(slots=True)
class _Session:
    """An open query: its inputs, the rows dropped so far (``late``), and the messages about it.

    ``warnings`` has the refused bounds.  ``ended``: all inputs have ended.  ``conversation`` is the
    key under which the answer is cached.  ``inputs`` has the session's own input of each table and
    stream, by name.  ``events`` is the number of events so far, and ``rows`` the number of rows fed
    to each table and stream.  ``answered``: the rows of the query have been returned.  ``shown``
    has the result rows of a changelog at the last poll.
    """

    request: Open
    prepared: Prepared
    contents: Contents
    inputs: dict[str, Input] = field(default_factory=dict[str, Input])
    late: list[LateRow] = field(default_factory=list[LateRow])
    warnings: list[SqlWarning] = field(default_factory=list[SqlWarning])
    events: int = 0
    rows: Counter[str] = field(default_factory=Counter[str])
    ended: bool = False
    answered: bool = False
    shown: list[WireRow] = field(default_factory=list[WireRow])
    conversation: Conversation = field(default_factory=Conversation)


class SparkBackend:
    """A `tck.protocol.Backend` of tier ``final``: Spark's batch engine over the recorded input."""

    def __init__(self, conf: Mapping[str, str] = SMALL_JVM) -> None:
        self._conf = conf
        self._spark: SparkSession | None = None
        self._open: _Session | None = None

    def start(self) -> Hello:
        """Start Spark, or use the active session; return the backend's name, version and tier."""
        self._spark = spark_session(conf=self._conf)
        version = str(self._spark.version)
        profiles = tuple(str(each) for each in Profile)
        return Hello("spark", version, "Python", "final", profiles, GAPS)

    def open(self, request: Open) -> Accepted | Refused | Unsupported:
        """Bind a query, and run the script's relational statements.

        Return its columns, or a refusal.
        """
        try:
            prepared = prepare(request.ddl, request.sql, Profile(request.profile))
        except SqlError as error:
            self.close()
            return _refused(error, request)
        return self.open_prepared(request, prepared)

    def open_prepared(self, request: Open, prepared: Prepared) -> Accepted | Refused | Unsupported:
        """Open a query that is bound already: ``prepared`` is that of ``request``."""
        assert self._spark is not None, "start comes first"
        self.close()
        try:
            in_dependency_order(prepared.standing)
            contents = Contents(self._spark, now=0)  # until it is set (S-106)
            late = [each for step in prepared.steps for each in _run(step, contents)]
        except SqlError as error:
            return _refused(error, request)
        self._open = _Session(request, prepared, contents)
        self._open.conversation.add(request)
        self._note_refused(late)
        return _accepted(prepared.query)

    def feed(self, event: Event) -> None:
        """Take an event; rows are validated in batches of `CHUNK`."""
        session = self._current
        session.conversation.add(event, len(event.rows) if isinstance(event, Load | Rows) else 0)
        session.events += 1
        match event:
            case Load(object, rows):
                self._load(object, rows)
            case Rows(input, rows, producer, weights):
                sender = self._sender(input, producer)
                if weights or is_changing(sender.relation):
                    self._change(sender, rows, weights or (1,) * len(rows))
                else:
                    self._arrive(sender, rows)
            case Bound(input, at, strict, producer):
                sender = self._sender(input, producer)
                self._flush(sender)
                try:
                    sender.ingress.raise_bound(parse_timestamp(at), strict=strict)
                    sender.begun = True
                except SqlError as error:
                    warning = SqlWarning(session.events - 1, str(error.code), error.message)
                    session.warnings.append(warning)
            case OpenProducer() | CloseProducer():
                self._change_producers(event)
            case Now(at):
                session.contents.now = parse_timestamp(at)
            case Elapse():
                pass  # nothing reads a wall clock (S-106.b)
            case End(input):
                if input is not None:
                    sender = self._input(input)
                    self._flush(sender)
                    sender.ingress.ended = True
                session.ended = session.ended or input is None or self._all_ended()

    def poll(self) -> Output:
        """The rows dropped since the last poll; the first one after the end also has the result."""
        session = self._current
        must_answer = session.ended and not session.answered
        error: Refused | None = None
        rows: tuple[WireRow, ...] = ()
        weights: tuple[int, ...] = ()
        try:
            for each in session.inputs.values():
                self._flush(each)
            if self._changes_at_each_poll() and not session.answered:
                rows, weights = self._changed()
                session.answered = must_answer
            elif must_answer:
                rows = self._answer()
        except (SqlError, SparkFailure) as raised:
            error = self._failed(raised)
        late, session.late = tuple(session.late), []
        warnings, session.warnings = tuple(session.warnings), []
        bound = "end" if session.ended else None
        output = Output(rows, bound, late, error, warnings=warnings, weights=weights)
        if must_answer and not isinstance(session.prepared.query, Delta | Changes):
            ANSWERS.add(session.conversation, output)
        session.conversation.add("poll")
        return output

    def explain(self, row: int | None = None) -> str:
        """The plan of the open query; empty for a row, because Spark records no provenance."""
        query = self._current.prepared.query
        return "" if query is None or row is not None else explain(query)

    def close(self) -> None:
        """Discard the query, and delete its files."""
        if self._open is not None:
            self._open.contents.close()
            self._open = None

    def stop(self) -> None:
        """Discard the query; the Spark session stays, for other users in this process."""
        self.close()

    # --- rows ---------------------------------------------------------------------------------

    @property
    def _current(self) -> _Session:
        assert self._open is not None, "open comes first"
        return self._open

    def _input(self, name: str) -> Input:
        """The session's own input of a table or stream."""
        session = self._current
        if name not in session.inputs:
            relation = relation_named(session.prepared.catalog, name)
            session.inputs[name] = Input(relation, ingress_of(relation))
        return session.inputs[name]

    def _sender(self, name: str, producer: str | None) -> Input:
        """The sender to a table or stream; here only the session itself."""
        assert producer is None, GAPS["producers"]
        return self._input(name)

    def _change_producers(self, event: OpenProducer | CloseProducer) -> None:
        """Open or close a producer; this backend does not have producers."""
        raise ValueError(f"{event.producer}: {GAPS['producers']}")

    def _load(self, name: str, rows: tuple[WireRow, ...]) -> None:
        """Store rows from before the session, if the ingress accepts them.

        They raise the input's bounds, but its ingress does not count them as arrived.
        """
        sender = self._input(name)
        ingress = Ingress(sender.relation, sender.ingress.bounds, sender.ingress.rowtime)
        store = self._current.contents.of(sender.relation).before
        for row in self._judge(sender, ingress, Arrivals.of(self._typed(sender, ingress, rows))):
            store.append(row)

    def _change(self, sender: Input, rows: tuple[WireRow, ...], weights: tuple[int, ...]) -> None:
        """Insert and delete rows of a stream WITH CHANGES, one by one; report the dropped rows.

        A weight of 1 inserts a row, -1 deletes one.  Each event writes the whole contents again.
        """
        session, relation = self._current, sender.relation
        fed, name = session.rows, ".".join(relation.name)
        contents = session.contents.of(relation)
        # None: the input is a stream without changes, whose rows are only added.
        valid = ValidRows(relation, contents.rows()) if isinstance(relation, Table) else None
        read = changes_reader(relation) if isinstance(relation, Table) else None
        for offered, weight in zip(rows, weights, strict=True):
            place = fed[name]
            fed[name] += 1
            values_of = None if read is None else partial(read, weight)
            for arrived in self._typed(sender, sender.ingress, (offered,), place, values_of):
                if valid is None or (weight < 0 and not is_changing(relation)):
                    self._note_bad(relation, offered, "rows are only added", place)
                elif weight < 0 and not valid.delete(arrived.row):
                    self._note_bad(relation, offered, NOT_THERE, place)
                elif weight > 0:
                    for accepted in self._judge(sender, sender.ingress, Arrivals.of([arrived])):
                        valid.insert(accepted)
        if valid is not None:
            contents.replace(valid.rows)

    def _note_bad(self, to: Table | Stream, row: WireRow, reason: str, place: int) -> None:
        """Report a dropped row as BAD_ROW; ``place`` is its place among all rows fed to ``to``."""
        self._current.late.append(LateRow(".".join(to.name), row, place, "BAD_ROW", reason))

    def _arrive(self, sender: Input, rows: tuple[WireRow, ...]) -> None:
        """Read rows, and let them wait for their validation; validate when `CHUNK` rows wait."""
        fed, name = self._current.rows, ".".join(sender.relation.name)
        for start in range(0, len(rows), CHUNK):
            part, first = rows[start : start + CHUNK], fed[name]
            values = None if sender.implicit else internal_rows(sender.types, part)
            if values is not None:
                sender.pending.extend(part, values, first)
            else:
                for row in self._typed(
                    sender, sender.ingress, part, first, flush_before_refusal=True
                ):
                    sender.pending.append(row)
            fed[name] += len(part)
            if len(sender.pending.rows) >= CHUNK:
                self._flush(sender)

    def _typed(
        self,
        sender: Input,
        ingress: Ingress,
        rows: tuple[WireRow, ...],
        first: int = 0,
        read: Callable[[WireRow], Row] | None = None,
        *,
        flush_before_refusal: bool = False,
    ) -> Iterator[Arrived]:
        """The rows with the right number and types of values; ``ingress`` drops the others.

        ``first`` is the place of the first row among all rows fed to the relation.  A change
        has its own reader, ``read``, because a deleted row needs values in its key only.
        ``flush_before_refusal``: validate the pending rows before a row is reported as dropped.
        """
        values_of = read or sender.read
        for place, row in enumerate(rows, first):
            try:
                values = values_of(self._whole(sender, row) if sender.implicit else row)
            except BadRowError as reason:
                if flush_before_refusal:
                    self._flush(sender)
                self._note(sender.relation, row, ingress.refuse(str(reason)), place)
            else:
                yield Arrived(row, values, place)

    def _whole(self, sender: Input, row: WireRow) -> WireRow:
        """The row, with the session's clock as implicit ROWTIME if that is left out (S-604)."""
        columns = sender.relation.columns
        if not sender.implicit or len(row) != len(columns) - len(sender.implicit):
            return row
        values = list(row)
        for place in sender.implicit:
            type = columns[place].type
            values.insert(place, to_wire(type, self._current.contents.now))
        return tuple(values)

    def _flush(self, sender: Input) -> None:
        """Validate the pending rows, and store those that are accepted."""
        if sender.pending.rows:
            pending, sender.pending = sender.pending, Arrivals()
            accepted = self._judge(sender, sender.ingress, pending)
            self._store(sender, accepted)
            sender.begun = sender.begun or bool(accepted)

    def _store(self, sender: Input, rows: Sequence[Row]) -> None:
        """Store accepted rows.

        An implicit rowtime is the bound of the stream (S-311.b).  A stream that statements feed has
        no such bound, because statements do not report a bound of rows without a rowtime.
        """
        relation, session = sender.relation, self._current
        contents, rowtime = session.contents.of(relation), Row()
        store, fed = contents.passed, {each.target.name for each in session.prepared.standing}
        gets_rowtime = sender.ingress.rowtime is None and relation.name not in fed
        if isinstance(relation, Stream) and gets_rowtime:
            store, rowtime = contents.timed(relation), (sender.ingress.arrival.bound,)
        for row in rows:
            store.append((*row, *rowtime))

    def _judge(self, sender: Input, ingress: Ingress, arrived: Arrivals) -> list[Row]:
        """The rows that the ingress accepts; the others are reported."""
        accepted, refused = judged(sender.relation, ingress, arrived.rows, self._current.contents)
        for number, each in refused:
            self._note(sender.relation, arrived.wire[number], each, arrived.places[number])
        return accepted

    def _note(self, to: Table | Stream, row: WireRow, refusal: Refusal, place: int | None) -> None:
        """Report a dropped row; ``place`` is as in `_note_bad`, None for a row of a statement."""
        name, code = ".".join(to.name), str(refusal.code)
        self._current.late.append(LateRow(name, row, place, code, refusal.reason))

    def _note_refused(self, refused: Sequence[RefusedRow]) -> None:
        """Report rows of statements that their targets have refused."""
        for each in refused:
            types = types_of(row_type_of(each.target))
            row = tuple(to_wire(t, v) for t, v in zip(types, each.row, strict=True))
            self._note(each.target, row, each.refusal, None)

    def _failed(self, error: SqlError | SparkFailure) -> Refused:
        """A run-time error as a message, with its location if only one expression can raise it."""
        if isinstance(error, SparkFailure):
            return Refused("BACKEND_ERROR", str(error), rendered=str(error))
        prepared = self._current.prepared
        plans = [each.input for each in prepared.standing]
        return _refused(located_in(error, *plans, prepared.query), self._current.request)

    # --- the result ---------------------------------------------------------------------------

    def _all_ended(self) -> bool:
        """Whether the inputs of all streams that are read have ended.

        A stream into which statements write has an input only if the session has sent rows or a
        bound to it, or a producer has opened (S-603).
        """
        session = self._current
        prepared = session.prepared
        plans = [each.input for each in prepared.standing]
        plans += [prepared.query] if prepared.query is not None else []
        read = {name for plan in plans for name in read_by(plan)}
        fed = {each.target.name for each in prepared.standing}
        for each in session.inputs.values():
            self._flush(each)
        inputs = session.inputs.values()
        own = {each.relation.name for each in inputs if each.begun or each.merges}
        streams = {
            name
            for name in (read - fed) | (fed & own)
            if isinstance(prepared.catalog.objects.get(name), Stream)
        }
        ended = {each.relation.name for each in session.inputs.values() if each.ingress.ended}
        return streams <= ended

    def _answer(self) -> tuple[WireRow, ...]:
        """Run the standing statements; return the rows of the query, if there is one."""
        session = self._current
        session.answered = True
        prepared, contents = session.prepared, session.contents
        self._run_standing()
        if prepared.query is None:
            return ()
        types = types_of(row_type(prepared.query))
        return tuple(
            tuple(to_wire(t, v) for t, v in zip(types, row, strict=True))
            for row in contents.rows(prepared.query)
        )

    def _changes_at_each_poll(self) -> bool:
        """Whether each poll returns the changes of a changelog; here only the last poll does."""
        return False

    def _changed(self) -> tuple[tuple[WireRow, ...], tuple[int, ...]]:
        """Evaluate the query again; return the rows gained and lost since the last poll."""
        query = self._current.prepared.query
        assert query is not None, "only a query has changes"
        return self._changed_to(self._current.contents.rows(query))

    def _changed_to(self, rows: Iterable[Row]) -> tuple[tuple[WireRow, ...], tuple[int, ...]]:
        """The changes from the result at the last poll to ``rows``, the result now."""
        session = self._current
        assert session.prepared.query is not None, "only a query has changes"
        types = types_of(row_type(session.prepared.query))
        now = [tuple(to_wire(t, v) for t, v in zip(types, row, strict=True)) for row in rows]
        changes = differences(now, session.shown)
        session.shown = now
        return tuple(row for row, _ in changes), tuple(weight for _, weight in changes)

    def _run_standing(self) -> None:
        """Run the script's standing statements on all input."""
        session = self._current
        self._note_refused(run_standing(session.prepared.standing, session.contents))


# --- messages ---------------------------------------------------------------------------------


def large_backend() -> SparkBackend:
    """The backend with Java's own defaults, for `rowtime run`: its data may be large."""
    return SparkBackend({})


def _accepted(query: Plan | None) -> Accepted:
    """The reply to an accepted query; None: the script has no query."""
    if query is None:
        return Accepted(streaming=False, columns=())
    fields = row_type(query)
    columns = tuple(ColumnInfo(f.name, str(f.type), f.type.nullable) for f in fields)
    streaming = isinstance(query, Delta | Changes)
    orders = column_monotonicity(query) if isinstance(query, Delta) else ()
    named = {f.name: str(each) for f, each in zip(fields, orders, strict=False)}
    return Accepted(streaming, columns, named)


def _refused(error: SqlError, request: Open) -> Refused:
    """The reply to a query that is rejected, or that fails, with the place in its text."""
    at = (error.at.start, error.at.end)
    in_ddl = bool(error.sql) and error.sql == request.ddl and error.sql != request.sql
    return Refused(str(error.code), error.message, at, in_ddl, error.hint, str(error))


def _run(step: Modify, contents: Contents) -> list[RefusedRow]:
    """`run_step`; an error is located at the only expression that can raise it, or at ``step``."""
    try:
        return run_step(step, contents)
    except SqlError as error:
        whole = None if isinstance(step, Delete) else step.location
        raise located(located_in(error, step), whole) from None
