"""From literals in the text to typed constants, and from constants to the text of literals."""

import math
import re
from decimal import Decimal
from typing import Final

from algebra.expression import Literal
from algebra.functions.datetimes import (
    DAY_SECOND,
    MAX_MILLIS,
    MAX_MONTHS,
    YEAR_MONTH,
    Fields,
    fields_between,
    format_date,
    format_interval,
    format_time,
    format_timestamp,
    parse_date,
    parse_interval,
    parse_time,
    parse_timestamp,
    unit_size,
)
from algebra.functions.type_names import interval_type
from algebra.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    MAX_PRECISION,
    NULL,
    TIME,
    TIMESTAMP,
    VARCHAR,
    Kind,
    Type,
    decimal,
)
from grammar import tree
from grammar.codes import Code
from grammar.counts import counted
from grammar.source import SqlError
from grammar.tree import LiteralKind

#: The value of each word for a BOOLEAN.
_TRUTH: Final = {"TRUE": True, "FALSE": False, "UNKNOWN": None}

#: A date as people also write it, such as ``2015/2/15``; the groups are year, month and day.
_LOOSE_DATE: Final = re.compile(r"([0-9]{1,4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})")
#: A time as people also write it, such as ``0:12`` or ``10:17:00.123456``; the groups are hour,
#: minute, second, and the fraction up to three digits with its point.  Further digits are dropped.
_LOOSE_TIME: Final = re.compile(r"([0-9]{1,2}):([0-9]{1,2})(?::([0-9]{1,2}))?(\.[0-9]{1,3})?[0-9]*")


def bind_literal(node: tree.Literal, sql: str, negative: bool = False) -> Literal:
    """The constant that a plain literal denotes; BAD_LITERAL if its text does not fit its type.

    A whole number is INTEGER if it fits, else BIGINT, else DECIMAL; with digits after the point it
    is a DECIMAL of all digits written (``0.25`` is DECIMAL(3, 2)); with an exponent DOUBLE.  A text
    is VARCHAR without limit (S-204).  ``negative``: a minus sign precedes the number and is part of
    it, so that ``-2147483648`` is an INTEGER.
    """
    match node.kind:
        case LiteralKind.NUMBER:
            return _number(node, sql, negative)
        case LiteralKind.STRING:
            return Literal(node.text, VARCHAR.as_nullable(False))
        case LiteralKind.BINARY:
            return _binary(node, sql)
        case LiteralKind.BOOLEAN:
            truth = _TRUTH[node.text]
            return Literal(truth, BOOLEAN.as_nullable(truth is None))
        case LiteralKind.NULL:
            return Literal(None, NULL)
        case LiteralKind.DATE | LiteralKind.TIME | LiteralKind.TIMESTAMP:
            return _datetime(node, sql)


def interval_literal(node: tree.IntervalLiteral, sql: str) -> Literal:
    """The constant of an interval literal, of its fields' type (WEEK: DAY, QUARTER: MONTH).

    BAD_LITERAL if the text does not have the form of the fields, a later field is not less than one
    unit of the field before, there are more digits than the declared precision, or the interval is
    too long.

    Defines: S-207.n
    """
    qualifier = node.qualifier
    type = interval_type(qualifier).as_nullable(False)
    assert type.fields is not None, "an interval has fields"
    try:
        value = parse_interval(node.text, type.fields)
        value *= unit_size(qualifier.start) // unit_size(type.fields[0])
        if abs(value) > (MAX_MONTHS if type.kind is Kind.MONTHS else MAX_MILLIS):
            raise ValueError(f"'{node.text}' is too long an interval")
        _check_precision(node)
    except ValueError as reason:
        hint = _interval_hint(node, type.fields)
        raise SqlError(Code.BAD_LITERAL, str(reason), sql, node.span, hint) from None
    return Literal(-value if node.negative else value, type)


def literal_text(literal: Literal) -> str:
    """The constant as a SQL literal: ``INTERVAL '-1:30' HOUR TO MINUTE``, ``DATE '…'``."""
    value, type = literal.value, literal.type
    match value:
        case None:
            return "NULL"
        case bool():
            return "TRUE" if value else "FALSE"
        case int():
            return _integer_text(value, type)
        case Decimal():
            return format(value, "f")
        case float() if math.isfinite(value):
            text = repr(value).upper()
            return text if "E" in text else f"{text}E0"
        case float():
            name = "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
            return f"CAST('{name}' AS {type})"
        case str():
            return "'" + value.replace("'", "''") + "'"
        case bytes():
            return f"X'{value.hex().upper()}'"


def _integer_text(value: int, type: Type) -> str:
    """A constant that is represented by an ``int``: a number, a datetime, an interval."""
    match type.kind:
        case Kind.DATE:
            return f"DATE '{format_date(value)}'"
        case Kind.TIME:
            return f"TIME '{format_time(value)}'"
        case Kind.TIMESTAMP:
            return f"TIMESTAMP '{format_timestamp(value)}'"
        case Kind.MONTHS | Kind.MILLIS:
            assert type.fields is not None, "an interval has fields"
            qualifier = str(type).removeprefix("INTERVAL ")
            return f"INTERVAL '{format_interval(value, type.fields)}' {qualifier}"
        case _:
            return str(value)


# --- numbers and bytes ------------------------------------------------------------------------


def _number(node: tree.Literal, sql: str, negative: bool) -> Literal:
    """A number; how it is written decides its type.

    Defines: S-201.c
    """
    sign = "-" if negative else ""
    if "E" in node.text.upper():
        double = float(sign + node.text)
        if math.isinf(double):
            message = f"{node.text} is beyond the range of DOUBLE"
            raise SqlError(Code.BAD_LITERAL, message, sql, node.span, "1.7976931348623157E308")
        return Literal(double, DOUBLE.as_nullable(False))
    whole, _, fraction = node.text.partition(".")
    digits = len((whole + fraction).lstrip("0"))  # without leading zeros
    if not fraction and digits <= MAX_PRECISION:  # the time for an int grows as its digits' square
        integer = int(Decimal(sign + (whole or "0")))
        for type, bits in ((INTEGER, 32), (BIGINT, 64)):
            if -(2 ** (bits - 1)) <= integer < 2 ** (bits - 1):
                return Literal(integer, type.as_nullable(False))
    if max(digits, len(fraction)) > MAX_PRECISION:
        message = f"{digits} digits: a number has at most {MAX_PRECISION} (S-201)"
        raise SqlError(Code.BAD_LITERAL, message, sql, node.span, f"{node.text}E0")
    precision = min(MAX_PRECISION, len(whole + fraction)) if fraction else digits
    value = Decimal(sign + node.text) if digits else Decimal(node.text)  # zero has no sign
    return Literal(value, decimal(precision, len(fraction)).as_nullable(False))


def _binary(node: tree.Literal, sql: str) -> Literal:
    """The bytes of X'…'."""
    if re.fullmatch(r"(?:[0-9A-Fa-f]{2})*", node.text) is None:
        message = f"'{node.text}' is not pairs of hexadecimal digits"
        raise SqlError(Code.BAD_LITERAL, message, sql, node.span, "X'1AF0'")
    return Literal(bytes.fromhex(node.text), Type(Kind.VARBINARY, nullable=False))


# --- dates and times --------------------------------------------------------------------------


def _datetime(node: tree.Literal, sql: str) -> Literal:
    """The DATE, TIME or TIMESTAMP of a literal's text."""
    try:
        match node.kind:
            case LiteralKind.DATE:
                return Literal(parse_date(node.text), DATE.as_nullable(False))
            case LiteralKind.TIME:
                return Literal(parse_time(node.text), TIME.as_nullable(False))
            case _:
                return Literal(parse_timestamp(node.text), TIMESTAMP.as_nullable(False))
    except ValueError as reason:
        hint = datetime_hint(node.kind, node.text)
        raise SqlError(Code.BAD_LITERAL, str(reason), sql, node.span, hint) from None


def datetime_hint(kind: LiteralKind, text: str) -> str:
    """The literal of ``kind`` that ``text`` was probably meant to be, else an example.

    >>> datetime_hint(LiteralKind.TIME, "0:12")
    "TIME '00:12:00'"
    """
    day = _LOOSE_DATE.match(text.strip())
    rest = text.strip()[day.end() :].lstrip("T ") if day else text.strip()
    time = _LOOSE_TIME.fullmatch(rest)
    date_text, time_text = "2015-02-15", "00:00:00"
    if day:
        date_text = f"{day[1]:0>4}-{day[2]:0>2}-{day[3]:0>2}"
    if time:
        time_text = f"{time[1]:0>2}:{time[2]:0>2}:{time[3] or '':0>2}{time[4] or ''}"
    try:
        parse_date(date_text)
    except ValueError:
        date_text = "2015-02-15"
    try:
        parse_time(time_text)
    except ValueError:
        time_text = "10:17:00"
    match kind:
        case LiteralKind.DATE:
            return f"DATE '{date_text}'"
        case LiteralKind.TIME:
            return f"TIME '{time_text}'"
        case _:
            return f"TIMESTAMP '{date_text} {time_text}'"


# --- intervals --------------------------------------------------------------------------------


def _check_precision(node: tree.IntervalLiteral) -> None:
    """Raise `ValueError` for more digits than the qualifier declares, if it declares any."""
    qualifier = node.qualifier
    # The digits of the first field, without its sign and leading zeros.
    leading = re.match(r"[+-]?0*([0-9]*)", node.text)
    fraction = node.text.partition(".")[2]
    assert leading is not None, "every part is optional"
    if qualifier.precision is not None and len(leading[1]) > qualifier.precision:
        raise ValueError(f"{leading[1]} has more than {counted(qualifier.precision, 'digit')}")
    if qualifier.fraction is not None and len(fraction) > qualifier.fraction:
        raise ValueError(f"'{fraction}' has more than {counted(qualifier.fraction, 'digit')}")


def _interval_hint(node: tree.IntervalLiteral, fields: Fields) -> str:
    """A literal in place of the wrong literal ``node``, whose type has ``fields``.

    It is the first of these that exists: the literal as written, but without a precision; the text
    with the fields that it fits, of which the first is as written if possible; an example that has
    the numbers of the text where it can.
    """
    family = YEAR_MONTH if fields[0] in YEAR_MONTH else DAY_SECOND
    sign = "-" if node.negative else ""
    try:
        parse_interval(node.text, fields)
    except ValueError:
        pass
    else:
        start, end = node.qualifier.start, node.qualifier.end
        return f"INTERVAL {sign}'{node.text}' {_qualifier((start, end or start))}"
    for first in sorted(family, key=lambda each: each is not fields[0]):
        for last in family[family.index(first) :]:
            try:
                value = parse_interval(node.text, (first, last))
            except ValueError:
                continue
            text = format_interval(value, (first, last))
            return f"INTERVAL {sign}'{text}' {_qualifier((first, last))}"
    units = fields_between(fields)
    numbers = re.findall("[0-9]+", node.text) if re.fullmatch("[0-9 :-]*", node.text) else []
    # A field that is too great is carried over: 1:99 is 2:39.
    counts = list(map(int, numbers)) if len(numbers) == len(units) else [1] * len(units)
    value = sum(count * unit_size(unit) for count, unit in zip(counts, units, strict=True))
    return f"INTERVAL {sign}'{format_interval(value, fields)}' {_qualifier(fields)}"


def _qualifier(fields: Fields) -> str:
    """The fields as SQL text: ``HOUR``, ``DAY TO SECOND``."""
    first, last = fields
    return f"{first}" if first is last else f"{first} TO {last}"


def negated(literal: Literal) -> Literal:
    """The negated constant of an interval.

    It always exists, because the range of intervals is symmetric about zero.
    """
    assert isinstance(literal.value, int), "an interval has a size"
    return Literal(-literal.value, literal.type)
