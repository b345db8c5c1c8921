"""Spark as a backend of the kit: rows are stored, and queries evaluated when input has ended."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from algebra.catalog import Catalog, Profile, Stream, Table, row_type_of
from algebra.explain import explain
from algebra.functions.datetimes import parse_timestamp
from algebra.monotonicity.columns import column_monotonicity
from algebra.plan import Delete, Delta, Modify, Plan, row_type
from algebra.prepare import Prepared, prepare
from algebra.wire import to_wire
from grammar.source import SqlError, located
from spark_backend.data.answers import Answers, Conversation
from spark_backend.data.contents import Contents
from spark_backend.data.ingress import BadRowError, Ingress, Refusal, ingress_of, typed
from spark_backend.data.row_buffer import CHUNK, RowBuffer
from spark_backend.data.standing import in_dependency_order, read_by, run_standing, run_step
from spark_backend.relation import types_of
from spark_backend.runtime.failure_location import located_in
from spark_backend.runtime.failures import SparkFailure
from spark_backend.runtime.session import SMALL_JVM, spark_session
from spark_backend.types import Row
from tck.protocol import (
    Accepted,
    Bound,
    ColumnInfo,
    End,
    Event,
    Hello,
    LateRow,
    Load,
    Now,
    Open,
    Output,
    Refused,
    Rows,
    WireRow,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Spark's errors say what failed, and not where in our text.
FAILURE_PLACES: Final = "failure-places"
NO_PLACES: Final = "Spark says what failed; the place is known if only one expression can fail so"

#: What the backend has not, by the name of the feature, with the reason.
GAPS: Final = {
    "metadata": "Spark deduces no collation, latency or state of a streaming plan",
    FAILURE_PLACES: NO_PLACES,
    "moving-clock": "Spark reads the clock when all input has ended, not as each row passes",
    "changing-tables": "Spark reads a table when all input has ended, not as each row passes",
}

#: The outputs of relational queries over few rows in this process, by the messages before them.
ANSWERS: Final[Answers[Output]] = Answers()

#: A row on the wire, and the values inside.
Arrived = tuple[WireRow, Row]


@dataclass(slots=True)
class _Input:
    """One table or stream that rows are fed to: its ingress, and the rows not yet validated.

    ``pending``: rows of the right types, each with its form on the wire.
    """

    relation: Table | Stream
    ingress: Ingress
    pending: list[Arrived] = field(default_factory=list[Arrived])
    ended: bool = False


@dataclass(slots=True)
class _Session:
    """An open query: its inputs, the rows dropped so far, and the messages about it."""

    request: Open
    prepared: Prepared
    contents: Contents
    inputs: dict[str, _Input] = field(default_factory=dict[str, _Input])
    late: list[LateRow] = field(default_factory=list[LateRow])
    ended: bool = False
    answered: bool = False
    error: Refused | None = None
    conversation: Conversation = field(default_factory=Conversation)


class SparkBackend:
    """A `tck.protocol.Backend` of tier ``final``: Spark's batch engine over the recorded input."""

    def __init__(self, conf: Mapping[str, str] = SMALL_JVM) -> None:
        self._conf = conf
        self._spark: SparkSession | None = None
        self._open: _Session | None = None

    def start(self) -> Hello:
        """Start Spark, or take the active session; the backend's name, version and tier."""
        self._spark = spark_session(conf=self._conf)
        version = str(self._spark.version)
        profiles = tuple(str(each) for each in Profile)
        return Hello("spark", version, "Python", "final", profiles, GAPS)

    def open(self, request: Open) -> Accepted | Refused:
        """Bind a query, and run the script's relational statements; its columns, or a refusal."""
        assert self._spark is not None, "start comes first"
        self.close()
        try:
            prepared = prepare(request.ddl, request.sql, Profile(request.profile))
            in_dependency_order(prepared.standing)
            contents = Contents(self._spark, now=0)  # until it is set (S-106)
            for step in prepared.steps:
                _run(step, contents)
        except SqlError as error:
            return _refused(error, request)
        self._open = _Session(request, prepared, contents)
        self._open.conversation.add(request)
        return _accepted(prepared.query)

    def feed(self, event: Event) -> None:
        """Take an event; rows are validated `CHUNK` by `CHUNK`."""
        session = self._current
        session.conversation.add(event, len(event.rows) if isinstance(event, Load | Rows) else 0)
        match event:
            case Load(object, rows):
                self._load(object, rows)
            case Rows(input, rows):
                self._arrive(self._input(input), rows)
            case Bound(input, at, strict):
                to = self._input(input)
                self._flush(to)
                try:
                    to.ingress.raise_bound(parse_timestamp(at), strict=strict)
                except SqlError as error:
                    session.error = session.error or self._failed(error)
            case Now(at):
                session.contents.now = parse_timestamp(at)
            case End(input):
                if input is not None:
                    self._input(input).ended = True
                session.ended = session.ended or input is None or self._all_ended()

    def poll(self) -> Output:
        """The rows dropped since the last poll; once, when input has ended, the query's rows."""
        session = self._current
        answers = session.ended and not session.answered
        error, session.error = session.error, None
        rows: tuple[WireRow, ...] = ()
        try:
            for each in session.inputs.values():
                self._flush(each)
            if answers:
                rows = self._answer()
        except (SqlError, SparkFailure) as raised:
            error = self._failed(raised)
        late, session.late = tuple(session.late), []
        output = Output(rows, "end" if session.ended else None, late, error)
        if answers and not isinstance(session.prepared.query, Delta):
            ANSWERS.add(session.conversation, output)
        session.conversation.add("poll")
        return output

    def explain(self, row: int | None = None) -> str:
        """The plan of the open query; empty for a row, since Spark records no provenance."""
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

    def _input(self, name: str) -> _Input:
        session = self._current
        if name not in session.inputs:
            relation = _found(session.prepared.catalog, name)
            session.inputs[name] = _Input(relation, ingress_of(relation))
        return session.inputs[name]

    def _load(self, name: str, rows: tuple[WireRow, ...]) -> None:
        """Store rows from before the session, those that are accepted."""
        to = self._input(name)
        ingress = Ingress(to.relation, to.ingress.bounds, to.ingress.rowtime)
        sound, store = self._typed(to, ingress, rows), self._current.contents.of(to.relation).before
        self._judge(to, ingress, sound, store)

    def _arrive(self, to: _Input, rows: tuple[WireRow, ...]) -> None:
        for start in range(0, len(rows), CHUNK):
            for row in rows[start : start + CHUNK]:
                sound = self._typed(to, to.ingress, (row,), flush_before_refusal=True)
                to.pending += sound
            if len(to.pending) >= CHUNK:
                self._flush(to)

    def _typed(
        self,
        to: _Input,
        ingress: Ingress,
        rows: tuple[WireRow, ...],
        *,
        flush_before_refusal: bool = False,
    ) -> list[Arrived]:
        """The rows of the right width and type; the others are refused, in order of arrival."""
        types = types_of(row_type_of(to.relation))
        sound: list[Arrived] = []
        for row in rows:
            try:
                sound.append((row, typed(types, self._whole(to.relation, row))))
            except BadRowError as reason:
                if flush_before_refusal:
                    self._flush(to)
                self._note(to, row, ingress.refuse(str(reason)))
        return sound

    def _whole(self, relation: Table | Stream, row: WireRow) -> WireRow:
        """The row, with the session's clock as implicit ROWTIME if that is left out (S-604)."""
        implicit = [i for i, each in enumerate(relation.columns) if each.implicit]
        if not implicit or len(row) != len(relation.columns) - len(implicit):
            return row
        values = list(row)
        for place in implicit:
            type = relation.columns[place].type
            values.insert(place, to_wire(type, self._current.contents.now))
        return tuple(values)

    def _flush(self, to: _Input) -> None:
        """Validate the pending rows, and store those that are accepted."""
        if to.pending:
            pending, to.pending = to.pending, []
            store = self._current.contents.of(to.relation).passed
            self._judge(to, to.ingress, pending, store)

    def _judge(
        self,
        to: _Input,
        ingress: Ingress,
        rows: list[Arrived],
        store: RowBuffer,
    ) -> None:
        first = ingress.arrived
        checks = self._current.contents.checks(to.relation)
        accepted, refused = ingress.judge([each for _, each in rows], checks)
        for row in accepted:
            store.append(row)
        for each in refused:
            self._note(to, rows[each.place - first][0], each)

    def _note(self, to: _Input, row: WireRow, refusal: Refusal) -> None:
        name = ".".join(to.relation.name)
        late = LateRow(name, row, refusal.place, str(refusal.code), refusal.reason)
        self._current.late.append(late)

    def _failed(self, error: SqlError | SparkFailure) -> Refused:
        """A run-time error, located if only one expression of the open statements can raise it."""
        if isinstance(error, SparkFailure):
            return Refused("BACKEND_ERROR", str(error), rendered=str(error))
        prepared = self._current.prepared
        plans = [each.input for each in prepared.standing]
        return _refused(located_in(error, *plans, prepared.query), self._current.request)

    # --- the answer ---------------------------------------------------------------------------

    def _all_ended(self) -> bool:
        """Whether every stream that is read has ended.

        A stream that statements feed has an own input as well, if that has begun (S-603).
        """
        session = self._current
        prepared = session.prepared
        plans = [each.input for each in prepared.standing]
        plans += [prepared.query] if prepared.query is not None else []
        read = {name for plan in plans for name in read_by(plan)}
        fed = {each.target.name for each in prepared.standing}
        for each in session.inputs.values():
            self._flush(each)
        own = {each.relation.name for each in session.inputs.values() if each.ingress.begun}
        streams = {
            name
            for name in (read - fed) | (fed & own)
            if isinstance(prepared.catalog.objects.get(name), Stream)
        }
        ended = {each.relation.name for each in session.inputs.values() if each.ended}
        return streams <= ended

    def _answer(self) -> tuple[WireRow, ...]:
        session = self._current
        session.answered = True
        prepared, contents = session.prepared, session.contents
        for each in run_standing(prepared.standing, contents):
            relation = _found(prepared.catalog, ".".join(each.target))
            types = types_of(row_type_of(relation))
            row = tuple(to_wire(t, v) for t, v in zip(types, each.row, strict=True))
            code, reason = str(each.refusal.code), each.refusal.reason
            session.late.append(LateRow(".".join(each.target), row, None, code, reason))
        if prepared.query is None:
            return ()
        types = types_of(row_type(prepared.query))
        return tuple(
            tuple(to_wire(t, v) for t, v in zip(types, row, strict=True))
            for row in contents.rows(prepared.query)
        )


# --- messages ---------------------------------------------------------------------------------


def large_backend() -> SparkBackend:
    """The backend with Java's own defaults, for `rowtime run`: its data may be large."""
    return SparkBackend({})


def _accepted(query: Plan | None) -> Accepted:
    if query is None:
        return Accepted(streaming=False, columns=())
    fields = row_type(query)
    columns = tuple(ColumnInfo(f.name, str(f.type), f.type.nullable) for f in fields)
    streaming = isinstance(query, Delta)
    orders = column_monotonicity(query) if streaming else ()
    named = {f.name: str(each) for f, each in zip(fields, orders, strict=False)}
    return Accepted(streaming, columns, named)


def _refused(error: SqlError, request: Open) -> Refused:
    at = (error.at.start, error.at.end)
    in_ddl = bool(error.sql) and error.sql == request.ddl and error.sql != request.sql
    return Refused(str(error.code), error.message, at, in_ddl, error.hint, str(error))


def _run(step: Modify, contents: Contents) -> None:
    """`run_step`; an error is at the expression that must have raised it, else at the statement."""
    try:
        run_step(step, contents)
    except SqlError as error:
        whole = None if isinstance(step, Delete) else step.location
        raise located(located_in(error, step), whole) from None


def _found(catalog: Catalog, name: str) -> Table | Stream:
    """The table or stream with that dotted name; `KeyError` if there is none."""
    for found in catalog.objects.values():
        if ".".join(found.name) == name and isinstance(found, Table | Stream):
            return found
    raise KeyError(f"there is no table or stream {name}")
