"""SQL types as Spark's, and values between the wire, Parquet files and Arrow tables."""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false
# Arrow has no type annotations: the results of this module are typed.

from collections.abc import Sequence
from datetime import time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Final

import pyarrow as pa  # type: ignore[import-untyped]  # it has no types
import pyarrow.parquet as pq  # type: ignore[import-untyped]  # it has no types
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as spark

from algebra.types import Kind, RowType, Type
from algebra.wire import from_wire
from engines.dialect.unsupported import UnsupportedError
from tck.protocol import ColumnInfo, Wire, WireRow

_ARROW: Final[dict[Kind, pa.DataType]] = {
    Kind.BOOLEAN: pa.bool_(),
    Kind.TINYINT: pa.int8(),
    Kind.SMALLINT: pa.int16(),
    Kind.INTEGER: pa.int32(),
    Kind.BIGINT: pa.int64(),
    Kind.REAL: pa.float32(),
    Kind.DOUBLE: pa.float64(),
    Kind.CHAR: pa.string(),
    Kind.VARCHAR: pa.string(),
    Kind.VARBINARY: pa.binary(),
    Kind.DATE: pa.date32(),
    Kind.TIME: pa.time64("us"),
    Kind.TIMESTAMP: pa.timestamp("us", "UTC"),
    Kind.NULL: pa.null(),
}
_DECLARED: Final[dict[type[spark.DataType], str]] = {
    spark.BooleanType: "BOOLEAN",
    spark.ByteType: "TINYINT",
    spark.ShortType: "SMALLINT",
    spark.IntegerType: "INTEGER",
    spark.LongType: "BIGINT",
    spark.FloatType: "REAL",
    spark.DoubleType: "DOUBLE",
    spark.StringType: "VARCHAR",
    spark.BinaryType: "VARBINARY",
    spark.DateType: "DATE",
    spark.TimeType: "TIME(6)",
    spark.TimestampType: "TIMESTAMP(6)",
    spark.DayTimeIntervalType: "INTERVAL SECOND",
    spark.YearMonthIntervalType: "INTERVAL MONTH",
}


def declared(schema: spark.StructType) -> tuple[ColumnInfo, ...]:
    """The columns of a result as the protocol has them, with names in upper case."""
    return tuple(
        ColumnInfo(each.name.upper(), _declared(each.dataType), each.nullable)
        for each in schema.fields
    )


def _declared(type: spark.DataType) -> str:
    if isinstance(type, spark.DecimalType):
        return f"DECIMAL({type.precision}, {type.scale})"
    return _DECLARED.get(type.__class__, "ANY")


#: How columns come that Arrow or Python could not hold: intervals of months, and times outside the
#: years 1 to 9999.
_AS_TEXT: Final[dict[type[spark.DataType], str]] = {
    spark.YearMonthIntervalType: "CAST(CAST(CAST({} AS INTERVAL MONTH) AS INT) AS STRING)",
    spark.DateType: "CAST({} AS STRING)",
    spark.TimestampType: "CAST({} AS STRING)",
}


# --- values going in ------------------------------------------------------------------------------


def write(file: Path, names: Sequence[str], row_type: RowType, rows: Sequence[WireRow]) -> None:
    """Write rows from the wire as a Parquet file with columns of these names."""
    pq.write_table(_table(names, row_type, rows), file)


def frame_of(session: SparkSession, row_type: RowType, rows: Sequence[WireRow]) -> DataFrame:
    """Rows from the wire as a DataFrame."""
    names = [each.name for each in row_type]
    return session.createDataFrame(_table(names, row_type, rows))


def _table(names: Sequence[str], row_type: RowType, rows: Sequence[WireRow]) -> pa.Table:
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(row_type)
    arrays = [
        pa.array([_arriving(each.type, value) for value in column], _arrow_type(each.type))
        for each, column in zip(row_type, columns, strict=True)
    ]
    fields = [
        pa.field(name, _arrow_type(each.type), nullable=True)
        for name, each in zip(names, row_type, strict=True)
    ]
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


def _arrow_type(type: Type) -> pa.DataType:
    match type.kind:
        case Kind.DECIMAL:
            return pa.decimal128(type.precision, type.scale)
        case Kind.MILLIS:
            return pa.duration("us")
        case Kind.MONTHS:
            raise UnsupportedError("Arrow and Spark exchange no INTERVAL of months")
        case kind:
            return _ARROW[kind]


def _arriving(type: Type, value: Wire) -> object:
    """A value on the wire as Arrow takes it; a TIMESTAMP is also an ``int``, in microseconds."""
    if type.kind is Kind.TIMESTAMP and isinstance(value, int):
        return value
    inside = from_wire(type.as_nullable(), value)
    if type.kind in {Kind.TIME, Kind.TIMESTAMP, Kind.MILLIS} and isinstance(inside, int):
        return inside * 1000
    return inside


# --- values from Spark ----------------------------------------------------------------------------


def collected(frame: DataFrame) -> tuple[WireRow, ...]:
    """All rows of a DataFrame on the wire, by the types that `declared` gives its columns."""
    types = [each.dataType.__class__ for each in frame.schema.fields]
    if any(each in _AS_TEXT for each in types):
        names = [f"`{each.replace('`', '``')}`" for each in frame.columns]
        frame = frame.selectExpr(
            *(
                f"{_AS_TEXT.get(type, '{}').format(name)} AS {name}"
                for name, type in zip(names, types, strict=True)
            )
        )
    columns = [
        [_padded(each) if type is spark.TimestampType else each for each in column.to_pylist()]
        for column, type in zip(frame.toArrow().columns, types, strict=True)
    ]
    return tuple(tuple(_leaving(each) for each in row) for row in zip(*columns, strict=True))


def _leaving(value: object) -> Wire:
    """A value of Arrow's on the wire."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return _float(value)
        case Decimal():
            return format(value, "f")
        case bytes():
            return value.hex()
        case time():
            return _padded(value.isoformat())
        case timedelta():
            return _seconds(value)
        case _:
            raise TypeError(f"no value on the wire: {value!r}")


def _float(value: float) -> Wire:
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def _padded(text: str | None) -> str | None:
    """A time with three digits of a fraction, or six where three are too few.

    >>> _padded("2015-02-15 10:17:00.25")
    '2015-02-15 10:17:00.250'
    """
    if text is None or "." not in text:
        return text
    whole, fraction = text.split(".")
    fraction = fraction.rstrip("0")
    return f"{whole}.{fraction.ljust(3 if len(fraction) <= 3 else 6, '0')}"


def _seconds(value: timedelta) -> str:
    """An interval as INTERVAL SECOND.

    >>> _seconds(timedelta(minutes=-1, milliseconds=-500))
    '-60.5'
    """
    micros = value // timedelta(microseconds=1)
    sign, whole, rest = "-" if micros < 0 else "", *divmod(abs(micros), 1_000_000)
    return f"{sign}{whole}" + (f".{rest:06}".rstrip("0") if rest else "")
