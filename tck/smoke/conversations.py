"""The smoke test of a backend: a few small conversations, and the party at fault if one fails.

The *harness* is the program that connects the engine to the kit.  It is at fault if it gives no
answer, or an answer that the protocol does not allow.  The *engine* is at fault if an answer is
allowed by the protocol, but wrong.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from tck.backends import Wiring, start_backend
from tck.corpus.values import UnreadableError, read_value, same_value
from tck.protocol import (
    Accepted,
    Backend,
    End,
    Event,
    Hello,
    Load,
    Open,
    Refused,
    Rows,
    Unsupported,
    WireRow,
)
from tck.wire.faults import BackendFault, BackendStartError, shown


class Fault(StrEnum):
    """The party at fault in a check."""

    NONE = "ok"
    MISSING = "missing"  # no fault: the engine answers that it does not support the query
    HARNESS = "HARNESS"
    ENGINE = "ENGINE"


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a check; ``name`` is the claim that it checks.

    ``reason`` is one line, and ``detail`` has further lines.
    """

    name: str
    fault: Fault
    reason: str = ""
    detail: tuple[str, ...] = ()


#: The columns, the rows and the declaration of the table or stream that all queries read.
_COLUMNS: Final = (("ROWTIME", "TIMESTAMP(3)"), ("ID", "INTEGER"), ("NAME", "VARCHAR(10)"))
_ROWS: Final[tuple[WireRow, ...]] = (
    ("2015-02-15 10:00:00", 1, "Beer"),
    ("2015-02-15 10:00:30", 2, None),
    ("2015-02-15 10:01:00", 3, "Naïve"),
)
_BODY: Final = "SMOKE (rowtime TIMESTAMP(3){} NOT NULL, id INTEGER NOT NULL, name VARCHAR(10))"
_TABLE: Final = f"CREATE TABLE {_BODY.format('')}"
_STREAM: Final = f"CREATE STREAM {_BODY.format(' ASCENDING')}"


@dataclass(frozen=True, slots=True)
class _Script:
    """One kind of conversation: its DDL, how its queries begin, and the events that bring rows."""

    ddl: str
    select: str
    arrival: Event

    def query(self, rest: str) -> Open:
        """The request that opens a query; ``rest`` is its text after SELECT or SELECT STREAM."""
        return Open(self.ddl, f"{self.select} {rest}")


_STREAMING: Final = _Script(_STREAM, "SELECT STREAM", Rows("SMOKE", _ROWS))
_RELATIONAL: Final = _Script(_TABLE, "SELECT", Load("SMOKE", _ROWS))

#: A check sends a query to a backend, and returns the fault of the answers; empty: there is none.
#: It raises `_LackError` if the backend does not support the query.
_Check: TypeAlias = Callable[[Backend, _Script, Open], str]


def smoke(spec: str, wiring: Wiring) -> Generator[Finding]:
    """Run the checks on a backend, and yield their findings, in order.

    After a check in which the harness is at fault, no further check is run.  If the backend does
    not implement the streaming query of the first check, it is asked relational queries instead.

    Raises `UnknownBackendError` if there is no such backend, `BackendStartError` if its process
    cannot be started.
    """
    try:
        running = start_backend(spec, wiring)
    except BackendStartError as error:
        if error.code != "breach":
            raise
        yield Finding("start is answered by hello", Fault.HARNESS, str(error), error.detail)
        return
    hello = running.hello
    yield Finding("start is answered by hello", Fault.NONE, _introduction(hello))
    script = _RELATIONAL if "streaming" in hello.gaps else _STREAMING
    try:
        for name, (rest, check) in _CHECKS.items():
            finding = _run_check(name, rest, check, running.backend, script)
            if script is _STREAMING and check is _check_columns and finding.fault is Fault.MISSING:
                yield finding
                script = _RELATIONAL
                finding = _run_check(name, rest, check, running.backend, script)
            yield finding
            lacks_queries = check is _check_columns and finding.fault is Fault.MISSING
            if lacks_queries or finding.fault is Fault.HARNESS:
                return
        try:
            running.backend.stop()
        except BackendFault as fault:
            yield Finding("stop is answered by done", Fault.HARNESS, fault.reason, fault.detail)
        else:
            yield Finding("stop is answered by done", Fault.NONE)
    finally:
        running.stop()


def _run_check(name: str, rest: str, check: _Check, backend: Backend, script: _Script) -> Finding:
    """Run a check, and return its finding; ``rest`` is its query after SELECT or SELECT STREAM."""
    request = script.query(rest)
    sent = (f"sent: {request.ddl}", f"sent: {request.sql}")
    try:
        reason = check(backend, script, request)
        backend.close()
    except _LackError as lack:
        backend.close()
        return Finding(name, Fault.MISSING, str(lack), sent)
    except BackendFault as fault:
        is_of_engine = fault.code == "failed" and not fault.over
        party = Fault.ENGINE if is_of_engine else Fault.HARNESS
        return Finding(name, party, fault.reason, (*fault.detail, *sent))
    return Finding(name, Fault.ENGINE, reason, sent) if reason else Finding(name, Fault.NONE)


def _introduction(hello: Hello) -> str:
    """A backend's description of itself, in one line."""
    gaps = f", {len(hello.gaps)} gaps" if hello.gaps else ""
    profiles = ", ".join(hello.profiles) or "no profile"
    return f"{hello.name} {hello.version}, tier {hello.tier}, {profiles}{gaps}"


# --- checks (`_Check`) --------------------------------------------------------------------------


class _LackError(Exception):
    """The backend does not support the query of a check, which is not a fault."""


def _open(backend: Backend, request: Open) -> Accepted | Refused:
    """The answer to a query.  Raises `_LackError` if the query is not supported."""
    answer = backend.open(request)
    if isinstance(answer, Unsupported):
        raise _LackError(f"the query is not supported: {answer.reason}")
    return answer


def _check_columns(backend: Backend, _: _Script, request: Open) -> str:
    """The fault if a query is not accepted, or its result does not have three columns."""
    answer = _open(backend, request)
    if not isinstance(answer, Accepted):
        return _refused(answer)
    types = ", ".join(type for _, type in _COLUMNS)
    if len(answer.columns) != len(_COLUMNS):
        return f"the result has {len(answer.columns)} columns, not 3: {types}"
    return ""


def _check_all_rows(backend: Backend, script: _Script, request: Open) -> str:
    """The fault if a query does not emit all rows that are fed."""
    return _rows_fault(backend, script, request, _ROWS)


def _check_one_row(backend: Backend, script: _Script, request: Open) -> str:
    """The fault if a query with the condition ``id = 2`` does not emit exactly this row.

    A backend that retains rows of earlier queries emits the row more than once.
    """
    return _rows_fault(backend, script, request, _ROWS[1:2])


def _check_unknown_column(backend: Backend, _: _Script, request: Open) -> str:
    """The fault if a query with an unknown column is accepted."""
    answer = backend.open(request)
    return "a column that does not exist was accepted" if isinstance(answer, Accepted) else ""


def _check_early_poll(backend: Backend, _: _Script, request: Open) -> str:
    """The fault if a poll before all events has rows."""
    answer = _open(backend, request)
    if not isinstance(answer, Accepted):
        return _refused(answer)
    rows = backend.poll().rows
    return f"{len(rows)} rows were emitted before any was fed" if rows else ""


_ALL: Final = "rowtime, id, name FROM SMOKE"
#: The name of the first check.  If the backend does not support its query, no further check is run.
OPENS: Final = "a query is answered by accepted, with its columns"
#: By name of a check: its query after SELECT or SELECT STREAM, and the check.
_CHECKS: Final[dict[str, tuple[str, _Check]]] = {
    OPENS: (_ALL, _check_columns),
    "rows that are fed are emitted, with NULL and text in any script": (_ALL, _check_all_rows),
    "close discards the rows of a query, and WHERE is evaluated": (
        f"{_ALL} WHERE id = 2",
        _check_one_row,
    ),
    "a poll before all events has no rows": (_ALL, _check_early_poll),
    "a wrong query is answered by refused, or by unsupported": (
        "no_such_column FROM SMOKE",
        _check_unknown_column,
    ),
}


def _rows_fault(
    backend: Backend, script: _Script, request: Open, expected: tuple[WireRow, ...]
) -> str:
    """Feed `_ROWS` and the end of all input; return the fault of the emitted rows, or ""."""
    answer = _open(backend, request)
    if not isinstance(answer, Accepted):
        return _refused(answer)
    if missing := backend.feed(script.arrival):
        return f"the rows are not supported: {missing.reason}"
    rows = backend.poll().rows
    if missing := backend.feed(End()):
        return f"the end of all inputs is not supported: {missing.reason}"
    output = backend.poll()
    if output.error:
        return f"the query failed: {output.error.code}: {output.error.message}"
    rows += output.rows
    if len(rows) != len(expected):
        return f"{len(rows)} rows were emitted, not {len(expected)}: {shown(rows)}"
    for place, (row, right) in enumerate(zip(rows, expected, strict=True)):
        for (name, type), value, right_value in zip(_COLUMNS, row, right, strict=True):
            try:
                same = same_value(read_value(value, type), read_value(right_value, type))
            except UnreadableError as error:
                return f"row {place + 1}, {name}: {error}"
            if not same:
                return f"row {place + 1}, {name} is {shown(value)}, not {shown(right_value)}"
    return ""


def _refused(answer: Refused) -> str:
    """The fault of a backend that refuses a correct query."""
    return f"the query was refused: {answer.code}: {answer.message}"
