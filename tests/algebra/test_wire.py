"""Values on the wire."""

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from algebra.expression import Value
from algebra.functions.datetimes import MAX_MILLIS, MAX_MONTHS
from algebra.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    INTEGER_BITS,
    MAX_DATE,
    MAX_TIMESTAMP,
    MIN_DATE,
    MIN_TIMESTAMP,
    REAL,
    TIME,
    TIMESTAMP,
    TINYINT,
    UNIT_MILLIS,
    VARCHAR,
    Kind,
    Type,
    decimal,
    interval,
)
from algebra.wire import Wire, from_wire, read_column, round_to_real, to_wire
from grammar.tree import TimeUnit

_DAY_SECOND = (TimeUnit.DAY, TimeUnit.HOUR, TimeUnit.MINUTE, TimeUnit.SECOND)


@st.composite
def typed_values(draw: DrawFn) -> tuple[Type, Value]:
    """A type of any kind, and a value of it."""
    kind = draw(st.sampled_from(list(Kind)))
    length = draw(st.integers(0, 5))
    match kind:
        case Kind.BOOLEAN:
            return Type(kind), draw(st.booleans())
        case Kind.TINYINT | Kind.SMALLINT | Kind.INTEGER | Kind.BIGINT:
            limit = 2 ** (INTEGER_BITS[kind] - 1)
            return Type(kind), draw(st.integers(-limit, limit - 1))
        case Kind.DECIMAL:
            precision = draw(st.integers(1, 38))
            scale = draw(st.integers(0, precision))
            unscaled = draw(st.integers(-(10**precision) + 1, 10**precision - 1))
            return decimal(precision, scale), Decimal(f"{unscaled}E-{scale}")
        case Kind.REAL:
            return REAL, draw(st.floats(width=32))
        case Kind.DOUBLE:
            return DOUBLE, draw(st.floats())
        case Kind.CHAR:
            text = draw(st.text(max_size=length + 1))
            return Type(kind, precision=length + 1), text.ljust(length + 1)
        case Kind.VARCHAR:
            return Type(kind, precision=length), draw(st.text(max_size=length or None))
        case Kind.VARBINARY:
            return Type(kind, precision=length), draw(st.binary(max_size=length or None))
        case Kind.DATE:
            return DATE, draw(st.integers(MIN_DATE, MAX_DATE))
        case Kind.TIME:
            return TIME, draw(st.integers(0, 86_399_999))
        case Kind.TIMESTAMP:
            return TIMESTAMP, draw(st.integers(MIN_TIMESTAMP, MAX_TIMESTAMP))
        case Kind.MONTHS:
            field = draw(st.sampled_from([TimeUnit.YEAR, TimeUnit.MONTH]))
            size = 12 if field is TimeUnit.YEAR else 1
            count = draw(st.integers(-MAX_MONTHS // size + 1, MAX_MONTHS // size))
            return interval(TimeUnit.YEAR, field), count * size
        case Kind.MILLIS:
            first, last = sorted(draw(st.tuples(st.integers(0, 3), st.integers(0, 3))))
            size = 1 if last == 3 else UNIT_MILLIS[_DAY_SECOND[last]]
            count = draw(st.integers(-(MAX_MILLIS // size), MAX_MILLIS // size))
            return interval(_DAY_SECOND[first], _DAY_SECOND[last]), count * size
        case Kind.NULL:
            return Type(kind), None


@given(typed_values())
def test_the_wire_gives_back_every_value(typed: tuple[Type, Value]) -> None:
    type, value = typed
    back = from_wire(type, to_wire(type, value))
    if isinstance(value, float) and math.isnan(value):
        assert isinstance(back, float)
        assert math.isnan(back)
    else:
        assert (back, str(back)) == (value, str(value))


@pytest.mark.parametrize(
    ("type", "value", "wire"),
    [
        (decimal(3, 2), Decimal("0.50"), "0.50"),
        (decimal(38, 38), Decimal("1E-38"), "0.00000000000000000000000000000000000001"),
        (DOUBLE, math.nan, "NaN"),
        (DOUBLE, -math.inf, "-Infinity"),
        (Type(Kind.VARBINARY), b"\x1a\xf0", "1AF0"),
        (DATE, MIN_DATE, "0001-01-01"),
        (TIME, 37_020_250, "10:17:00.250"),
        (TIMESTAMP, MAX_TIMESTAMP, "9999-12-31 23:59:59.999"),
        (interval(TimeUnit.HOUR, TimeUnit.MINUTE), 5_400_000, "1:30"),
        (interval(TimeUnit.DAY), -5 * 86_400_000, "-5"),
        (interval(TimeUnit.DAY, TimeUnit.SECOND), 93_784_500, "1 02:03:04.500"),
        (INTEGER, None, None),
        (BOOLEAN, False, False),
    ],
)
def test_values_go_out_as_the_protocol_says(type: Type, value: Value, wire: Wire) -> None:
    assert to_wire(type, value) == wire


@pytest.mark.parametrize(
    ("type", "wire", "value"),
    [
        (decimal(5, 2), 7, Decimal("7.00")),
        (decimal(5, 2), "-7.5", Decimal("-7.50")),
        (decimal(5, 2), "007.500", Decimal("7.50")),
        (decimal(5, 2), "-0", Decimal("0.00")),
        (decimal(38, 0), "9" * 38, Decimal("9" * 38)),
        (DOUBLE, 3, 3.0),
        (REAL, 0.1, 0.10000000149011612),
        (Type(Kind.CHAR, precision=4), "ab", "ab  "),
        (Type(Kind.VARBINARY), "1af0", b"\x1a\xf0"),
    ],
)
def test_values_come_in_exactly(type: Type, wire: Wire, value: Value) -> None:
    found = from_wire(type, wire)
    assert (found, str(found)) == (value, str(value))
    assert list(map(repr, read_column(type, [wire, None, wire]))) == [
        repr(value),
        "None",
        repr(value),
    ]


@pytest.mark.parametrize(
    ("type", "wire", "reason"),
    [
        (INTEGER, True, "not a value of INTEGER"),
        (INTEGER, 2**31, "out of the range"),
        (INTEGER, 1.0, "not a value of INTEGER"),
        (TINYINT, -129, "out of the range"),
        (BIGINT, "5", "not a value of BIGINT"),
        (BOOLEAN, 1, "not a value of BOOLEAN"),
        (decimal(5, 2), "1000", "out of the range"),
        (decimal(5, 2), "0.125", "more than 2 digits"),
        (decimal(5, 2), "1e2", "not a value of DECIMAL"),
        (decimal(5, 2), "NaN", "not a value of DECIMAL"),
        (decimal(5, 2), 1.5, "not a value of DECIMAL"),
        (DOUBLE, "1.5", "not a value of DOUBLE"),
        (DOUBLE, 10**400, "out of the range"),
        (REAL, 1e300, "out of the range"),
        (Type(Kind.VARCHAR, precision=2), "abc", "3 characters"),
        (VARCHAR, 5, "not a value of VARCHAR"),
        (Type(Kind.VARBINARY), "1AF", "hexadecimal"),
        (Type(Kind.VARBINARY, precision=1), "1AF0", "2 bytes"),
        (DATE, "2015-02-30", "not a day"),
        (DATE, 5, "not a value of DATE"),
        (TIMESTAMP, "2015-02-15 at 10:17:00", "not of the form"),
        (interval(TimeUnit.HOUR), "1:30", "not of the form 'hour'"),
        (INTEGER.as_nullable(False), None, "NOT NULL"),
        (Type(Kind.NULL), 1, "not a value of NULL"),
    ],
)
def test_what_is_no_value_of_the_type_is_refused(type: Type, wire: Wire, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        from_wire(type, wire)
    with pytest.raises(ValueError, match=reason):
        read_column(type, [wire])


@given(typed_values(), st.sampled_from([(), (None,)]))
def test_a_column_is_read_as_each_of_its_values(
    typed: tuple[Type, Value], nulls: tuple[None, ...]
) -> None:
    type, value = typed
    values = (value, *nulls, value)
    read = read_column(type, [to_wire(type, each) for each in values])
    assert list(map(repr, read)) == list(map(repr, values))


@given(st.floats(width=32, allow_nan=False))
def test_a_real_keeps_its_24_bits(value: float) -> None:
    assert round_to_real(value) == value
