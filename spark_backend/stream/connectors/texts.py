"""Conversion of texts and foreign values to internal values, and back, in columns of Spark.

`algebra.records.csv_fields` and `algebra.wire` define the value of a text.  The columns here
compute the same values for texts in the usual form.  For other texts (a number with a blank, a name
in unusual case, a record that is not JSON) a second column is true: the value is *in doubt*.  Such
texts are few, and the Python code of `algebra.records.csv_fields` reads them. So both engines read
a file alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pyspark.sql import Column as Spark
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses
from pyspark.sql import types as spark

from algebra.outside.read_times import PER_SECOND
from algebra.records.csv_fields import DEFAULT_TIMES, Dialect, TimeForm
from algebra.types import (
    APPROXIMATE,
    INTEGERS,
    INTERVAL,
    MAX_TIMESTAMP,
    MILLIS_PER_DAY,
    MIN_TIMESTAMP,
    TEXT,
    Kind,
    Type,
)
from algebra.wire import writer
from spark_backend.types import is_itself, null, spark_type, type_name

#: The usual forms of dates, times and floating-point numbers.
_DATE: Final = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME: Final = r"[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,3})?"
_FLOAT: Final = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"
#: The character that replaces bytes that are not UTF-8.
_REPLACED: Final = "\N{REPLACEMENT CHARACTER}"


@dataclass(frozen=True, slots=True)
class Reading:
    """A column of internal values; ``doubt`` is true where the value is not certain.

    ``sure``: the types alone show that ``doubt`` is false in every row.
    """

    value: Spark
    doubt: Spark
    sure: bool = False


#: The value that Spark returns for a quoted empty field; no field of a file has this text.
EMPTY: Final = "\ue000an empty text\ue000"


def of_text(text: Spark, type: Type) -> Reading:
    """A field of CSV: an empty field is NULL, but a quoted one in a text column is ''."""
    is_quoted_empty = text == F.lit(EMPTY)
    is_null = text.isNull() | (text == F.lit(""))
    known = _value_of_text(text, type)
    if type.kind is Kind.VARBINARY:
        pass  # such a field is always in doubt
    elif type.kind in TEXT:
        known = F.when(is_quoted_empty, _fitting(F.lit(""), type)).otherwise(known)
    else:
        is_null = is_null | F.coalesce(is_quoted_empty, F.lit(False))
    value = F.when(is_null, null(type)).otherwise(known)
    doubt = ~is_null & value.isNull()
    if type.kind in TEXT:
        doubt = doubt | F.coalesce(text.contains(_REPLACED), F.lit(False))
    return Reading(value, doubt)


def _value_of_text(text: Spark, type: Type) -> Spark:
    """The value of a non-empty text; NULL if it has no value, or is not in the usual form."""
    match type.kind:
        case Kind.BOOLEAN:
            low = F.lower(text)
            return F.when(low == F.lit("true"), F.lit(True)).when(
                low == F.lit("false"), F.lit(False)
            )
        case kind if kind in INTEGERS:
            return _if_in_form(text, "[+-]?[0-9]{1,19}", text.try_cast(type_name(type)))
        case Kind.DECIMAL:
            whole, scale = type.precision - type.scale, type.scale
            # As many digits as the type has; zeros before and after them do not count.
            digits = f"[+-]?0*[0-9]{{1,{max(whole, 1)}}}(\\.[0-9]{{0,{scale}}}0*)?"
            return _if_in_form(text, digits, text.try_cast(type_name(type)))
        case kind if kind in APPROXIMATE:
            double = text.try_cast("double")
            finite = F.when(F.abs(double) < F.lit(float("inf")), double)
            return _if_in_form(text, _FLOAT, _as_float(finite, type))
        case Kind.CHAR | Kind.VARCHAR:
            return _fitting(text, type)
        case Kind.DATE:
            return _if_in_form(text, _DATE, F.unix_date(text.try_cast("date")).cast("bigint"))
        case Kind.TIMESTAMP:
            moment = text.try_cast("timestamp_ntz").cast("timestamp")
            return _if_in_form(text, f"{_DATE}[ T]{_TIME}", F.unix_millis(moment))
        case Kind.TIME:
            moment = F.concat(F.lit("1970-01-01 "), text).try_cast("timestamp_ntz")
            return _if_in_form(text, _TIME, F.unix_millis(moment.cast("timestamp")))
        case _:
            return null(type)


def _if_in_form(text: Spark, form: str, value: Spark) -> Spark:
    """``value`` if the whole text matches the regular expression ``form``; else NULL."""
    return F.when(text.rlike(f"\\A({form})\\z"), value)


def _as_float(value: Spark, type: Type) -> Spark:
    """The DOUBLE, or the nearest REAL for a REAL; NULL if it is out of range."""
    if type.kind is Kind.DOUBLE:
        return value
    narrow = value.cast("float")
    return F.when(F.abs(narrow) < F.lit(float("inf")), narrow)


def _fitting(text: Spark, type: Type) -> Spark:
    """The text, padded for a CHAR; NULL if it is longer than the type allows."""
    if not type.precision:
        return text
    own = F.rpad(text, type.precision, " ") if type.kind is Kind.CHAR else text
    return F.when(F.length(text) <= F.lit(type.precision), own)


# --- JSON ---------------------------------------------------------------------------------------

#: A line with one JSON object that has no objects in it: any other ``}`` makes it doubtful.
_OBJECT: Final = r"^\s*\{[^}]*\}\s*$"
#: The escape of one half of a character outside the basic plane (a surrogate).
_HALF: Final = r"\\u[dD][89a-fA-F]"
#: The strings that Spark returns for values that are not texts, such as numbers and arrays.  Some
#: texts match, too, and are then in doubt.
_NO_TEXT: Final = r"^(-?[0-9].*|true|false|null|NaN|-?Infinity|[\[{].*)$"

#: Spark's type for a member of JSON; the members of other kinds are read as texts.
_JSON: Final[dict[Kind, spark.DataType]] = {
    Kind.BOOLEAN: spark.BooleanType(),
    Kind.TINYINT: spark.ByteType(),
    Kind.SMALLINT: spark.ShortType(),
    Kind.INTEGER: spark.IntegerType(),
    Kind.BIGINT: spark.LongType(),
    Kind.REAL: spark.DoubleType(),
    Kind.DOUBLE: spark.DoubleType(),
}


def parsed_json(line: Spark, types: Sequence[Type], spellings: Sequence[Sequence[str]]) -> Spark:
    """A line of JSON as a struct with a field for each spelling of each column's name, in order.

    The struct is NULL if the whole line is in doubt.
    """
    fields = [
        spark.StructField(name, _JSON.get(type.kind, spark.StringType()))
        for type, names in zip(types, spellings, strict=True)
        for name in names
    ]
    sound = line.rlike(_OBJECT) & ~line.rlike(_HALF) & ~line.contains(_REPLACED)
    if any(type.kind is Kind.DECIMAL for type in types):
        sound = sound & ~line.rlike("[0-9]{17}|[0-9][eE]")  # Spark may have changed its digits
    options = {"mode": "PERMISSIVE", "allowSingleQuotes": "false"}
    return F.when(sound, F.from_json(line, spark.StructType(fields), options))


def of_json(members: Sequence[Spark], type: Type) -> Reading:
    """A column from the members that have its name, in any of its spellings.

    A line without such a member is in doubt: the member may be null, or have another spelling.  A
    line with two of them is in doubt, too.
    """
    known = [_of_member(each, type) for each in members]
    present = [F.when(each.isNotNull(), F.lit(1)).otherwise(F.lit(0)) for each in members]
    total = present[0]
    for each in present[1:]:
        total = total + each
    value = F.coalesce(*known) if len(known) > 1 else known[0]
    return Reading(value, value.isNull() | (total != F.lit(1)))


def _of_member(member: Spark, type: Type) -> Spark:
    """The value of a member of `parsed_json`; NULL if the member is NULL, or in doubt."""
    match type.kind:
        case kind if kind in APPROXIMATE:
            finite = F.abs(member) < F.lit(float("inf"))
            return F.when(finite, _as_float(member, type))
        case kind if kind in _JSON:
            return member
        case kind if kind in TEXT:
            return F.when(~member.rlike(_NO_TEXT), _fitting(member, type))
        case _:
            return _value_of_text(member, type)


# --- values of Parquet files and tables ---------------------------------------------------------


def of_value(
    value: Spark,
    found_type: spark.DataType,
    type: Type,
    times: TimeForm = DEFAULT_TIMES,
    *,
    nanos: bool = False,
) -> Reading:
    """A column of a Parquet file or table as internal values of ``type``.

    ``found_type`` is the column's type in Spark.  A value that does not fit is in doubt.  If an
    integer stands for a TIMESTAMP, it counts nanoseconds (``nanos``), or the unit of ``times``.
    """
    unit = "ns" if nanos and isinstance(found_type, spark.LongType) else times.unit
    if unit and type.kind is Kind.TIMESTAMP and isinstance(found_type, spark.IntegralType):
        found = _millis_of_count(value, unit, times)
    else:
        found = _converted(value, found_type, type, times)
    sure = is_itself(type) and found_type == spark_type(type)
    return Reading(found, value.isNotNull() & found.isNull(), sure)


def _millis_of_count(count: Spark, unit: str, times: TimeForm) -> Spark:
    """The milliseconds since 1970 of a count of ``unit``.

    NULL outside the years 1 to 9999.  A part of a millisecond is cut off; if ``times`` are strict,
    the result is then NULL.
    """
    wide = count.cast("decimal(20, 0)") * F.lit(1_000).cast("decimal(4, 0)")
    millis = F.floor(wide / F.lit(PER_SECOND[unit])).cast("bigint")
    fits = millis.between(MIN_TIMESTAMP, MAX_TIMESTAMP)
    if times.strict:
        fits = fits & (wide % F.lit(PER_SECOND[unit]) == 0)
    return F.when(fits, millis)


def _converted(value: Spark, found_type: spark.DataType, type: Type, times: TimeForm) -> Spark:
    """A value of Spark's type ``found_type`` as a value of ``type``; NULL if it does not fit."""
    whole = isinstance(found_type, spark.IntegralType)
    fraction = isinstance(found_type, spark.FloatType | spark.DoubleType)
    own = spark_type(type)
    match type.kind:
        case Kind.TIMESTAMP if isinstance(found_type, spark.TimestampNTZType | spark.TimestampType):
            millis = F.unix_millis(value.cast("timestamp"))
            micros = F.unix_micros(value.cast("timestamp"))
            return F.when(micros % 1_000 == 0, millis) if times.strict else millis
        case Kind.TIMESTAMP if isinstance(found_type, spark.DateType):
            return F.unix_date(value).cast("bigint") * F.lit(MILLIS_PER_DAY)
        case Kind.CHAR | Kind.VARCHAR if isinstance(found_type, spark.BinaryType):
            return _fitting(F.try_validate_utf8(value.cast("string")), type)
        case kind if kind in INTEGERS and isinstance(
            found_type, spark.FractionalType | spark.DecimalType
        ):
            return F.when(value % F.lit(1) == F.lit(0), value.try_cast(own))
        case Kind.DATE if isinstance(found_type, spark.DateType):
            return F.unix_date(value).cast("bigint")
        case Kind.DECIMAL if whole or isinstance(found_type, spark.DecimalType):
            exact = value.try_cast(own)
            return F.when(exact == value, exact)
        case kind if kind in INTEGERS and whole:
            return value if found_type == own else value.try_cast(own)
        case kind if kind in APPROXIMATE and (whole or fraction):
            if found_type == own:
                return value
            return _as_float(value.cast("double"), type)
        case Kind.CHAR | Kind.VARCHAR if isinstance(found_type, spark.StringType):
            return _fitting(value, type)
        case kind if kind in INTERVAL and whole:
            return value.cast("bigint")
        case Kind.BOOLEAN | Kind.VARBINARY if found_type == own:
            return value
        case _ if isinstance(found_type, spark.StringType):
            return _value_of_text(value, type)
        case _:
            return null(type)


# --- values as texts ----------------------------------------------------------------------------


def text_of(value: Spark, type: Type) -> Spark:
    """The text of a value in the protocol (`algebra.wire`); NULL for NULL."""
    match type.kind:
        case Kind.VARBINARY:
            return F.hex(value)
        case Kind.DATE:
            return F.date_format(F.date_from_unix_date(value.cast("int")), "yyyy-MM-dd")
        case Kind.TIMESTAMP:
            return _moment_text(value, "yyyy-MM-dd HH:mm:ss")
        case Kind.TIME:
            return _moment_text(value, "HH:mm:ss")
        case kind if kind in APPROXIMATE | INTERVAL:
            write = writer(type)

            def text(each: float | None) -> str | None:
                return None if each is None else str(write(each))

            return F.udf(text, "string", useArrow=False)(value)
        case _:
            return value.cast("string")


def _moment_text(value: Spark, form: str) -> Spark:
    """The text of milliseconds in a format of Java, with a fraction of three digits if not zero."""
    moment = F.timestamp_millis(value)
    return F.when(value % 1_000 == 0, F.date_format(moment, form)).otherwise(
        F.date_format(moment, f"{form}.SSS")
    )


def csv_line(values: Sequence[Spark], dialect: Dialect) -> Spark:
    """A record of CSV from the texts of its fields, as `algebra.records.printing` writes it."""
    quote, null = F.lit(dialect.quote), F.lit(dialect.null)
    characters = f"{dialect.delimiter}{dialect.quote}\r\n"
    # A set of characters: a field that has one of them must be quoted.
    special = "[" + "".join(f"\\x{{{ord(each):X}}}" for each in characters) + "]"
    fields: list[Spark] = []
    for each in values:
        quoted = F.concat(quote, F.replace(each, quote, F.concat(quote, quote)), quote)
        is_quoted = each.rlike(special) | (each == F.lit("")) | (each == null)
        field = F.when(each.isNull(), null).when(is_quoted, quoted).otherwise(each)
        fields.append(field)
    return F.concat_ws(dialect.delimiter, *fields)


def json_line(names: Sequence[str], values: Sequence[Spark], types: Sequence[Type]) -> Spark:
    """A JSON object on one line, with a member for each of ``names``; NULL is written as null.

    Integers, truth values and finite REALs and DOUBLEs are written as such, all others as strings.
    """
    members: list[Spark] = []
    for name, value, type in zip(names, values, types, strict=True):
        text = text_of(value, type)
        if type.kind in APPROXIMATE:
            special = F.isnan(value) | (F.abs(value) == F.lit(float("inf")))
            text = F.when(special, _json_text(text)).otherwise(text)
        elif type.kind not in INTEGERS | {Kind.BOOLEAN}:
            text = _json_text(text)
        known = F.coalesce(text, F.lit("null"))
        members.append(F.concat(_json_text(F.lit(name)), F.lit(": "), known))
    return F.concat(F.lit("{"), F.concat_ws(", ", *members), F.lit("}"))


def _json_text(text: Spark) -> Spark:
    """A text in quotes, escaped as JSON requires."""
    whole = F.to_json(F.struct(text.alias("v")))  # {"v":"…"}, or {} for NULL
    # Without the five characters {"v": and the last one.
    return F.when(text.isNotNull(), F.substring(whole, F.lit(6), F.length(whole) - 6))
