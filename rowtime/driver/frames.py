"""DataFrames and tables of Arrow as tables of a database."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from algebra.catalog import Column
from algebra.records.arrow_columns import arrow_reader
from algebra.records.csv_fields import DEFAULT_TIMES
from algebra.records.discovery.columns import found_arrow_column
from algebra.records.discovery.declaration import FoundFiles, declaration
from algebra.wire import reader
from grammar.names import delimited, is_plain
from rowtime.driver.errors import DataError, ProgrammingError
from rowtime.driver.values import rows_of

if TYPE_CHECKING:
    from algebra.expression import Value
    from rowtime.driver.connection import Connection


def create_from_frame(connection: "Connection", name: str, frame: Any) -> int:
    """Create a table with the rows of a DataFrame or a table of Arrow; the number of rows.

    The index of a DataFrame is left out, and its NaN are NULL.  Raises `DataError` for a column
    whose type goes with no type of SQL; then there is no table.
    """
    try:
        arrow: Any = import_module("pyarrow")  # it has no types
    except ImportError:
        raise ProgrammingError("a frame needs pyarrow: pip install pyarrow") from None
    is_table = isinstance(frame, arrow.Table)
    table: Any = frame if is_table else arrow.Table.from_pandas(frame, preserve_index=False)
    pairs = zip(table.schema, table.columns, strict=True)
    found = tuple(found_arrow_column(arrow, field, values) for field, values in pairs)
    columns: list[Column] = []
    for each in found:
        if each.type is None:
            raise DataError(f"column {each.name} has the type {each.unread}, which is not read")
        columns.append(Column(each.name, each.type))
    connection.execute(declaration(name, FoundFiles(found, ()), rowtime=""))
    read: list[list[Value]] = []
    for column, array in zip(columns, table.columns, strict=True):
        values = arrow_reader(arrow, array.type, column, DEFAULT_TIMES)
        assert values is not None, "its type has been found"
        value = reader(column.type)
        read.append([value(each) for part in array.chunks for each in values(part)])
    rows = rows_of([each.type for each in columns], list(zip(*read, strict=True)))
    target = name.upper() if is_plain(name.upper()) else delimited(name)
    marks = ", ".join("?" for _ in columns)
    with connection.cursor() as cursor:
        cursor.executemany(f"INSERT INTO {target} VALUES ({marks})", rows)
    return len(rows)
