"""Parquet files, read and written with pyarrow if it is installed."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from algebra.catalog import Column
from algebra.expression import Value
from algebra.types import Kind, Type

#: What Arrow calls the types that have no parameters.
_STORED: Final = {
    Kind.BOOLEAN: "bool_",
    Kind.TINYINT: "int8",
    Kind.SMALLINT: "int16",
    Kind.INTEGER: "int32",
    Kind.BIGINT: "int64",
    Kind.REAL: "float32",
    Kind.DOUBLE: "float64",
    Kind.CHAR: "string",
    Kind.VARCHAR: "string",
    Kind.VARBINARY: "binary",
    Kind.DATE: "date32",
    Kind.MONTHS: "int64",
    Kind.MILLIS: "int64",
    Kind.NULL: "null",
}


class ParquetError(Exception):
    """A file that is not Parquet, or a missing pyarrow; the text says which."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Consecutive rows by column: the columns' names, and for each an equally long list."""

    names: Sequence[str]
    values: Sequence[Sequence[object]]


def parquet_columns(path: Path, most: int) -> Generator[Chunk]:
    """The columns of a file: a chunk with no rows, then chunks of up to ``most`` rows in order.

    Values are Python's: int, float, Decimal, str, bytes, bool, datetime, date, time, None.  Raises
    `ParquetError`.
    """
    arrow, parquet = _library(path)
    try:
        with parquet.ParquetFile(path) as file:
            names: list[str] = file.schema_arrow.names
            yield Chunk(names, [[] for _ in names])
            for batch in file.iter_batches(most):
                yield Chunk(names, [column.to_pylist() for column in batch.columns])
    except (OSError, UnicodeDecodeError, arrow.ArrowException) as error:  # a name may be no UTF-8
        raise ParquetError(f"{path}: {error}") from None


class ParquetFile:
    """A Parquet file that is being written; rows are in the internal representation.

    TIMESTAMP is written in milliseconds without a zone, an interval as a count of months or
    milliseconds.  Raises `ParquetError`.
    """

    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        self._arrow, parquet = _library(path)
        types = [_stored(self._arrow, column.type) for column in columns]
        names = [column.name for column in columns]
        self._schema = self._arrow.schema(zip(names, types, strict=True))
        self._writer = parquet.ParquetWriter(path, self._schema)

    def write(self, rows: Sequence[tuple[Value, ...]]) -> None:
        """Write the rows as one row group."""
        arrays = [
            self._arrow.array([row[place] for row in rows], field.type)
            for place, field in enumerate(self._schema)
        ]
        self._writer.write_table(self._arrow.table(arrays, schema=self._schema))

    def close(self) -> None:
        """Write the footer; the file is unreadable without it."""
        self._writer.close()


def _stored(arrow: Any, type: Type) -> Any:  # Any: pyarrow is not typed
    """Arrow's type for the internal representation of ``type``."""
    match type.kind:
        case Kind.DECIMAL:
            return arrow.decimal128(type.precision, type.scale)
        case Kind.TIME:
            return arrow.time32("ms")
        case Kind.TIMESTAMP:
            return arrow.timestamp("ms")
        case other:
            return getattr(arrow, _STORED[other])()


def _library(path: Path) -> tuple[Any, Any]:  # Any: pyarrow is not typed
    """The modules pyarrow and pyarrow.parquet; raises `ParquetError` if they are missing."""
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise ParquetError(f"{path}: Parquet needs pyarrow: pip install pyarrow") from None
