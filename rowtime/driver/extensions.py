"""Makes catalog objects of extension functions, which are written in Python.

Each call converts the arguments from values of SQL to values of Python, and the result back.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from algebra.binding.statement.define import define
from algebra.catalog import (
    Catalog,
    Column,
    Extension,
    ExternalFunction,
    Profile,
    Stream,
    TableFunction,
)
from algebra.catalog import Transform as RowTransform
from algebra.expression import Value
from algebra.functions.type_names import bind_type
from algebra.monotonicity.columns import rowtime_column
from algebra.plan import Reads, Scan
from algebra.types import MAX_TIMESTAMP, MIN_TIMESTAMP, TIMESTAMP, Field, Type
from grammar import statement as syntax
from grammar.codes import Code
from grammar.parse import parse_statement
from grammar.source import SqlError
from reference.snapshot import NoSnapshotError, SnapshotError, stateful
from reference.values import failure
from rowtime.driver.errors import DataError
from rowtime.driver.values import Python, millis_of, plain_value, python_of, value_of
from rowtime.extensions.installed import FUNCTIONS, LOG, TABLE_FUNCTIONS, installed
from rowtime.extensions.protocols import Function, InputColumn, Restorable, SentRow, Transform
from rowtime.extensions.protocols import TableFunction as PythonTableFunction

_HINT: Final = "correct the function, or the values it is called with"


def catalog_functions(
    functions: Iterable[Function] = (), table_functions: Iterable[PythonTableFunction] = ()
) -> list[Extension]:
    """All installed functions, and those of the parameters, for a catalog.

    A function of the parameters replaces an installed one with the same name.

    Raises `SqlError` if the signature of a given function is not valid.

    Defines: S-611.a, S-611.i, S-611.j
    """
    return [
        *_usable(installed(FUNCTIONS), _external_function),
        *_usable(installed(TABLE_FUNCTIONS), _table_function),
        *map(_external_function, functions),
        *map(_table_function, table_functions),
    ]


def _usable(found: Mapping[str, Any], make: Callable[[Any], Extension]) -> Iterator[Extension]:
    """The extensions that ``make`` makes of the installed functions; a failure is only logged."""
    for name, each in found.items():
        try:
            yield make(each)
        except Exception as error:
            LOG.error("plug-in %s cannot be used: %s", name, error)


# --- scalar functions ---------------------------------------------------------------------------


def _external_function(function: Function) -> ExternalFunction:
    """A scalar function for the catalog.  Raises `SqlError` if its signature is not valid."""
    signature = function.signature
    statement, parameters = _declared(f"CREATE FUNCTION {signature} RETURN NULL")
    returns = bind_type(statement.returns, signature).as_nullable()
    name = tuple(each.name for each in statement.name.parts)
    readers = [python_of(each.type) for each in parameters]

    def call(*values: Value) -> Value:
        arguments = [read(value) for read, value in zip(readers, values, strict=True)]
        try:
            result = function(*arguments)
        except Exception as error:
            raise _failed(name[-1], error) from None
        try:
            return value_of(returns, _as_python(result))
        except DataError:
            message = f"{name[-1]} returned {result!r}, which is no {returns}"
            raise failure(Code.EXTERNAL_ROUTINE, message, _HINT) from None

    return ExternalFunction(name, parameters, returns, call)


def _declared(sql: str) -> tuple[syntax.CreateFunction, tuple[Field, ...]]:
    """Parse a CREATE FUNCTION statement; return it with the types of its parameters."""
    statement = parse_statement(sql)
    assert isinstance(statement, syntax.CreateFunction)
    fields = [Field(p.name.name, bind_type(p.type, sql)) for p in statement.parameters]
    return statement, tuple(fields)


def _as_python(value: object) -> Python:
    """``value`` as the driver accepts it (`plain_value`).  Raises `DataError`."""
    try:
        return plain_value(value)
    except ValueError as error:
        raise DataError(str(error)) from None


def _failed(name: str, error: Exception) -> SqlError:
    """The SQL error for an exception that an extension function has raised.

    Defines: S-611.g
    """
    message = f"{name} has failed: {type(error).__name__}: {error}"
    return failure(Code.EXTERNAL_ROUTINE, message, _HINT)


# --- table functions ----------------------------------------------------------------------------


def _table_function(function: PythonTableFunction) -> TableFunction:
    """A table function for the catalog.  Raises `SqlError` if its signature is not valid."""
    statement, parameters = _declared(
        f"CREATE FUNCTION {function.signature} RETURNS INTEGER RETURN NULL"
    )
    name = tuple(each.name for each in statement.name.parts)
    readers = [python_of(each.type) for each in parameters]

    def python_arguments(values: Sequence[Value]) -> list[Python]:
        return [read(value) for read, value in zip(readers, values, strict=True)]

    def columns(input: Sequence[Column], values: Sequence[Value]) -> tuple[Column, ...]:
        try:
            text = function.columns(_described(input), *python_arguments(values))
        except ValueError:
            raise
        except Exception as error:
            raise _failed(name[-1], error) from None
        return _columns(text)

    def start(input: Sequence[Column], values: Sequence[Value]) -> RowTransform:
        def begin() -> Transform:
            return function.start(_described(input), *python_arguments(values))

        return RunningTransform(name[-1], input, columns(input, values), begin)

    return TableFunction(name, parameters, columns, start)


def _columns(text: str) -> tuple[Column, ...]:
    """The columns in ``text``, which is written as in CREATE STREAM."""
    sql = f"CREATE STREAM OUTPUT ({text})"
    statement = parse_statement(sql)
    assert isinstance(statement, syntax.CreateStream)
    stream = define(statement, Catalog(), Profile.CALCITE, sql).objects["OUTPUT",]
    assert isinstance(stream, Stream)
    return stream.columns


def _described(columns: Sequence[Column]) -> list[InputColumn]:
    """The columns of an input, as a table function gets them."""
    rowtime = rowtime_column(Scan(Stream((), tuple(columns)), Reads.STREAM))
    return [
        InputColumn(
            each.name, f"{each.type}{'' if each.type.nullable else ' NOT NULL'}", i == rowtime
        )
        for i, each in enumerate(columns)
    ]


@stateful
class RunningTransform:
    """A call of a table function in a running query.

    It is the `RowSink` into which the function sends its output.  The function is started at the
    first rows, and not before, so that an error of the start ends the query.
    """

    def __init__(
        self,
        name: str,
        input: Sequence[Column],
        output: Sequence[Column],
        begin: Callable[[], Transform],
    ) -> None:
        self._name = name
        self._begin = begin
        self._transform: Transform | None = None
        self._readers = [python_of(each.type) for each in input]
        self._output = output
        self._bound: int | None = None
        self._sent: list[tuple[Value, ...] | int] = []

    def __call__(
        self, rows: Sequence[tuple[Value, ...]], bound: int | None
    ) -> Sequence[tuple[Value, ...] | int]:
        """Pass rows, and the bound after them if it has changed, to the function.

        Returns the rows and bounds that the function sends, in their order.
        """
        try:
            if self._transform is None:
                self._transform = self._begin()
            for row in rows:
                values = [read(value) for read, value in zip(self._readers, row, strict=True)]
                self._transform.take_row(tuple(values), self)
            if bound is not None and bound != self._bound:
                self._bound = bound
                self._transform.take_rowtime_bound(time_of(bound), self)
        except SqlError:
            raise
        except Exception as error:
            raise _failed(self._name, error) from None
        sent, self._sent = self._sent, []
        return sent

    def saved_state(self) -> object:
        """The bound so far, and the function's own state. Raises `NoSnapshotError`."""
        if self._transform is None:
            return None
        if not isinstance(self._transform, Restorable):
            raise NoSnapshotError(f"{self._name} does not give its state")
        try:
            return self._bound, self._transform.state()
        except Exception as error:
            raise NoSnapshotError(f"{self._name} does not give its state: {error!r}") from error

    def restore_state(self, state: Any) -> None:  # Any: of `saved_state`
        """Continue from the saved state of the same function.

        Raises EXTERNAL_ROUTINE if the function fails, and `SnapshotError` if it takes no state.
        """
        if state is None:
            return
        self._bound, of_function = state
        try:
            self._transform = self._begin()
            if isinstance(self._transform, Restorable):
                self._transform.restore(of_function)
                return
        except Exception as error:
            raise _failed(self._name, error) from None
        raise SnapshotError(f"{self._name} takes over no state any more")

    def send_row(self, row: SentRow) -> None:
        """Send a row of the output.  Raises `ValueError` or `DataError` if it is not a row."""
        self._sent.append(row_of([each.name for each in self._output], self._types, row))

    def send_rowtime_bound(self, at: datetime) -> None:
        """Set the bound of the output."""
        self._sent.append(millis_of(at))

    @property
    def _types(self) -> list[Type]:
        return [each.type for each in self._output]


def time_of(millis: int) -> datetime:
    """A rowtime or bound as a datetime.

    A bound outside of the years 1 to 9999 becomes the first or the last datetime.  The last one is
    a microsecond that no rowtime has, because rowtimes have milliseconds.

    Defines: S-611.h
    """
    if millis > MAX_TIMESTAMP:
        return datetime.max
    if millis < MIN_TIMESTAMP:
        return datetime.min
    at = python_of(TIMESTAMP)(millis)
    assert isinstance(at, datetime)
    return at


def _by_name(names: Sequence[str], row: Mapping[str, object]) -> list[object]:
    """The values of a mapping in the order of the columns; a column that it lacks is NULL.

    A name that is not exactly that of a column is compared in upper case, as in files.  Raises
    `ValueError` for a name of no column, and for two names of one column.
    """
    values: dict[str, object] = {}
    folded = {name.upper(): name for name in names}
    for name, value in row.items():
        column = name if name in names else folded.get(name.upper())
        if column is None:
            raise ValueError(f"a row has {name!r}; the columns are {', '.join(names)}")
        if column in values:
            raise ValueError(f"a row has column {column} twice")
        values[column] = value
    return [values.get(name) for name in names]


def row_of(names: Sequence[str], types: Sequence[Type], row: SentRow) -> tuple[Value, ...]:
    """A row sent by an extension, as values of SQL.

    ``row`` is a sequence of values, or a mapping by the names of columns.  Raises `DataError` for
    a value of another type, and `ValueError` for a row of another width, for a mapping with other
    names, and for a text.
    """
    if isinstance(row, Mapping):
        row = _by_name(names, row)
    elif isinstance(row, str | bytes):
        raise ValueError(f"{row!r} is not a row")
    if len(row) != len(names):
        raise ValueError(f"a row has {len(row)} values for {len(names)} columns")
    return tuple([value_of(t, _as_python(v)) for t, v in zip(types, row, strict=True)])
