"""Converts the rows of a result to a table of Arrow."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from algebra.types import Field, Kind, Type
from reference.relation import Relation
from rowtime.driver.errors import NotSupportedError
from rowtime.driver.values import rows_of


def arrow_table(fields: Sequence[Field], rows: Relation) -> Any:  # Any: a pyarrow.Table
    """The rows as a table with the columns' names and types; NULL is null.

    An interval of months becomes a text.  Raises `NotSupportedError` if pyarrow is not installed.
    """
    try:
        pa: Any = import_module("pyarrow")
    except ImportError:
        raise NotSupportedError("this needs pyarrow: pip install pyarrow") from None
    types: dict[Kind, Callable[[Type], Any]] = {
        Kind.BOOLEAN: lambda _: pa.bool_(),
        Kind.TINYINT: lambda _: pa.int8(),
        Kind.SMALLINT: lambda _: pa.int16(),
        Kind.INTEGER: lambda _: pa.int32(),
        Kind.BIGINT: lambda _: pa.int64(),
        Kind.DECIMAL: lambda each: pa.decimal128(each.precision, each.scale),
        Kind.REAL: lambda _: pa.float32(),
        Kind.DOUBLE: lambda _: pa.float64(),
        Kind.VARBINARY: lambda _: pa.binary(),
        Kind.DATE: lambda _: pa.date32(),
        Kind.TIME: lambda _: pa.time32("ms"),
        Kind.TIMESTAMP: lambda _: pa.timestamp("ms"),
        Kind.MILLIS: lambda _: pa.duration("ms"),
        Kind.NULL: lambda _: pa.null(),
    }
    text: Callable[[Type], Any] = lambda _: pa.string()  # noqa: E731 (like those in the table)
    schema = pa.schema(
        [
            pa.field(
                each.name,
                types.get(each.type.kind, text)(each.type),
                each.type.nullable,
            )
            for each in fields
        ]
    )
    values = rows_of([each.type for each in fields], rows)
    columns = [list(each) for each in zip(*values, strict=True)] or [[] for _ in fields]
    arrays = [pa.array(column, each.type) for column, each in zip(columns, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)
