"""Runs a query on files: `run` feeds the files to a backend, and returns the emitted rows.

A backend is any engine that has the protocol of the kit (`tck.protocol`).
"""

from collections.abc import Callable, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

from algebra.catalog import Table
from algebra.metadata.needed_columns import needed_columns
from algebra.plan import Changes, row_type
from algebra.prepare import prepare
from algebra.records.batch import events_of
from algebra.records.formats import input_batches
from algebra.records.opening import require_readable
from algebra.records.pipeline import MAX_REPORTED_ROWS, Input, RunError
from algebra.types import VARCHAR, Field
from rowtime.inputs import DataFile, query_inputs
from rowtime.limits.resource_limits import UNLIMITED, ResourceLimits
from tck.collection import without_collection
from tck.protocol import (
    Accepted,
    Backend,
    End,
    Load,
    Now,
    Open,
    Output,
    Refused,
    Rows,
    Unsupported,
    WireRow,
    weighted,
)

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from algebra.catalog import Profile
    from algebra.prepare import Prepared
    from reference.relation import Relation

#: The type of the column that says whether a changelog inserts or deletes a row.
_SIGN: Final = VARCHAR.as_nullable(False)
#: A function that is called after each batch of rows: with the file, and with the number of rows
#: that have been read of the input so far.
OnRead = Callable[[Path, int], None]


@runtime_checkable
class TakesValues(Protocol):
    """A backend in this process that takes rows in the internal representation."""

    def feed_values(self, name: str, rows: "Relation", passing: bool) -> None:
        """Take rows that arrive at a stream; if not ``passing``, the contents of a table."""
        ...


@runtime_checkable
class TakesPlans(Protocol):
    """A backend in this process that accepts a bound query."""

    def open_prepared(
        self, request: Open, prepared: "Prepared"
    ) -> Accepted | Refused | Unsupported:
        """Answer like ``open(request)``; ``prepared`` is the script and query of ``request``."""
        ...


class ResultSink(Protocol):
    """A receiver of the rows of a query, in the order of emission."""

    def begin(self, fields: "Sequence[Field]") -> None:
        """Take the columns, before the first row."""
        ...

    def write(self, rows: Sequence[WireRow]) -> None:
        """Take further rows."""
        ...


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a query: its columns, and its rows in the order of emission.

    ``warnings`` has a paragraph for each input with late rows.  ``counts`` has a tuple for each
    input: its name, the number of its rows, and the number of its late rows.
    """

    fields: tuple[Field, ...]
    rows: tuple[WireRow, ...]
    warnings: tuple[str, ...]
    counts: tuple[tuple[str, int, int], ...]


@without_collection()
def run(
    start: Callable[[], Backend],
    ddl: str,
    sql: str,
    profile: "Profile",
    data: Sequence[DataFile],
    now: str,
    on_read: OnRead,
    sink: "ResultSink | None" = None,
    limits: ResourceLimits = UNLIMITED,
) -> Result:
    """Run ``sql`` over the recorded history in ``data``, and return its result.

    ``ddl`` declares the tables and streams.  The files of streams are read in rowtime order
    (S-303).  ``start`` starts a backend, which can take seconds; so it is called only after the
    query and the files have been checked.  The backend is stopped in any case.  ``now`` is the time
    of the session's clock.  ``on_read`` is called after each batch.  If there is a ``sink``, the
    rows are sent to it as they are emitted, and the result has no rows.

    A late row is dropped, with a warning (S-601).  Raises `SqlError` if the query is refused,
    `RunError` if it fails, if a file has a malformed row, or if the result has more rows than
    ``limits`` allow, and `FileError` if a file cannot be read.

    For a changelog (S-1001), each row of a stream's file is an event of its own, and the result has
    an additional first column, CHANGE, with the value ``+`` or ``-``.
    """
    prepared = prepare(ddl, sql, profile)
    files = query_inputs(prepared, data)
    assert prepared.query is not None, "a query was given"
    require_readable(each.connection for each in files)
    backend = start()
    with _stopping(backend):
        request = Open(ddl, sql, profile)
        if isinstance(backend, TakesPlans):
            accepted = backend.open_prepared(request, prepared)
        else:
            accepted = backend.open(request)
        if isinstance(accepted, Refused):
            raise RunError(accepted.rendered or f"{accepted.code}: {accepted.message}")
        backend.feed(Now(now))
        journal = _Journal()
        changing = isinstance(prepared.query, Changes)
        fields = tuple(row_type(prepared.query))
        fields = (Field("CHANGE", _SIGN), *fields) if changing else fields
        rows: list[WireRow] = []
        count = 0
        if sink is not None:
            sink.begin(fields)

        def poll() -> None:
            nonlocal count
            found = _rows_of(backend.poll(), journal, changing)
            count += len(found)
            limits.check_rows(count)
            if sink is None:
                rows.extend(found)
            else:
                sink.write(found)

        # Tables first: a stream's rows join the tables as they are when the rows pass (S-508).
        for each in sorted(files, key=lambda file: not isinstance(file.source, Table)):
            needed = needed_columns(each.source, prepared.standing, prepared.query)
            after_batch = poll if sink else lambda: None
            _feed(backend, each, needed, journal, on_read, after_batch, changing)
            poll()
            journal.check()
        backend.feed(End())
        poll()
        journal.check()
        return Result(fields, tuple(rows), tuple(journal.warnings()), tuple(journal.counts()))


def _rows_of(output: Output, journal: "_Journal", changing: bool) -> tuple[WireRow, ...]:
    """The rows of an output; if ``changing``, each with the sign of its change before it.

    The dropped rows of the output are noted in ``journal``.  Raises `RunError` if the query failed.
    """
    journal.record_dropped(output)
    if output.error is not None:
        raise RunError(output.error.rendered or f"{output.error.code}: {output.error.message}")
    if not changing:
        return output.rows
    return tuple(("+" if w > 0 else "-", *row) for row, w in weighted(output.rows, output.weights))


@contextmanager
def _stopping(backend: Backend) -> "Generator[None]":
    """A context that closes and stops the backend at its end, even after an exception."""
    try:
        yield
    finally:
        backend.close()
        backend.stop()


class _Journal:
    """For each input: the files and lines of the rows that were fed, and the dropped rows so far.

    It translates the number of a row, by which a backend reports that the row is late or malformed,
    into a file and a line.
    """

    def __init__(self) -> None:
        self._places: dict[str, list[tuple[Path, Sequence[int]]]] = {}
        self._late: dict[str, list[str]] = {}
        self._late_count: dict[str, int] = {}
        self._bad: list[str] = []

    def record_fed(self, input: Input, path: Path, lines: Sequence[int]) -> None:
        """Note that the rows in these lines of the file ``path`` have been fed, in this order."""
        self._places.setdefault(input.name, []).append((path, lines))

    def record_dropped(self, output: Output) -> None:
        """Note the late and the malformed rows of an output."""
        for late in output.late:
            if late.code != "LATE":
                self.record_bad(f"{self._place(late.input, late.place)}: {late.reason}")
                continue
            self._late_count[late.input] = self._late_count.get(late.input, 0) + 1
            named = self._late.setdefault(late.input, [])
            if len(named) < MAX_REPORTED_ROWS:
                named.append(f"{self._place(late.input, late.place)}: {late.reason}")

    def record_bad(self, row: str) -> None:
        """Note a malformed row."""
        self._bad.append(row)

    def check(self) -> None:
        """Raise `RunError` if there were malformed rows."""
        if self._bad:
            raise RunError(bad_rows(self._bad))

    def warnings(self) -> "Iterator[str]":
        """A paragraph for each input with late rows."""
        for name, count in self._late_count.items():
            rows = "row was" if count == 1 else "rows were"
            more = "" if count <= MAX_REPORTED_ROWS else f"\n  and {count - MAX_REPORTED_ROWS} more"
            named = "".join(f"\n  {each}" for each in self._late[name])
            yield (
                f"{count} late {rows} dropped from {name} (S-601): sort the file by its monotonic "
                f"columns, or declare them ASCENDING WITHIN an interval{named}{more}"
            )

    def counts(self) -> "Iterator[tuple[str, int, int]]":
        """The name of each input, and the numbers of its rows and its late rows."""
        for name, places in self._places.items():
            yield name, sum(len(lines) for _, lines in places), self._late_count.get(name, 0)

    def _place(self, name: str, number: int | None) -> str:
        """The file and line of a row, such as ``orders.csv:17``.

        ``number`` counts the rows that were fed to the input ``name``, from 0.  The result is
        ``name`` if the row was in no file, because a statement has sent it.
        """
        if number is None:
            return name
        for path, lines in self._places.get(name, ()):
            if number < len(lines):
                return f"{path}:{lines[number]}"
            number -= len(lines)
        return name


def bad_rows(bad: Sequence[str]) -> str:
    """The message about the malformed rows ``bad``; it lists the first `MAX_REPORTED_ROWS`."""
    rows = "row" if len(bad) == 1 else "rows"
    more = [] if len(bad) <= MAX_REPORTED_ROWS else [f"and {len(bad) - MAX_REPORTED_ROWS} more"]
    return "\n".join(
        [f"{len(bad)} malformed {rows}; nothing was written", *bad[:MAX_REPORTED_ROWS], *more]
    )


def _feed(
    backend: Backend,
    input: Input,
    needed: frozenset[int],
    journal: _Journal,
    on_read: OnRead,
    after_batch: Callable[[], None],
    one_by_one: bool,
) -> None:
    """Feed all rows of an input to the backend, batch by batch.

    If ``one_by_one``, each row of a stream is fed as an event of its own.  ``needed`` are the
    places of the columns that the query reads: a backend that takes values (`TakesValues`) gets
    NULL in the others.  ``after_batch`` is called after each batch, as ``on_read`` is.
    """
    count = 0
    by_values = isinstance(backend, TakesValues)
    with closing(input_batches(input, needed if by_values else None)) as files:
        for path, batch in files:
            for each in batch.bad:
                journal.record_bad(str(each))
            journal.record_fed(input, path, batch.lines)
            if batch.values is not None and isinstance(backend, TakesValues):
                is_stream = not isinstance(input.source, Table)
                values = batch.values
                parts = [[row] for row in values] if one_by_one and is_stream else [values]
                for part in parts:
                    backend.feed_values(input.name, part, passing=is_stream)
            elif batch.weights:
                for rows, weights in events_of(batch):
                    backend.feed(Rows(input.name, rows, weights=weights))
            elif isinstance(input.source, Table):
                backend.feed(Load(input.name, batch.rows))
            else:
                for rows in [(row,) for row in batch.rows] if one_by_one else [batch.rows]:
                    backend.feed(Rows(input.name, rows))
            count += batch.count
            on_read(path, count)
            after_batch()
