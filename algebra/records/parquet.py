"""Reads and writes Parquet files, with pyarrow if it is installed."""

import io
from collections.abc import Callable, Generator, Iterator, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, Final

from algebra.catalog import Column
from algebra.expression import Value
from algebra.outside.file_names import STANDARD
from algebra.records.arrow_columns import ArrowReader, always_fits, arrow_reader, fitted
from algebra.records.batch import BATCH, Batch
from algebra.records.column_places import places_of
from algebra.records.csv_fields import DEFAULT_TIMES, TimeForm
from algebra.records.opening import HINT, FileError, fault_of, open_bytes
from algebra.types import Kind, Type

#: Arrow's names of the types that have no parameters.
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


def parquet_batches(
    path: Path,
    columns: Sequence[Column],
    times: TimeForm = DEFAULT_TIMES,
    most: int = BATCH,
    needed: frozenset[int] | None = None,
) -> Generator[Batch]:
    """The rows of a Parquet file in batches of up to ``most``; a row's line is its number from 1.

    ``needed`` are the places of the columns whose values are needed.  With it, batches of valid
    rows have internal values, and NULL in other columns.  Then a column is read only if it is
    needed, or if its type in the file has values that may not fit the declared type.  Raises
    `FileError`, also if a column's type in the file is not read as the declared type.
    """
    arrow, parquet = _library(path)
    try:
        source = _source(path)
        with opened_parquet(parquet, source(), times) as file:
            schema = file.schema_arrow
            places = places_of(path, schema.names, columns)
            readers = [
                _reader(arrow, path, schema.field(place), column, times)
                for place, column in zip(places, columns, strict=True)
            ]
            fields = [schema.field(place) for place in places]
            unread = {  # the places of the columns that are not read, and are NULL in all rows
                i
                for i, (field, column) in enumerate(zip(fields, columns, strict=True))
                if not (needed is None or i in needed) and always_fits(arrow, field.type, column)
            }
            names = [field.name for i, field in enumerate(fields) if i not in unread]
            line = 1
            # Columns of INT96, which only strict times need in full.
            old = [name for name in _old_times(file) if times.strict and name in names]
            batches = file.iter_batches(most, columns=names)
            for found in _exact(arrow, parquet, source, batches, old, most) if old else batches:
                lines = range(line, line + found.num_rows)
                line += found.num_rows
                arrays = [
                    arrow.nulls(found.num_rows, field.type)
                    if i in unread
                    else found.column(field.name)
                    for i, field in enumerate(fields)
                ]
                if needed is not None:
                    values = _values(arrow, arrays, columns, times, needed)
                    if values is not None:
                        yield Batch((), lines, (), values)
                        continue
                read = [reader(array) for reader, array in zip(readers, arrays, strict=True)]
                yield Batch(tuple(zip(*read, strict=True)), lines, ())
    except OSError as error:
        raise fault_of(path, error) from None
    except (UnicodeDecodeError, arrow.ArrowException) as error:  # a name need not be UTF-8
        raise FileError(f"{path}: {error}") from None


def opened_parquet(
    parquet: Any, source: "io.BytesIO | Path", times: TimeForm = DEFAULT_TIMES
) -> Any:  # Any: pyarrow is not typed
    """Open a Parquet file so that its old times (INT96) are read as counts of milliseconds.

    With strict times they are counts of microseconds.  By default, pyarrow reads them as counts of
    nanoseconds, which overflow silently after the year 2262.  Counts of microseconds overflow after
    the year 294,247, and counts of milliseconds never.
    """
    unit = "us" if times.strict else "ms"
    return parquet.ParquetFile(source, coerce_int96_timestamp_unit=unit)


def _old_times(file: Any) -> list[str]:
    """The names of the columns of old times (INT96) in a Parquet file."""
    leaves = [file.schema.column(i) for i in range(len(file.schema))]
    return [each.path for each in leaves if each.physical_type == "INT96"]


def _exact(
    arrow: Any,
    parquet: Any,
    source: "Callable[[], io.BytesIO | Path]",
    batches: Iterator[Any],
    old: Sequence[str],
    most: int,
) -> Generator[Any]:
    """The ``batches``, changed so that strict times refuse any time with a part of a microsecond.

    The times are read in microseconds, which cuts this part off.  So each such time is made odd: an
    odd number of microseconds is not a whole number of milliseconds, and is refused.  To find these
    times, the columns ``old`` are read a second time, in nanoseconds, with at most ``most`` rows a
    batch.  A count of nanoseconds overflows after the year 2262, but then a thousand times
    the count of microseconds overflows to the same number.
    """
    compute = import_module("pyarrow.compute")
    with parquet.ParquetFile(source()) as file:
        for batch, fine in zip(batches, file.iter_batches(most, columns=old), strict=True):
            arrays = dict(zip(batch.schema.names, batch.columns, strict=True))
            for name in old:
                micros = arrays[name].cast(arrow.int64())
                nanos = fine.column(name).cast(arrow.int64())
                has_part = compute.not_equal(compute.multiply(micros, 1_000), nanos)
                marked = compute.if_else(has_part, compute.bit_wise_or(micros, 1), micros)
                arrays[name] = marked.cast(arrays[name].type)
            yield arrow.RecordBatch.from_arrays(list(arrays.values()), schema=batch.schema)


def _source(path: Path) -> "Callable[[], io.BytesIO | Path]":
    """A function that returns the file, or for ``-`` all bytes of standard input.

    They are kept in memory, because a Parquet file is read from its end, and may be read twice.
    """
    if str(path) != STANDARD:
        return lambda: path
    with open_bytes(path) as file:
        return partial(io.BytesIO, file.read())


def _values(
    arrow: Any,
    arrays: Sequence[Any],
    columns: Sequence[Column],
    times: TimeForm,
    needed: frozenset[int],
) -> Sequence[tuple[Value, ...]] | None:
    """The rows with the columns ``arrays``, as internal values; NULL in columns not needed.

    None: a value may not fit its column.
    """
    read: list[Sequence[Value]] = []
    for i, (array, column) in enumerate(zip(arrays, columns, strict=True)):
        values = fitted(arrow, array, column, times)
        if values is None:
            return None
        read.append(values.to_pylist() if i in needed else [None] * len(array))
    return list(zip(*read, strict=True))


def _reader(arrow: Any, path: Path, field: Any, column: Column, times: TimeForm) -> ArrowReader:
    """The reader of one column; `FileError` if its type is not read as the declared type."""
    reader = arrow_reader(arrow, field.type, column, times)
    if reader is None:
        hint = ""
        if column.type.kind is Kind.TIMESTAMP and arrow.types.is_integer(field.type):
            hint = f"{HINT}time_unit 'ms', or --times, reads milliseconds since 1970; or s, us, ns"
        raise FileError(
            f"{path}: column {field.name} has the type {field.type}, which is not read as "
            f"{column.type}{hint}"
        )
    return reader


class ParquetOutput:
    """A Parquet file that is being written; rows are in the internal representation.

    TIMESTAMP is written in milliseconds without a zone, an interval as a count of months or
    milliseconds.  Raises `FileError`.
    """

    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        self._arrow, parquet = _library(path)
        self._schema = arrow_schema(self._arrow, columns)
        self._writer = parquet.ParquetWriter(path, self._schema)

    def write(self, rows: Sequence[tuple[Value, ...]]) -> None:
        """Write the rows as one row group."""
        self._writer.write_table(arrow_table(self._arrow, self._schema, rows))

    def close(self) -> None:
        """Write the footer, without which the file cannot be read."""
        self._writer.close()


def write_parquet(
    to: BinaryIO, columns: Sequence[Column], rows: Sequence[tuple[Value, ...]]
) -> None:
    """Write rows of internal values as a Parquet file.  Raises `FileError` without pyarrow."""
    arrow, parquet = _library(Path("output"))
    parquet.write_table(arrow_table(arrow, arrow_schema(arrow, columns), rows), to)


def write_arrow(to: BinaryIO, columns: Sequence[Column], rows: Sequence[tuple[Value, ...]]) -> None:
    """Write rows of internal values as an Arrow IPC file.  Raises `FileError` without pyarrow."""
    arrow, _ = _library(Path("output"))
    table = arrow_table(arrow, arrow_schema(arrow, columns), rows)
    with arrow.ipc.new_file(to, table.schema) as file:
        file.write_table(table)


def arrow_schema(arrow: Any, columns: Sequence[Column]) -> Any:  # Any: pyarrow is not typed
    """The Arrow schema for rows of internal values."""
    types = [_stored(arrow, column.type) for column in columns]
    return arrow.schema(zip([column.name for column in columns], types, strict=True))


def arrow_table(arrow: Any, schema: Any, rows: Sequence[tuple[Value, ...]]) -> Any:
    """The Arrow table with these rows of internal values."""
    arrays = [
        arrow.array([row[place] for row in rows], field.type) for place, field in enumerate(schema)
    ]
    return arrow.table(arrays, schema=schema)


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
    """The modules pyarrow and pyarrow.parquet; raises `FileError` if they are missing."""
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise FileError(f"{path}: Parquet needs pyarrow: pip install pyarrow") from None
