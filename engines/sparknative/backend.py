"""Spark as its users write it, as a backend of the kit."""

import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pyspark.sql import DataFrame, SparkSession

from algebra.catalog import Profile, Stream, row_type_of
from algebra.modify import Insert, Modify
from algebra.parts.mentions import scans
from algebra.plan import Changes, Delta, Plan, Reads, Scan
from algebra.prepare import Prepared, prepare
from engines.dialect.unsupported import UnsupportedError
from engines.harness.spellings import read_spellings
from engines.sparknative.changelogs import OutputMode, WholeResult, output_mode
from engines.sparknative.gaps import GAPS
from engines.sparknative.inputs import StreamInput
from engines.sparknative.running import SPARK_ERRORS, RunningQuery, condition_of
from engines.sparknative.session import spark_session
from engines.sparknative.streaming import StreamPrinter, order_of
from engines.sparknative.streams import late_at_watermark, view_of
from engines.sparknative.types import collected, declared, frame_of
from grammar.source import SqlError
from tck.protocol import (
    Accepted,
    Bound,
    CloseProducer,
    Elapse,
    End,
    Event,
    Hello,
    Load,
    Now,
    Open,
    OpenProducer,
    Output,
    Refused,
    Rows,
    Unsupported,
    WireRow,
)

SPELLINGS: Final = Path(__file__).with_name("spellings.yaml")
#: The kit's codes for Spark's error conditions.
_CODES: Final = {
    "ARITHMETIC_OVERFLOW": "OVERFLOW",
    "BINARY_ARITHMETIC_OVERFLOW": "OVERFLOW",
    "CAST_OVERFLOW": "OVERFLOW",
    "NUMERIC_VALUE_OUT_OF_RANGE": "OVERFLOW",
    "NUMERIC_OUT_OF_SUPPORTED_RANGE": "OVERFLOW",
    "DATETIME_OVERFLOW": "OVERFLOW",
    "INTERVAL_ARITHMETIC_OVERFLOW": "OVERFLOW",
    "DIVIDE_BY_ZERO": "DIVISION_BY_ZERO",
    "INTERVAL_DIVIDED_BY_ZERO": "DIVISION_BY_ZERO",
    "REMAINDER_BY_ZERO": "DIVISION_BY_ZERO",
    "CAST_INVALID_INPUT": "INVALID_CAST",
    "SCALAR_SUBQUERY_TOO_MANY_ROWS": "SCALAR_SUBQUERY_ROWS",
}


@dataclass(slots=True)
class _Session:
    """An open query: its text, the streams that it reads, and the rows of all else.

    ``rows`` were emitted since the last poll; ``contents`` are by the names of the protocol.
    ``output`` is the mode of a changelog, and ``whole`` its result in complete mode.
    """

    prepared: Prepared
    folder: Path
    text: str = ""
    scans: list[Scan] = field(default_factory=list[Scan])
    contents: dict[str, list[WireRow]] = field(default_factory=dict[str, list[WireRow]])
    streams: dict[str, StreamInput] = field(default_factory=dict[str, StreamInput])
    running: RunningQuery | None = None
    rows: list[WireRow] = field(default_factory=list[WireRow])
    weights: list[int] = field(default_factory=list[int])
    output: OutputMode | None = None
    whole: WholeResult = field(default_factory=WholeResult)
    ended: bool = False
    answered: bool = False
    failed: Refused | None = None


class SparkNativeBackend:
    """A `tck.protocol.Backend` of tier ``bounded``; a relational query is a batch query."""

    def __init__(self) -> None:
        self._spellings = read_spellings(SPELLINGS)
        self._spark: SparkSession | None = None
        self._open: _Session | None = None

    def start(self) -> Hello:
        """Start Spark, or take the active session."""
        self._spark = spark_session()
        version = self._spark.version
        return Hello("sparknative", version, "Python", "bounded", ("calcite",), GAPS)

    def open(self, request: Open) -> Accepted | Refused | Unsupported:
        """Write the query in Spark's SQL and have it analysed; a streaming one is started."""
        assert self._spark is not None, "start comes first"
        self.close()
        try:
            prepared = prepare(request.ddl, request.sql, Profile(request.profile))
            folder = Path(tempfile.mkdtemp(prefix="sparknative-"))
            self._open = _Session(prepared, folder)
            return self._accepted(self._open, request)
        except SqlError as error:
            return Refused(str(error.code), error.message, rendered=str(error))
        except UnsupportedError as error:
            return Unsupported(error.reason)
        except SPARK_ERRORS as error:
            return _refused(error)

    def feed(self, event: Event) -> None:
        """Take an event; rows that arrive at a stream are written at the next poll."""
        session = self._current
        match event:
            case Load(name, rows):
                session.contents.setdefault(name, []).extend(rows)
            case Rows(name, rows):
                stream = session.streams.get(name)
                if stream is None:
                    session.contents.setdefault(name, []).extend(rows)
                    return
                if stream.beats:  # a bound counts for the rows after it
                    self._advance()
                for row in rows:
                    stream.add(row)
            case Bound(name, at, strict):
                if name in session.streams:
                    session.streams[name].beat(at, strict=strict)
            case Now() | Elapse() | OpenProducer() | CloseProducer():
                pass  # gaps
            case End(None):
                for each in session.streams.values():
                    each.end()
                session.ended = True
            case End(name):
                if name in session.streams:
                    session.streams[name].end()

    def poll(self) -> Output:
        """The rows of the micro-batches since the last poll; of a table, once, all rows."""
        self._advance()
        session = self._current
        rows, session.rows = tuple(session.rows), []
        weights, session.weights = tuple(session.weights), []
        bound = "end" if session.ended else None
        return Output(rows, bound, error=session.failed, weights=weights)

    def explain(self, row: int | None = None) -> str:
        """The query in Spark's SQL; empty for a row."""
        return self._current.text if row is None else ""

    def close(self) -> None:
        """Stop the query, and delete its folders."""
        if self._open is not None:
            if self._open.running is not None:
                self._open.running.stop()
            shutil.rmtree(self._open.folder, ignore_errors=True)
            self._open = None

    def stop(self) -> None:
        """Discard the query; the Spark session stays, for other users in this process."""
        self.close()

    # --- work -------------------------------------------------------------------------------------

    @property
    def _current(self) -> _Session:
        assert self._open is not None, "open comes first"
        return self._open

    def _accepted(self, session: _Session, request: Open) -> Accepted:
        if session.prepared.standing:
            raise UnsupportedError("a query in Spark has one sink")
        for step in session.prepared.steps:
            self._insert(session, step)
        query = session.prepared.query
        if query is None:
            return Accepted(streaming=False, columns=())
        session.text = self._spellings.find(request) or StreamPrinter().query(query)
        session.scans = list(scans(query))
        for scan in session.scans:
            if scan.reads is Reads.STREAM:
                assert isinstance(scan.source, Stream), "a table is not read as a stream"
                self._read_stream(session, scan.source, query)
        if isinstance(query, Changes):
            session.output = output_mode(query)
        key = None if session.output is None else session.output.key
        frame = self._analysed(session)
        return Accepted(isinstance(query, Delta | Changes), declared(frame.schema), key=key)

    def _insert(self, session: _Session, step: Modify) -> None:
        """Carry out an INSERT of the script."""
        if not isinstance(step, Insert) or step.upsert:
            raise UnsupportedError("a DataFrame of rows in memory is not updated")
        session.text = StreamPrinter().query(step.input)
        session.scans = list(scans(step.input))
        rows = collected(self._analysed(session))
        session.contents.setdefault(".".join(step.target.name), []).extend(rows)

    def _read_stream(self, session: _Session, stream: Stream, query: Plan) -> None:
        name = ".".join(stream.name)
        if name not in session.streams:
            folder = session.folder / f"stream-{len(session.streams)}"
            found = StreamInput(stream, folder, late_at_watermark(query))
            found.frame(self._session).createOrReplaceTempView(view_of(stream, Reads.STREAM))
            session.streams[name] = found

    def _analysed(self, session: _Session) -> DataFrame:
        """The query over the present rows of tables and histories."""
        for scan in session.scans:
            if scan.reads is not Reads.STREAM:
                rows = session.contents.get(".".join(scan.source.name), [])
                frame = frame_of(self._session, row_type_of(scan.source), rows)
                frame.createOrReplaceTempView(view_of(scan.source, scan.reads))
        return self._session.sql(session.text)

    @property
    def _session(self) -> SparkSession:
        assert self._spark is not None, "start comes first"
        return self._spark

    def _advance(self) -> None:
        """Run what has arrived, unless the query has failed; it may fail here."""
        session = self._current
        query = session.prepared.query
        if query is not None and session.failed is None:
            try:
                self._run(session, query)
            except SPARK_ERRORS as error:
                session.failed = _refused(error)

    def _run(self, session: _Session, query: Plan) -> None:
        """The micro-batches for the rows that have arrived.

        Tables are read once, when inputs have ended.
        """
        if not session.streams:
            if session.ended and not session.answered:
                session.answered = True
                session.rows += collected(self._analysed(session))
            return
        if session.running is None:
            checkpoint = session.folder / "checkpoint"
            frame = self._analysed(session)
            mode = "append" if session.output is None else session.output.mode
            session.running = RunningQuery(frame, checkpoint, order_of(query), mode)
        flushed = [each.flush() for each in session.streams.values()]
        if not any(flushed):
            return
        rows = session.running.run()
        if session.output is None:
            session.rows += rows
            return
        whole = session.output.mode == "complete"
        changes = session.whole.changes(rows) if whole else [(row, 1) for row in rows]
        session.rows += [row for row, _ in changes]
        session.weights += [weight for _, weight in changes]


def _refused(error: Exception) -> Refused:
    """Spark's error as the protocol has it: the condition, and the first line of the message.

    Further lines are the stack of the process that ran the query.
    """
    condition = condition_of(error)
    text = f"{condition}: {str(error).partition(chr(10))[0]}"
    return Refused(_CODES.get(condition, "NOT_SUPPORTED"), text, rendered=text)
