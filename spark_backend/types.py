"""The algebra's types as types of Spark, and the conversion of values.

Every date, time and interval is a BIGINT, in the algebra's own unit: days, milliseconds or months.
So rounding, STEP, RANGE frames, windows and join distances are integer arithmetic, exact to the
millisecond; only the calendar (months, fields of dates) uses Spark's DATE.  Spark's own types do
not fit: its timestamps count microseconds, its frames take no months, and its TIME is new.
"""

from collections.abc import Sequence
from decimal import Context, Decimal
from operator import itemgetter
from typing import Final, TypeAlias, TypeVar

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses
from pyspark.sql import types as spark

from algebra.expression import Value
from algebra.types import (
    APPROXIMATE,
    DATETIME,
    INTEGERS,
    INTERVAL,
    MAX_PRECISION,
    TEXT,
    Kind,
    Type,
)
from spark_backend.made_once import constant

#: A row of internal values.
Row: TypeAlias = tuple[Value, ...]

_T = TypeVar("_T")

_DIGITS: Final = Context(prec=MAX_PRECISION)

#: Spark's types for the kinds that have no parameters.
_PLAIN: Final[dict[Kind, spark.DataType]] = {
    Kind.BOOLEAN: spark.BooleanType(),
    Kind.TINYINT: spark.ByteType(),
    Kind.SMALLINT: spark.ShortType(),
    Kind.INTEGER: spark.IntegerType(),
    Kind.BIGINT: spark.LongType(),
    Kind.REAL: spark.FloatType(),
    Kind.DOUBLE: spark.DoubleType(),
    Kind.VARBINARY: spark.BinaryType(),
    Kind.NULL: spark.NullType(),
    **dict.fromkeys(TEXT, spark.StringType()),
    **dict.fromkeys(DATETIME | INTERVAL, spark.LongType()),
}

#: The kinds whose values need no conversion: each value of Spark's type is a value of the SQL type.
_ITSELF: Final = INTEGERS | APPROXIMATE | {Kind.BOOLEAN, Kind.VARBINARY, Kind.DECIMAL}


def spark_type(type: Type) -> spark.DataType:
    """The Spark type of a column of ``type``."""
    if type.kind is Kind.DECIMAL:
        return spark.DecimalType(type.precision, type.scale)
    return _PLAIN[type.kind]


def type_name(type: Type) -> str:
    """The name of `spark_type`, for casts: a name takes one call to Java, and a type ten calls."""
    return spark_type(type).simpleString()


def is_itself(type: Type) -> bool:
    """Whether every value of `spark_type` is unchanged as a value of ``type``."""
    return type.kind in _ITSELF or (type.kind is Kind.VARCHAR and not type.precision)


def literal(value: Value, type: Type) -> Column:
    """A constant as a column of `spark_type`; it never becomes part of a SQL text."""
    # Only NULL and integers are cached by value.  Of other values, equal ones can be different (0.0
    # and -0.0, or DECIMALs with different scales), and a text can be long.
    if value is None or isinstance(value, int):
        return constant(value, type_name(type))
    return F.lit(value).cast(type_name(type))


def null(type: Type) -> Column:
    """NULL of `spark_type`."""
    return constant(None, type_name(type))


def interval_in_range(value: Column, type: Type) -> Column:
    """``value``, an interval; OVERFLOW beyond 2^31 - 1 months or 2^63 - 1 milliseconds (S-207.n).

    The cast fails above the limit, and the negation fails for the integer that has no opposite.
    ``value`` is mentioned once, because Spark would compute it as often as it is mentioned.
    """
    narrow = value.cast("int" if type.kind is Kind.MONTHS else "bigint")
    opposite = -narrow
    return (-opposite).cast("bigint")


def columns_of(rows: Sequence[Sequence[_T]], width: int) -> list[list[_T]]:
    """The columns of rows with ``width`` values each; `ValueError` if a row has another width.

    For many rows this takes a third of the time of ``zip(*rows)``, which makes an iterator for each
    row.
    """
    if not set(map(len, rows)) <= {width}:
        raise ValueError(f"not all rows have {width} values")
    return [list(map(itemgetter(place), rows)) for place in range(width)]


def row_values(types: Sequence[Type], row: Sequence[object]) -> Row:
    """A row collected from Spark as internal values, one for each of ``types``."""
    return tuple(_value(type, each) for type, each in zip(types, row, strict=True))


def _value(type: Type, value: object) -> Value:
    """A value collected from Spark as an internal value of ``type``."""
    if value is None:
        return None
    if isinstance(value, bytearray):
        return bytes(value)
    if type.kind is Kind.DECIMAL:
        assert isinstance(value, Decimal), "Spark returns DECIMAL as Decimal"
        # The default context has 28 digits, a DECIMAL up to 38.
        exact = value.quantize(Decimal(1).scaleb(-type.scale), context=_DIGITS)
        return abs(exact) if exact.is_zero() else exact
    assert isinstance(value, bool | int | float | str | bytes), f"another value: {value!r}"
    return value
