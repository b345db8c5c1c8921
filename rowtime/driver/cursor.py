"""The cursor of PEP 249, which executes statements on tables and on streams."""

import threading
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, Self

from algebra.catalog import Catalog, QualifiedName, Table
from algebra.expression import Expression
from algebra.modify import Insert
from algebra.plan import Changes, Delta, Plan, row_type
from algebra.types import VARCHAR, Field
from algebra.wire import to_wire
from reference.dml.statements import environment
from reference.evaluate import evaluate
from reference.relation import Relation, Row
from reference.scalar.expression import row_of
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
    ProgrammingError,
    of_sql,
)
from rowtime.driver.fetching import Fetching
from rowtime.driver.result import ChangelogResult, StreamResult, TableResult
from rowtime.driver.values import Python, millis_of
from rowtime.process.interrupts import uninterrupted

if TYPE_CHECKING:
    from rowtime.driver.connection import Connection


class _Cached(NamedTuple):
    """A bound statement, with the text and the catalog from which it was bound."""

    sql: str
    catalog: Catalog
    statement: BoundStatement


class Cursor(Fetching):
    """Executes statements one at a time, and returns the rows of queries.

    A cursor that executes an INSERT into a stream is a *producer* of the stream (S-603), until it
    executes a statement that does not write into this stream, or is closed.  A row of another
    producer enters the stream only when no open producer can send an earlier one.  So a cursor that
    sends no more rows should be closed.
    """

    def __init__(self, connection: "Connection", timeout: float | None) -> None:
        super().__init__(timeout)
        self.connection = connection
        self.lastrowid = None
        self.statement_id: int | None = None
        self._producer: tuple[QualifiedName, int] | None = None
        self._cached: _Cached | None = None
        self._lock = threading.Lock()

    # --- executing ------------------------------------------------------------------------------

    def execute(self, sql: str, parameters: Sequence[Python] = ()) -> "Cursor":
        """Execute one statement; return this cursor.

        ``parameters`` are the values of the ``?`` in the text, in their order.  Each is converted
        to the type that its place requires, and never becomes a part of the text.
        """
        return self._execute(sql, [parameters])

    def executemany(self, sql: str, parameters: Iterable[Sequence[Python]]) -> "Cursor":
        """Execute a statement that writes, once for each row of parameters; return this cursor.

        The rows of an INSERT EXPEDITED into a stream are sent together.  If a row raises an error,
        the statement has been executed for the rows before it.
        """
        return self._execute(sql, list(parameters), many=True)

    def _execute(
        self, sql: str, many_values: list[Sequence[Python]], many: bool = False
    ) -> "Cursor":
        """Execute a statement for each row of parameters in ``many_values``.

        ``many``: `executemany` calls this, so queries are refused, and the rows of an INSERT into a
        table are inserted in one event if all of them are valid.
        """
        with self._open():
            self._end_query()
            statement = self._bound_statement(sql)
            if many and isinstance(statement.action, Query | ShowPlan):
                raise ProgrammingError("executemany is for statements that write")
            many_rows = [self._converted(statement, values) for values in many_values]
            self._enter_statement(statement)
            bulk_row = statement.row if many else None
            self.rowcount = 0 if isinstance(statement.action, SendRows | ChangeTable) else -1
            if isinstance(statement.action, SendRows):
                self._send(statement.action, many_rows, statement.row)
                return self
            if bulk_row is not None and isinstance(statement.action, ChangeTable):
                count = self.connection.database.insert_rows(
                    statement.action.step, bulk_row, many_rows, self.timeout
                )
                if count is not None:
                    self.rowcount = count
                    return self
                # One of the rows is wrong.  They are inserted one by one, to report that row.
            for row in many_rows:
                self._run(sql, statement, row)
        return self

    def check(self, sql: str) -> None:
        """Raise the errors that a statement has before it is executed."""
        with self._open():
            self._bound_statement(sql)

    def _run(self, sql: str, statement: BoundStatement, row: Row) -> None:
        """Execute a statement that is not an INSERT into a stream.

        ``row`` has the values of its parameters.
        """
        database = self.connection.database
        match statement.action:
            case Query(plan):
                if isinstance(plan, Delta | Changes):
                    self._start_query(plan, row)
                else:
                    self._set_rows(row_type(plan), database.result(plan, row))
            case ShowPlan(lines):
                fields = (Field("PLAN", VARCHAR.as_nullable(False)),)
                self._set_rows(fields, [(line,) for line in lines])
            case ChangeTable(step):
                count = database.modify(step, row, self.timeout)
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
                raise AssertionError("`_execute` calls `_send` for it")

    def _start_query(self, plan: Plan, row: Row) -> None:
        """Start a streaming query.  Its rows can be fetched as soon as they are emitted."""
        database = self.connection.database
        result = ChangelogResult if isinstance(plan, Changes) else StreamResult
        with uninterrupted():  # a reader without a cursor would block writers
            reader = database.read(plan, row)
            self.statement_id = reader.number
            self._result = result(row_type(plan), reader, database)

    def _set_rows(self, fields: Sequence[Field], rows: Sequence[Row]) -> None:
        """Make ``rows`` the result of the statement; ``fields`` are their columns."""
        self._result = TableResult(fields, rows)
        self.rowcount = len(rows)

    def _send(
        self, action: SendRows, many_rows: list[Row], expressions: Sequence[Expression] | None
    ) -> None:
        """Send the rows of an INSERT into a stream.

        There is an event for each row of parameters in ``many_rows``, or, if the INSERT is
        expedited, one event for all.  ``expressions`` are the one row of VALUES, computed from a
        row of parameters; None: the INSERT has another query, whose plan is evaluated.

        Defines: S-609.f
        """
        database = self.connection.database
        stream, number = self._open_producer(action)
        batches: list[list[Row]] = []
        compute_row = None
        if expressions is not None:
            outside = environment(database.world(action.insert.input, ()))
            compute_row = row_of(expressions, outside)
        for values in many_rows:
            if compute_row is not None:
                rows: Relation = [compute_row(values)]
            else:
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

    def send_changes(self, sql: str, changes: Iterable[Sequence[Python]]) -> "Cursor":
        """Send changes with an INSERT into a stream WITH CHANGES (`Prepared.send_changes`)."""
        with self._open():
            self._end_query()
            statement = self._bound_statement(sql)
            match statement.action:
                case ChangeTable(Insert(Table(changing=True) as target, source)):
                    pass
                case _:
                    message = "only an INSERT of values into a stream WITH CHANGES sends changes"
                    raise ProgrammingError(message)
            weighted: list[tuple[Row, int]] = []
            for change in changes:
                weight, values = (change[0] if change else None), change[1:]
                if weight not in (1, -1):
                    raise ProgrammingError(f"the weight of a change is 1 or -1, not {weight!r}")
                row = self._converted(statement, values)
                world = self.connection.database.world(source, row)
                weighted += [(each, 1 if weight == 1 else -1) for each in evaluate(source, world)]
            self._enter_statement(statement)
            written = self.connection.database.send_changes(target, weighted, self.timeout)
            self.rowcount = written.accepted
            for error in written.errors:
                raise of_sql(error)
        return self

    def set_rowtime_bound(self, sql: str, at: datetime | str, strict: bool = False) -> None:
        """Set the bound of the producer that executes ``sql`` (`Prepared.set_rowtime_bound`).

        Defines: S-609.d
        """
        with self._open():
            statement = self._bound_statement(sql)
            match statement.action:
                case SendRows():
                    pass
                case ChangeTable(Insert(Table(changing=True))):
                    raise ProgrammingError("a stream WITH CHANGES has no rowtime bound")
                case _:
                    message = "only an INSERT into a stream has a rowtime bound to be set"
                    raise ProgrammingError(message)
            self._enter_statement(statement)
            stream, number = self._open_producer(statement.action)
            # A strict bound excludes its own time, so it is the bound one millisecond later.
            millis = millis_of(at) + 1 if strict else millis_of(at)
            self.connection.database.set_bound(stream, number, millis, self.timeout)

    def _open_producer(self, action: SendRows) -> tuple[QualifiedName, int]:
        """Make this cursor a producer of the stream of an INSERT, unless it is one already.

        Returns the name of the stream, and the number of the producer.

        Defines: S-609.c, S-609.l
        """
        if self._producer is None:
            stream = action.insert.target.name
            with uninterrupted():  # a producer that nobody knew would hold up the others
                number = self.connection.database.open_producer(stream)
                self._producer = (stream, number)
                self.statement_id = number
        return self._producer

    def _enter_statement(self, statement: BoundStatement) -> None:
        """Close this cursor's producer, unless ``statement`` sends rows into the same stream."""
        action = statement.action
        target = action.insert.target.name if isinstance(action, SendRows) else None
        if self._producer is not None and self._producer[0] != target:
            self._close_producer()

    def _bound_statement(self, sql: str) -> BoundStatement:
        """The statement ``sql``, bound to the catalog as it is now; the last one is cached."""
        catalog = self.connection.database.catalog(self.connection.schema)
        cached = self._cached
        if cached is None or cached.sql != sql or not _is_same(cached.catalog, catalog):
            statement = bound_statement(sql, catalog, self.connection.database.profile)
            cached = self._cached = _Cached(sql, catalog, statement)
        return cached.statement

    @staticmethod
    def _converted(statement: BoundStatement, parameters: Sequence[Python]) -> Row:
        """The parameters, converted to the types that they have in the statement.

        Raises `ProgrammingError` if they are too few or too many.
        """
        if isinstance(parameters, str | bytes | Mapping):
            raise ProgrammingError("parameters are a sequence of values, one for each ?")
        if len(parameters) != statement.parameters:
            count = f"{statement.parameters} parameter{'s' * (statement.parameters != 1)}"
            raise ProgrammingError(f"the statement has {count}, not {len(parameters)}")
        converters = statement.converters
        # A parameter that is not used has no converter, and becomes NULL.
        return tuple(
            [read and read(each) for read, each in zip(converters, parameters, strict=True)]
        )

    def setinputsizes(self, _sizes: object) -> None:
        """Do nothing: parameters have the types of their places."""
        self._check_open()

    def setoutputsize(self, _size: int, _column: int | None = None) -> None:
        """Do nothing: values are fetched whole."""
        self._check_open()

    # --- the end --------------------------------------------------------------------------------

    def cancel(self) -> None:
        """End the streaming query, from any thread: a fetch raises `rowtime.Cancelled`."""
        if isinstance(self._result, StreamResult):
            self.connection.database.release(self._result.reader)

    def close(self) -> None:
        """Close the cursor: its query ends, and its producer closes.

        Closing again does nothing.
        """
        with uninterrupted():  # an exception in between would leave the producer open
            with self._lock:
                if self._closed:
                    return
                self._closed = True
            self._end_query()
            self._close_producer()

    def _end_query(self) -> None:
        """End the streaming query, if there is one, and discard the result."""
        self.cancel()
        self._result, self._fetched = None, 0

    def _close_producer(self) -> None:
        """Close this cursor's producer, if there is one."""
        if self._producer is not None:
            with uninterrupted():  # a producer that nobody knew would hold up the others
                producer, self._producer = self._producer, None
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
        """Let the database close the reader and producer later: no lock can be taken here."""
        if not self._closed:
            with uninterrupted():
                reader = self._result.reader if isinstance(self._result, StreamResult) else None
                self.connection.database.abandon(reader, self._producer)


def _is_same(a: Catalog, b: Catalog) -> bool:
    """Whether two catalogs are the same; the objects of a catalog never change in place."""
    return a.objects is b.objects and a.schema == b.schema
