"""Rows between Python, files and Spark as Arrow tables, which hold every type exactly."""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false
# Arrow has no type annotations; the functions of this module have them.

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, Protocol

import pyarrow as pa  # type: ignore[import-untyped]  # it has no types
import pyarrow.parquet as pq  # type: ignore[import-untyped]  # it has no types
from pyspark.sql import DataFrame, SparkSession

from algebra.expression import Value
from algebra.types import BIGINT, DATETIME, INTERVAL, TEXT, Kind, Type
from spark_backend.types import Row, columns_of, row_values

#: The column with a row's place in the order of arrival.
ARRIVAL: Final = "s"

#: Arrow's types for the kinds that have no parameters.
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


class Table(Protocol):
    """An Arrow table, for callers that only pass it on."""

    @property
    def num_rows(self) -> int:
        """The number of rows."""
        ...


def frame_of(
    session: SparkSession, types: Sequence[Type], rows: Sequence[Sequence[Value]], first: int = 0
) -> DataFrame:
    """The table that `table_of` returns for these parameters, as a frame of Spark."""
    return session.createDataFrame(table_of(types, rows, first))


def table_from(frame: DataFrame) -> Table:
    """All rows of a frame, as an Arrow table in this process."""
    found: Table = frame.toArrow()
    return found


def parquet_of(table: Table) -> bytes:
    """The bytes of a Parquet file with the rows of a table."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    found: bytes = sink.getvalue().to_pybytes()
    return found


def write(file: Path, types: Sequence[Type], rows: Sequence[Sequence[Value]], first: int) -> None:
    """Write the table that `table_of` returns for these parameters as a Parquet file."""
    pq.write_table(table_of(types, rows, first), file)


def read(file: Path, types: Sequence[Type]) -> Iterator[Row]:
    """The rows that `write` has written, without their places."""
    yield from _rows(pq.read_table(file).drop_columns([ARRIVAL]), types)


def collected(frame: DataFrame, types: Sequence[Type]) -> Iterator[Row]:
    """The rows of a frame with columns of these types; for many rows faster than ``collect``."""
    for batch in frame.toArrow().to_batches():
        yield from _rows(batch, types)


def _rows(table: pa.Table | pa.RecordBatch, types: Sequence[Type]) -> Iterator[Row]:
    """The rows of an Arrow table or batch as internal values."""
    columns = [each.to_pylist() for each in table.columns]
    for row in zip(*columns, strict=True):
        yield row_values(types, row)


def table_of(types: Sequence[Type], rows: Sequence[Sequence[Value]], first: int) -> Table:
    """The rows as columns ``c0``, ``c1``, … and `ARRIVAL`, which numbers them from ``first`` on."""
    columns = columns_of(rows, len(types))
    arrays = {
        f"c{i}": pa.array(column, arrow_type(type))
        for i, (column, type) in enumerate(zip(columns, types, strict=True))
    }
    places = pa.array(range(first, first + len(rows)), arrow_type(BIGINT))
    found: Table = pa.table({**arrays, ARRIVAL: places})
    return found


def arrow_type(type: Type) -> pa.DataType:
    """The Arrow type of a column of ``type``."""
    if type.kind is Kind.DECIMAL:
        return pa.decimal128(type.precision, type.scale)
    return _ARROW[type.kind]
