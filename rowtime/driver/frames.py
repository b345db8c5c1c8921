"""Creates tables of a database from DataFrames and from tables of Arrow."""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from algebra.catalog import Column
from algebra.records.arrow_columns import arrow_reader
from algebra.records.csv_fields import DEFAULT_TIMES
from algebra.records.discovery.columns import found_arrow_column
from algebra.records.discovery.declaration import FoundFiles, declaration
from algebra.wire import read_column
from grammar.names import delimited, is_plain
from rowtime.driver.errors import DataError, ProgrammingError
from rowtime.driver.values import rows_of

if TYPE_CHECKING:
    from algebra.expression import Value
    from rowtime.driver.connection import Connection


def create_from_frame(connection: "Connection", name: str, frame: Any) -> int:
    """Create a table with the rows of a DataFrame or a table of Arrow; return their number.

    The index of a DataFrame is left out, and its NaN become NULL.  Raises `DataError` for a column
    whose type has no counterpart in SQL, and for a value that the column's type does not have; then
    no table is created.
    """
    try:
        arrow: Any = import_module("pyarrow")  # it has no types
    except ImportError:
        raise ProgrammingError("a frame needs pyarrow: pip install pyarrow") from None
    table = _arrow_table(arrow, frame)
    pairs = zip(table.schema, table.columns, strict=True)
    found = tuple(found_arrow_column(arrow, field, values) for field, values in pairs)
    columns: list[Column] = []
    for each in found:
        if each.type is None:
            raise DataError(f"column {each.name} has the type {each.unread}, which is not read")
        columns.append(Column(each.name, each.type))
    pairs = zip(columns, table.columns, strict=True)
    read = [_values(arrow, column, array) for column, array in pairs]
    rows = rows_of([each.type for each in columns], list(zip(*read, strict=True)))
    connection.execute(declaration(name, FoundFiles(found, ()), rowtime=""))
    target = name.upper() if is_plain(name.upper()) else delimited(name)
    marks = ", ".join("?" for _ in columns)
    with connection.cursor() as cursor:
        cursor.executemany(f"INSERT INTO {target} VALUES ({marks})", rows)
    return len(rows)


def _arrow_table(arrow: Any, frame: Any) -> Any:  # Any: neither pyarrow nor pandas is typed
    """``frame`` as a table of Arrow.  Raises `DataError` and `ProgrammingError`."""
    # If the frame is a DataFrame of pandas, the caller has imported pandas.
    pandas: Any = sys.modules.get("pandas")
    try:
        if pandas is not None and isinstance(frame, pandas.DataFrame):
            return arrow.Table.from_pandas(frame, preserve_index=False)
        if hasattr(frame, "__arrow_c_stream__"):
            return arrow.table(frame)
    except (arrow.ArrowException, TypeError, ValueError) as error:
        raise DataError(f"the frame is not read: {': '.join(map(str, error.args))}") from None
    message = f"a table is made of a DataFrame or a table of Arrow, not of {type(frame).__name__}"
    raise ProgrammingError(message)


def _values(arrow: Any, column: Column, array: Any) -> "list[Value]":  # Any: pyarrow is not typed
    """The values of the Arrow column ``array``, as values of SQL.  Raises `DataError`."""
    read = arrow_reader(arrow, array.type, column, DEFAULT_TIMES)
    assert read is not None, "its type has been found"
    try:
        return [each for part in array.chunks for each in read_column(column.type, read(part))]
    except ValueError as error:
        raise DataError(f"column {column.name}: {error}") from None
