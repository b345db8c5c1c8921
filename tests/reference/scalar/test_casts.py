"""CAST, pair by pair (S-202, S-204)."""

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algebra.expression import Value
from algebra.functions.casts import castable
from algebra.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    REAL,
    TIME,
    TIMESTAMP,
    TINYINT,
    VARCHAR,
    Kind,
    Type,
    decimal,
    interval,
)
from grammar.codes import Code
from grammar.source import SqlError
from grammar.tree import TimeUnit
from reference.scalar.casts import cast
from reference.values import single
from tests.reference.building import ts

D = Decimal
CHAR5 = Type(Kind.CHAR, precision=5)
VARCHAR3 = Type(Kind.VARCHAR, precision=3)
BINARY = Type(Kind.VARBINARY)
HOUR = interval(TimeUnit.HOUR)
SECOND = interval(TimeUnit.SECOND)
MONTH = interval(TimeUnit.MONTH)
YEAR = interval(TimeUnit.YEAR)
HOUR_TO_MINUTE = interval(TimeUnit.HOUR, TimeUnit.MINUTE)

CASTS: list[tuple[Type, Value, Type, Value]] = [
    # numbers to numbers
    (INTEGER, 127, TINYINT, 127),
    (BIGINT, -7, DOUBLE, -7.0),
    (BIGINT, 2**53 + 1, DOUBLE, 2.0**53),
    (BIGINT, 2**24 + 1, REAL, 2.0**24),
    (INTEGER, 7, decimal(5, 2), D("7.00")),
    (decimal(5, 2), D("2.50"), INTEGER, 3),
    (decimal(5, 2), D("-2.50"), INTEGER, -3),
    (decimal(5, 2), D("2.49"), INTEGER, 2),
    (decimal(5, 2), D("2.45"), decimal(5, 1), D("2.5")),
    (decimal(5, 2), D("0.10"), DOUBLE, 0.1),
    (DOUBLE, 2.5, INTEGER, 3),
    (DOUBLE, -2.5, INTEGER, -3),
    (DOUBLE, 0.49999999999999994, INTEGER, 0),
    (DOUBLE, float(2**60), BIGINT, 2**60),
    (DOUBLE, 0.1, decimal(5, 1), D("0.1")),
    (DOUBLE, 1.005, decimal(5, 2), D("1.01")),
    (REAL, single(0.1), decimal(12, 10), D("0.1000000000")),
    (DOUBLE, 0.1, REAL, single(0.1)),
    (DOUBLE, 1e39, REAL, math.inf),
    (REAL, 0.5, DOUBLE, 0.5),
    # numbers and text
    (INTEGER, -42, VARCHAR, "-42"),
    (INTEGER, 42, CHAR5, "42   "),
    (decimal(5, 2), D("1.50"), VARCHAR, "1.50"),
    (decimal(5, 2), D("0.00"), VARCHAR, "0.00"),
    (decimal(38, 10), D("0.0000000001"), VARCHAR, "0.0000000001"),
    (DOUBLE, 1.5, VARCHAR, "1.5E0"),
    (DOUBLE, 100.0, VARCHAR, "1E2"),
    (DOUBLE, -0.00025, VARCHAR, "-2.5E-4"),
    (DOUBLE, 0.0, VARCHAR, "0E0"),
    (DOUBLE, 0.1, VARCHAR, "1E-1"),
    (REAL, single(0.1), VARCHAR, "1E-1"),
    (REAL, single(16777216.0), VARCHAR, "1.6777216E7"),
    (DOUBLE, math.inf, VARCHAR, "Infinity"),
    (DOUBLE, -math.inf, VARCHAR, "-Infinity"),
    (DOUBLE, math.nan, VARCHAR, "NaN"),
    (VARCHAR, " 42 ", INTEGER, 42),
    (VARCHAR, "+1.5", INTEGER, 2),
    (VARCHAR, "1E2", INTEGER, 100),
    (VARCHAR, ".125", decimal(5, 2), D("0.13")),
    (VARCHAR, "5.", decimal(5, 2), D("5.00")),
    (VARCHAR, "1E-1000000000", decimal(5, 2), D("0.00")),
    (VARCHAR, "0.1", DOUBLE, 0.1),
    (VARCHAR, "1E400", DOUBLE, math.inf),
    (VARCHAR, "-Infinity", DOUBLE, -math.inf),
    (VARCHAR, "1.00000005960464484E0", REAL, 1 + 2**-23),
    # text
    (VARCHAR, "abcde", VARCHAR3, "abc"),
    (VARCHAR, "ab", VARCHAR3, "ab"),
    (VARCHAR, "ab", CHAR5, "ab   "),
    (CHAR5, "ab   ", VARCHAR, "ab   "),
    (VARCHAR, "", VARCHAR, ""),
    # booleans
    (BOOLEAN, True, VARCHAR, "TRUE"),
    (BOOLEAN, False, CHAR5, "FALSE"),
    (VARCHAR, " true ", BOOLEAN, True),
    (VARCHAR, "False", BOOLEAN, False),
    (VARCHAR, "unknown", BOOLEAN, None),
    # datetimes
    (DATE, 16481, TIMESTAMP, ts("2015-02-15 00:00:00")),
    (TIMESTAMP, ts("2015-02-15 23:59:59.999"), DATE, 16481),
    (TIMESTAMP, -1, DATE, -1),
    (TIMESTAMP, -1, TIME, 86_399_999),
    (TIMESTAMP, ts("10:17:00"), TIME, 37_020_000),
    (DATE, 16481, VARCHAR, "2015-02-15"),
    (TIMESTAMP, ts("10:17:00.250"), VARCHAR, "2015-02-15 10:17:00.250"),
    (TIME, 37_020_000, VARCHAR, "10:17:00"),
    (VARCHAR, " 2015-02-15 ", DATE, 16481),
    (VARCHAR, "10:17:00", TIME, 37_020_000),
    (VARCHAR, "2015-02-15 10:17:00", TIMESTAMP, ts("10:17:00")),
    (VARCHAR, "2015-02-15", TIMESTAMP, ts("2015-02-15 00:00:00")),
    # intervals
    (HOUR_TO_MINUTE, 5_400_000, HOUR, 3_600_000),
    (HOUR_TO_MINUTE, -5_400_000, HOUR, -3_600_000),
    (MONTH, 23, YEAR, 12),
    (HOUR, 7_200_000, INTEGER, 2),
    (SECOND, 1_500, INTEGER, 2),
    (SECOND, 1_500, decimal(5, 1), D("1.5")),
    (YEAR, 24, BIGINT, 2),
    (INTEGER, 3, HOUR, 10_800_000),
    (INTEGER, -3, MONTH, -3),
    (decimal(5, 4), D("1.5005"), SECOND, 1_501),
    (HOUR_TO_MINUTE, 5_400_000, VARCHAR, "1:30"),
    (VARCHAR, "1:30", HOUR_TO_MINUTE, 5_400_000),
    # bytes
    (BINARY, b"\x0a\xff", VARCHAR, "0AFF"),
    (BINARY, b"abc", Type(Kind.VARBINARY, precision=2), b"ab"),
]


@pytest.mark.parametrize(("source", "value", "target", "result"), CASTS)
def test_a_cast_has_the_value_of_the_table(
    source: Type, value: Value, target: Type, result: Value
) -> None:
    actual = cast(value, source, target)
    assert type(actual) is type(result)
    assert str(actual) == str(result)


@pytest.mark.parametrize(
    ("source", "value", "target", "code"),
    [
        (INTEGER, 128, TINYINT, Code.OVERFLOW),
        (decimal(5, 2), D("127.50"), TINYINT, Code.OVERFLOW),
        (INTEGER, 1000, decimal(5, 2), Code.OVERFLOW),
        (DOUBLE, 1e30, BIGINT, Code.OVERFLOW),
        (DOUBLE, math.nan, INTEGER, Code.OVERFLOW),
        (DOUBLE, math.inf, decimal(38, 0), Code.OVERFLOW),
        (INTEGER, 1234, VARCHAR3, Code.OVERFLOW),
        (VARCHAR, "1E1000000000", BIGINT, Code.OVERFLOW),
        (VARCHAR, "300", TINYINT, Code.OVERFLOW),
        (VARCHAR, "", INTEGER, Code.INVALID_CAST),
        (VARCHAR, "4 2", INTEGER, Code.INVALID_CAST),
        (VARCHAR, "1e", DOUBLE, Code.INVALID_CAST),
        (VARCHAR, "0x10", INTEGER, Code.INVALID_CAST),
        (VARCHAR, "1_000", INTEGER, Code.INVALID_CAST),
        (VARCHAR, "٤", INTEGER, Code.INVALID_CAST),
        (VARCHAR, "1E99999999999999999999", DOUBLE, Code.INVALID_CAST),
        (VARCHAR, "yes", BOOLEAN, Code.INVALID_CAST),
        (VARCHAR, "2015-02-30", DATE, Code.INVALID_CAST),
        (VARCHAR, "24:00:00", TIME, Code.INVALID_CAST),
        (VARCHAR, "1:75", HOUR_TO_MINUTE, Code.INVALID_CAST),
        (VARCHAR, "0A1", BINARY, Code.INVALID_CAST),
    ],
)
def test_a_cast_that_cannot_be_is_an_error(
    source: Type, value: Value, target: Type, code: Code
) -> None:
    with pytest.raises(SqlError) as caught:
        cast(value, source, target)
    assert caught.value.code is code


@given(st.floats(allow_nan=False))
def test_the_text_of_a_double_means_it_again(value: float) -> None:
    text = cast(value, DOUBLE, VARCHAR)
    assert cast(text, VARCHAR, DOUBLE) == value


@given(st.floats(width=32, allow_nan=False))
def test_the_text_of_a_real_means_it_again(value: float) -> None:
    assert cast(cast(value, REAL, VARCHAR), VARCHAR, REAL) == value


@given(st.decimals(min_value=-(10**9), max_value=10**9, places=4))
def test_the_text_of_a_decimal_means_it_again(value: Decimal) -> None:
    type = decimal(20, 4)
    assert cast(cast(value, type, VARCHAR), VARCHAR, type) == value


#: A value of each type, with what CAST makes of it not out of range for any target.
SAMPLES: list[tuple[Type, Value]] = [
    (TINYINT, 1),
    (Type(Kind.SMALLINT), 1),
    (INTEGER, 1),
    (BIGINT, 1),
    (decimal(5, 2), D("1.00")),
    (REAL, 1.0),
    (DOUBLE, 1.0),
    (BOOLEAN, True),
    (DATE, 1),
    (TIME, 1_000),
    (TIMESTAMP, 1_000),
    (HOUR, 3_600_000),
    (SECOND, 1_000),
    (HOUR_TO_MINUTE, 3_660_000),
    (MONTH, 1),
    (YEAR, 12),
    (interval(TimeUnit.YEAR, TimeUnit.MONTH), 13),
    (BINARY, b"a"),
]
INSIDE = {
    Kind.BOOLEAN: bool, Kind.DECIMAL: Decimal, Kind.REAL: float, Kind.DOUBLE: float,
    Kind.CHAR: str, Kind.VARCHAR: str, Kind.VARBINARY: bytes,
}  # fmt: skip


@pytest.mark.parametrize(("source", "value"), SAMPLES)
def test_every_pair_that_may_be_cast_has_a_value_of_its_target(source: Type, value: Value) -> None:
    assert castable(source, source), "the binder leaves this cast out"
    targets = [each for each, _ in SAMPLES if castable(source, each) and each != source]
    for target in targets:
        if (source, target) == (TIME, TIMESTAMP):
            continue  # the binder adds a TIME to CURRENT_DATE
        assert type(cast(value, source, target)) is INSIDE.get(target.kind, int)
    for text in (VARCHAR, Type(Kind.CHAR, precision=30)):
        if castable(source, text):
            # Its own text is a value of every type but VARBINARY, which has none.
            assert cast(cast(value, source, text), text, source) == value


INTERVALS: list[tuple[Type, int, Type, Value]] = [
    # within a family, toward zero to the last field
    (interval(TimeUnit.YEAR, TimeUnit.MONTH), -23, YEAR, -12),
    (YEAR, 24, MONTH, 24),
    (interval(TimeUnit.DAY, TimeUnit.SECOND), 90_061_500, HOUR, 90_000_000),
    (interval(TimeUnit.DAY, TimeUnit.SECOND), -90_061_500, interval(TimeUnit.DAY), -86_400_000),
    (interval(TimeUnit.DAY, TimeUnit.SECOND), 90_061_500, SECOND, 90_061_500),
    # as the number of its one field, HALF_UP
    (HOUR, 5_400_000, INTEGER, 2),
    (HOUR, -5_400_000, INTEGER, -2),
    (HOUR, 5_400_000, decimal(3, 1), D("1.5")),
    (YEAR, 18, BIGINT, 2),
    (YEAR, 17, BIGINT, 1),
]


@pytest.mark.parametrize(("source", "value", "target", "result"), INTERVALS)
def test_casts_of_intervals(source: Type, value: int, target: Type, result: Value) -> None:
    assert str(cast(value, source, target)) == str(result)
