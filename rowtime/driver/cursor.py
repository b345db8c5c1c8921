"""The cursor of PEP 249, over tables and over streams."""

import threading
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from algebra.catalog import Catalog, QualifiedName
from algebra.plan import Delta, row_type
from algebra.types import MAX_TIMESTAMP, MIN_TIMESTAMP, TIMESTAMP, VARCHAR, Field
from algebra.wire import to_wire
from reference.evaluate import evaluate
from reference.relation import Row
from rowtime.driver.bound_statement import (
    BeginStatement,
    BoundStatement,
    ChangeTable,
    Define,
    Query,
    SendRows,
    SetSchema,
    ShowPlan,
    bound_statement,
)
from rowtime.driver.errors import (
    InterfaceError,
    NotSupportedError,
    ProgrammingError,
    driver_errors,
    of_sql,
)
from rowtime.driver.result import ALL, Description, Result, StreamResult, TableResult, description
from rowtime.driver.values import Python, millis_of, python_of, rows_of, value_of

if TYPE_CHECKING:
    from rowtime.driver.connection import Connection


class Cursor:
    """Executes statements one at a time, and returns the rows of queries.

    A streaming query has no last row. Its rows can be fetched from the moment they are due: a fetch
    waits for the next row, for ``timeout`` seconds (None: as long as it takes), and then raises
    `rowtime.Timeout`; the query goes on. The rows before the query began are not among them.

    While its latest statement is an INSERT into a stream, a cursor is a *producer* of the stream
    (S-603): from the first such statement until it executes another or is closed. As long as it is
    open, no later row of other producers enters the stream; so a cursor that sends nothing more
    should be closed.
    """

    def __init__(self, connection: "Connection", timeout: float | None) -> None:
        self.connection = connection
        self.timeout = timeout
        self.arraysize = 1
        self.rowcount = -1
        self.lastrowid = None
        self.statement_id: int | None = None
        self._result: Result | None = None
        self._fetched = 0
        self._producer: tuple[QualifiedName, int] | None = None
        self._bound: tuple[str, Catalog, BoundStatement] | None = None
        self._lock = threading.Lock()
        self._closed = False

    # --- executing ------------------------------------------------------------------------------

    def execute(self, sql: str, parameters: Sequence[Python] = ()) -> "Cursor":
        """Execute one statement; this cursor.

        ``parameters`` are the values of the ``?`` in the text, in their order; each has the type
        that its place requires, and never becomes a part of the text.
        """
        return self._execute(sql, [parameters])

    def executemany(self, sql: str, parameters: Iterable[Sequence[Python]]) -> "Cursor":
        """Execute a statement that writes, with each of many rows of parameters; this cursor.

        The rows of an INSERT EXPEDITED into a stream are sent together. What comes before the row
        that raises an error was executed.
        """
        return self._execute(sql, list(parameters), many=True)

    def _execute(
        self, sql: str, many_values: list[Sequence[Python]], many: bool = False
    ) -> "Cursor":
        with self._open():
            self._end_query()
            statement = self._statement(sql)
            if many and isinstance(statement.action, Query | ShowPlan):
                raise ProgrammingError("executemany is for statements that write")
            many_rows = [self._values(statement, values) for values in many_values]
            self._enter_statement(statement)
            self.rowcount = 0 if isinstance(statement.action, SendRows | ChangeTable) else -1
            if isinstance(statement.action, SendRows):
                self._send(statement.action, many_rows)
                return self
            for row in many_rows:
                self._run(sql, statement, row)
        return self

    def check(self, sql: str) -> None:
        """Bind a statement, to raise its faults, and do nothing else."""
        with self._open():
            self._statement(sql)

    def _run(self, sql: str, statement: BoundStatement, row: Row) -> None:
        """Execute a statement that is no INSERT into a stream."""
        database = self.connection.database
        match statement.action:
            case Query(plan):
                fields = row_type(plan)
                if isinstance(plan, Delta):
                    reader = database.read(plan, row)
                    self.statement_id = reader.number
                    self._result = StreamResult(fields, reader)
                else:
                    self._show(fields, database.result(plan, row))
            case ShowPlan(lines):
                fields = (Field("PLAN", VARCHAR.as_nullable(False)),)
                self._show(fields, [(line,) for line in lines])
            case ChangeTable(step):
                count = database.modify(step, row)
                self.rowcount = -1 if count < 0 or self.rowcount < 0 else self.rowcount + count
            case BeginStatement():
                wire = [
                    None if i not in statement.types else to_wire(statement.types[i], value)
                    for i, value in enumerate(row)
                ]
                self.statement_id = database.begin(sql, self.connection.schema, wire)
            case SetSchema(schema):
                self.connection.schema = schema
            case Define():
                database.define(sql, self.connection.schema)
            case SendRows():
                raise AssertionError("sent elsewhere")

    def _show(self, fields: Sequence[Field], rows: Sequence[Row]) -> None:
        """Take the rows of a query as the result."""
        self._result = TableResult(fields, rows)
        self.rowcount = len(rows)

    def _send(self, action: SendRows, many_values: list[Row]) -> None:
        """Send the rows of an INSERT: an event for each row of parameters, or one for all.

        Defines: S-609.f
        """
        database = self.connection.database
        stream, number = self._producing(action)
        batches: list[list[Row]] = []
        for values in many_values:
            world = database.world(action.insert.input, values)
            rows = evaluate(action.insert.input, world)
            if action.expedited and batches:
                batches[-1] += rows
            else:
                batches.append(list(rows))
        for rows in batches:
            written = database.send(stream, number, rows, self.timeout)
            self.rowcount += written.accepted
            for error in written.errors:
                raise of_sql(error)

    def set_rowtime_bound(self, sql: str, at: datetime | str, strict: bool = False) -> None:
        """Set the bound of the producer that executes ``sql`` (`Prepared.set_rowtime_bound`).

        Defines: S-609.d
        """
        with self._open():
            statement = self._statement(sql)
            if not isinstance(statement.action, SendRows):
                raise ProgrammingError("only an INSERT into a stream has a rowtime bound to be set")
            self._enter_statement(statement)
            stream, number = self._producing(statement.action)
            millis = millis_of(at) + strict
            self.connection.database.bound(stream, number, millis, self.timeout)

    def _producing(self, action: SendRows) -> tuple[QualifiedName, int]:
        """The stream, and the number of this cursor as its producer, which opens if it is not.

        Defines: S-609.c
        """
        if self._producer is None:
            stream = action.insert.target.name
            number = self.connection.database.open_producer(stream)
            self._producer = (stream, number)
            self.statement_id = number
        return self._producer

    def _enter_statement(self, statement: BoundStatement) -> None:
        """End what the last statement has left, unless this one goes on with it."""
        action = statement.action
        target = action.insert.target.name if isinstance(action, SendRows) else None
        if self._producer is not None and self._producer[0] != target:
            self._close_producer()

    def _statement(self, sql: str) -> BoundStatement:
        """The statement ``sql`` bound to the catalog as it is now."""
        catalog = self.connection.database.catalog(self.connection.schema)
        if self._bound is None or self._bound[0] != sql or not _is_same(self._bound[1], catalog):
            bound = bound_statement(sql, catalog, self.connection.database.profile)
            self._bound = (sql, catalog, bound)
        return self._bound[2]

    @staticmethod
    def _values(statement: BoundStatement, parameters: Sequence[Python]) -> Row:
        """The parameters as values of the types that the statement gives them."""
        if isinstance(parameters, str | bytes | Mapping):
            raise ProgrammingError("parameters are a sequence of values, one for each ?")
        if len(parameters) != statement.parameters:
            count = f"{statement.parameters} parameter{'s' * (statement.parameters != 1)}"
            raise ProgrammingError(f"the statement has {count}, not {len(parameters)}")
        return tuple(
            value_of(statement.types[place], each) if place in statement.types else None
            for place, each in enumerate(parameters)
        )

    def setinputsizes(self, _sizes: object) -> None:
        """Do nothing: parameters have the types of their places."""
        self._check_open()

    def setoutputsize(self, _size: int, _column: int | None = None) -> None:
        """Do nothing: values are fetched whole."""
        self._check_open()

    # --- fetching -------------------------------------------------------------------------------

    @property
    def description(self) -> Sequence[Description] | None:
        """The columns of the result, their types as in SQL; None: there is no result."""
        return None if self._result is None else tuple(map(description, self._result.fields))

    @property
    def rownumber(self) -> int | None:
        """The number of rows that were fetched; None: there is no result."""
        return None if self._result is None else self._fetched

    @property
    def is_streaming(self) -> bool:
        """Whether the result is that of a streaming query."""
        return isinstance(self._result, StreamResult)

    @property
    def rowtime_bound(self) -> datetime | None:
        """The bound of the result: no row that is not yet in the buffer has a smaller rowtime.

        It never goes back. None: there is no streaming query, or no bound is known.

        Defines: S-609.e
        """
        result = self._result
        if not isinstance(result, StreamResult):
            return None
        bound = result.reader.bound
        if not MIN_TIMESTAMP <= bound <= MAX_TIMESTAMP:
            return None
        at = python_of(TIMESTAMP)(int(bound))
        assert isinstance(at, datetime)
        return at

    def fetchone(self) -> tuple[Python, ...] | None:
        """The next row; None after the last one, which a streaming query has not."""
        rows = self.fetchmany(1)
        return rows[0] if rows else None

    def fetchmany(self, size: int | None = None) -> list[tuple[Python, ...]]:
        """The next rows, at most ``size`` (by default `arraysize`); [] after the last one.

        Of a streaming query at least one: those that are there, once there is one.
        """
        size = self.arraysize if size is None else size
        with self._open():
            result = self._required_result()
            return self._python(result, result.fetch(size, self.timeout))

    def fetchall(self) -> list[tuple[Python, ...]]:
        """All further rows. Raises `NotSupportedError` for a streaming query, which has no last."""
        with self._open():
            result = self._required_result()
            if isinstance(result, StreamResult):
                raise NotSupportedError(
                    "a streaming query has no last row: use fetchone, fetchmany or fetch_available"
                )
            return self._python(result, result.fetch(ALL, None))

    def fetch_available(self) -> list[tuple[Python, ...]]:
        """The rows that can be fetched without waiting; [] if there is none at the moment."""
        with self._open():
            result = self._required_result()
            return self._python(result, result.available())

    def fetch_arrow_table(self) -> Any:  # Any: a pyarrow.Table, which has no types
        """All further rows as a table of Arrow; of a streaming query those that are there."""
        from rowtime.driver.arrow import arrow_table

        with self._open():
            result = self._required_result()
            rows = result.available()
            self._fetched += len(rows)
            return arrow_table(result.fields, rows)

    def fetch_df(self) -> Any:  # Any: as pyarrow makes it
        """All further rows as a DataFrame of pandas; of a streaming query those that are there."""
        return self.fetch_arrow_table().to_pandas()

    def _repr_html_(self) -> str:
        """The next rows as a notebook shows them; they can still be fetched."""
        from rowtime.driver.html import SHOWN, html_table

        if self._result is None:
            written = "no result" if self.rowcount < 0 else f"{self.rowcount:,} rows written"
            return f"<p>{written}</p>"
        rows, count = self._result.peek(SHOWN)
        more = f"{count - len(rows):,} more rows" if count > len(rows) else ""
        if self.is_streaming:
            more = f"{more}; " * bool(more) + "a streaming query: further rows come"
        return html_table(self._result.fields, rows, more)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> tuple[Python, ...]:
        row = self.fetchone()
        if row is None:
            raise StopIteration
        return row

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> tuple[Python, ...]:
        """The next row, while which is awaited the event loop goes on; `timeout` holds, too."""
        with self._open():
            await self._required_result().ready(self.timeout)
        row = self.fetchone()
        if row is None:
            raise StopAsyncIteration
        return row

    def _required_result(self) -> Result:
        if self._result is None:
            raise InterfaceError("the last statement has no result: execute a query first")
        return self._result

    def _python(self, result: Result, rows: Sequence[Row]) -> list[tuple[Python, ...]]:
        """Fetched rows as Python's values."""
        self._fetched += len(rows)
        return rows_of([each.type for each in result.fields], rows)

    # --- the end --------------------------------------------------------------------------------

    def cancel(self) -> None:
        """End the streaming query, from any thread: who fetches gets `rowtime.Cancelled`."""
        if isinstance(self._result, StreamResult):
            self.connection.database.release(self._result.reader)

    def close(self) -> None:
        """Close the cursor: its query ends, and it is no producer. Closing again does nothing."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._end_query()
        self._close_producer()

    def _end_query(self) -> None:
        self.cancel()
        self._result, self._fetched = None, 0

    def _close_producer(self) -> None:
        producer, self._producer = self._producer, None
        if producer is not None:
            self.connection.database.close_producer(*producer)

    def __enter__(self) -> Self:
        self._check_open()
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _value: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __del__(self) -> None:
        """Leave it to the database to close what this cursor was: no lock may be taken here."""
        if not self._closed:
            reader = self._result.reader if isinstance(self._result, StreamResult) else None
            self.connection.database.abandon(reader, self._producer)

    def _check_open(self) -> None:
        if self._closed:
            raise InterfaceError("the cursor is closed")

    @contextmanager
    def _open(self) -> Generator[None]:
        """A context of an open cursor, whose errors are those of PEP 249."""
        self._check_open()
        with driver_errors():
            yield


def _is_same(a: Catalog, b: Catalog) -> bool:
    """Whether two catalogs are one and the same: its objects never change in place."""
    return a.objects is b.objects and a.schema == b.schema
