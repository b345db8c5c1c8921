"""Whether three ways of one question give the same rows: streaming, relational, DuckDB."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from importlib import import_module
from typing import Any, Final

import duckdb

from algebra.catalog import Column
from algebra.expression import Value
from algebra.types import Kind, RowType
from algebra.wire import writer

Row = tuple[Value, ...]
#: Digits of a DOUBLE that are compared: DuckDB's averages need not be rounded correctly.
DIGITS: Final = 12

pa: Any = import_module("pyarrow")  # it has no types
_ARROW: Final[Mapping[Kind, Any]] = {
    Kind.BIGINT: pa.int64(),
    Kind.INTEGER: pa.int32(),
    Kind.DOUBLE: pa.float64(),
    Kind.VARCHAR: pa.string(),
    Kind.DATE: pa.date32(),
    Kind.TIMESTAMP: pa.timestamp("ms"),
}


def connected(tables: Mapping[str, tuple[Sequence[Column], Sequence[Row]]]) -> Any:
    """DuckDB with these tables, their names in lower case."""
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    for name, (columns, rows) in tables.items():
        arrow = pa.table(
            {
                column.name.lower(): pa.array([row[at] for row in rows], _ARROW[column.type.kind])
                for at, column in enumerate(columns)
            }
        )
        connection.register("arrow", arrow)
        connection.execute(f'CREATE TABLE "{name.lower()}" AS SELECT * FROM arrow')
        connection.unregister("arrow")
    return connection


def same(ours: RowType, rows: Iterable[Row], theirs: Iterable[Sequence[Any]]) -> bool:
    """Whether the rows are those of DuckDB, in any order."""
    writers = [writer(field.type) for field in ours]
    here = Counter(
        tuple(_plain(write(v)) for write, v in zip(writers, row, strict=True)) for row in rows
    )
    return here == Counter(tuple(map(_plain, row)) for row in theirs)


def _plain(value: Any) -> object:
    """A value as both sides write it."""
    match value:
        case float():
            return float(f"{value:.{DIGITS}g}")
        case Decimal():
            return format(value, "f")
        case datetime():
            return value.isoformat(" ", "milliseconds" if value.microsecond else "seconds")
        case date() | time():
            return value.isoformat()
        case timedelta():
            return value / timedelta(milliseconds=1)
        case _:
            return value
