"""Rows between Python, files and Spark, by way of Arrow, which holds every type exactly."""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false
# Arrow has no types of its own: this module is where it ends, and what it gives out is typed.

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import pyarrow as pa  # type: ignore[import-untyped]  # it has no types
import pyarrow.parquet as pq  # type: ignore[import-untyped]  # it has no types
from pyspark.sql import DataFrame, SparkSession

from algebra.expression import Value
from algebra.types import BIGINT, DATETIME, INTERVAL, TEXT, Kind, Type
from spark_backend.types import row_values

#: The column that holds a row's place in the order of arrival.
ARRIVAL: Final = "s"

_ARROW: Final[dict[Kind, pa.DataType]] = {
    Kind.BOOLEAN: pa.bool_(),
    Kind.TINYINT: pa.int8(),
    Kind.SMALLINT: pa.int16(),
    Kind.INTEGER: pa.int32(),
    Kind.BIGINT: pa.int64(),
    Kind.REAL: pa.float32(),
    Kind.DOUBLE: pa.float64(),
    Kind.VARBINARY: pa.binary(),
    Kind.NULL: pa.null(),
    **dict.fromkeys(TEXT, pa.string()),
    **dict.fromkeys(DATETIME | INTERVAL, pa.int64()),
}


def frame_of(
    session: SparkSession, types: Sequence[Type], rows: Sequence[Sequence[Value]], first: int = 0
) -> DataFrame:
    """The rows as columns ``c0``, ``c1``, … and `ARRIVAL`: their places from ``first`` on."""
    return session.createDataFrame(_table(types, rows, first))


def parquet(types: Sequence[Type], rows: Sequence[Sequence[Value]], first: int) -> bytes:
    """A Parquet file of what `frame_of` gives, as its bytes."""
    return _file_of(_table(types, rows, first))


def parquet_of(frame: DataFrame) -> tuple[bytes, int]:
    """A Parquet file of the rows of a frame, as its bytes, and how many rows they are."""
    table = frame.toArrow()
    return _file_of(table), table.num_rows


def _file_of(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    found: bytes = sink.getvalue().to_pybytes()
    return found


def write(file: Path, types: Sequence[Type], rows: Sequence[Sequence[Value]], first: int) -> None:
    """A Parquet file of what `frame_of` gives."""
    pq.write_table(_table(types, rows, first), file)


def read(file: Path, types: Sequence[Type]) -> Iterator[tuple[Value, ...]]:
    """The rows that `write` has written."""
    yield from _rows(pq.read_table(file).drop_columns([ARRIVAL]), types)


def collected(frame: DataFrame, types: Sequence[Type]) -> Iterator[tuple[Value, ...]]:
    """The rows of a frame with columns of these types; for many, faster than ``collect``."""
    for batch in frame.toArrow().to_batches():
        yield from _rows(batch, types)


def _rows(table: pa.Table | pa.RecordBatch, types: Sequence[Type]) -> Iterator[tuple[Value, ...]]:
    columns = [each.to_pylist() for each in table.columns]
    for row in zip(*columns, strict=True):
        yield row_values(types, row)


def _table(types: Sequence[Type], rows: Sequence[Sequence[Value]], first: int) -> pa.Table:
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(types)
    arrays = {
        f"c{i}": pa.array(column, _arrow_type(type))
        for i, (column, type) in enumerate(zip(columns, types, strict=True))
    }
    places = pa.array(range(first, first + len(rows)), _arrow_type(BIGINT))
    return pa.table({**arrays, ARRIVAL: places})


def _arrow_type(type: Type) -> pa.DataType:
    if type.kind is Kind.DECIMAL:
        return pa.decimal128(type.precision, type.scale)
    return _ARROW[type.kind]
