"""Spark as a streaming backend of the kit: each step is a micro-batch (tier ``exact``)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from algebra.catalog import Profile, QualifiedName, Stream, Table, row_type_of
from algebra.plan import Delta, row_type
from algebra.types import MAX_TIMESTAMP, MIN_TIMESTAMP, TIMESTAMP
from algebra.wire import to_wire
from grammar.source import SqlError
from spark_backend.backend import ANSWERS, FAILURE_PLACES, NO_PLACES, SparkBackend
from spark_backend.data.ingress import Refusal, ingress_of
from spark_backend.data.row_buffer import RowBuffer
from spark_backend.relation import types_of
from spark_backend.runtime.failures import SparkFailure
from spark_backend.runtime.session import spark_session
from spark_backend.stream.engine import StepResult
from spark_backend.stream.ingress.producers import NOTHING
from spark_backend.stream.pipeline.statements import Statements, bound_of_ingress, bounds_of
from tck.protocol import Accepted, Hello, LateRow, Open, Output, Refused, WireRow

if TYPE_CHECKING:
    from algebra.monotonicity.progress import Bounds

#: What a micro-batch engine is not asked.
GAPS: Final = {
    "metadata": "Spark deduces no collation, latency or state of a streaming plan",
    FAILURE_PLACES: NO_PLACES,
    "changing-tables": "a micro-batch reads a table as it is then, not as each row passes",
}


@dataclass(slots=True)
class _Streaming:
    """A streaming query at work, behind the statements that feed it."""

    query: Delta
    statements: Statements
    failed: bool = False


class SparkStreamBackend(SparkBackend):
    """A `tck.protocol.Backend` of tier ``exact``: Spark, micro-batch by micro-batch.

    Streaming queries, and the statements that feed them, run as
    `spark_backend.stream.pipeline.statements`; all else is answered as the batch backend does.  Its
    state is not reported: what it retains are rows of the inputs (`retained`), and the kit counts
    the rows and groups that operators buffer.
    """

    def __init__(self) -> None:
        super().__init__()
        self._streaming: _Streaming | None = None

    def start(self) -> Hello:
        """Start Spark, or take the active session; who answers."""
        self._spark = spark_session(conf=self._conf)
        version = str(self._spark.version)
        profiles = tuple(str(each) for each in Profile)
        return Hello("spark-stream", version, "Python", "exact", profiles, GAPS)

    def open(self, request: Open) -> Accepted | Refused:
        """Judge a query, run the script's relational statements, and start the standing ones."""
        answer = super().open(request)
        if isinstance(answer, Refused):
            return answer
        prepared, contents = self._current.prepared, self._current.contents
        if isinstance(prepared.query, Delta):
            statements = Statements(prepared, contents, self._refuse)
            self._streaming = _Streaming(prepared.query, statements)
        return answer

    def poll(self) -> Output:
        """What the events since the last poll lead to, and the rows that were dropped."""
        work = self._streaming
        if work is None:
            return self._answered() or super().poll()
        session = self._current
        error, session.error = session.error, None
        result = StepResult(
            RowBuffer(types_of(row_type(work.query))), None, ended=False, retained=0
        )
        if not work.failed:
            try:
                for each in list(session.inputs.values()):
                    self._flush(each)
                result = self._stepped(work.statements)
            except (SqlError, SparkFailure) as raised:
                error, work.failed = self._failed(raised), True
        late, session.late = tuple(session.late), []
        rows, bound = self._on_the_wire(work.query, result)
        return Output(rows, bound, late, error)

    @property
    def retained(self) -> int:
        """How many input rows the open query and its statements retain."""
        if self._streaming is None:
            return 0
        return sum(count for *_, count in self._streaming.statements.retained_rows)

    def close(self) -> None:
        """Forget the query, and its files."""
        if self._streaming is not None:
            self._streaming.statements.close()
            self._streaming = None
        super().close()

    # --- relational queries ---------------------------------------------------------------------

    def _answered(self) -> Output | None:
        """The batch backend's output after the same messages; None: it has had no such messages.

        A relational query over few rows is so evaluated once in a process that has both backends.
        """
        session = self._current
        if not session.ended or session.answered:
            return None
        output = ANSWERS.of(session.conversation)
        if output is not None:
            session.answered, session.error, session.late = True, None, []
            for each in session.inputs.values():
                each.pending = []
        return output

    # --- one micro-batch ------------------------------------------------------------------------

    def _stepped(self, statements: Statements) -> StepResult:
        """The micro-batch of all statements, with the rows that have come since the last one."""
        arrived: dict[QualifiedName, RowBuffer] = {}
        bounds: dict[QualifiedName, Bounds] = {}
        session = self._current
        for name, stream in statements.sources.items():
            arrived[name] = RowBuffer(types_of(row_type_of(stream)))
            bounds[name] = bounds_of(ingress_of(stream), ended=session.ended)
        for each in session.inputs.values():
            if not isinstance(each.relation, Stream):
                continue
            name, content = each.relation.name, session.contents.of(each.relation)
            ended = session.ended or each.ended
            rows, content.passed = content.passed, RowBuffer(content.passed.types)
            # A stream that statements feed waits for its own input once that has said something.
            silent = not rows.count and not ended and bound_of_ingress(each.ingress) == NOTHING
            if name not in statements.fed or not silent:
                arrived[name] = rows
                bounds[name] = bounds_of(each.ingress, ended=ended)
        result = statements.step(arrived, bounds).answer
        statements.done()
        assert result is not None, "the query is the last statement"
        return result

    def _refuse(
        self, target: Table | Stream, rows: RowBuffer, refused: Sequence[Refusal], first: int
    ) -> None:
        """Report rows of a statement that its target has refused."""
        types, name = types_of(row_type_of(target)), ".".join(target.name)
        offered = list(rows.rows())
        for each in refused:
            row = offered[each.place - first]
            wire = tuple(to_wire(t, v) for t, v in zip(types, row, strict=True))
            late = LateRow(name, wire, None, str(each.code), each.reason)
            self._current.late.append(late)

    # --- messages -------------------------------------------------------------------------------

    def _on_the_wire(
        self, query: Delta, result: StepResult
    ) -> tuple[tuple[WireRow, ...], str | None]:
        """The rows, and the bound of their rowtime, explicit or implicit, as the protocol has them.

        The bound is None while none is known, and ``end`` when no row will come.
        """
        types = types_of(row_type(query))
        rows = tuple(
            tuple(to_wire(t, v) for t, v in zip(types, row, strict=True))
            for row in result.rows.rows()
        )
        if result.ended:
            return rows, "end"
        at = result.implicit_bound if result.bound is None else result.bound
        if at is None:
            return rows, None
        bound = max(MIN_TIMESTAMP, min(at, MAX_TIMESTAMP))
        return rows, str(to_wire(TIMESTAMP, bound))
