"""Literals: their values, types, faults, and their text."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algebra.expression import Literal, Value
from algebra.functions.datetimes import MAX_MILLIS, MAX_MONTHS
from algebra.functions.literals import literal_text
from algebra.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    MAX_DATE,
    MAX_TIMESTAMP,
    MIN_DATE,
    MIN_TIMESTAMP,
    TIMESTAMP,
    VARCHAR,
    Kind,
    Type,
    interval,
)
from grammar.codes import Code
from grammar.tree import TimeUnit
from tests.algebra.expression_scope import bind, refusal


@pytest.mark.parametrize(
    ("text", "value", "type"),
    [
        ("0", 0, "INTEGER"),
        ("2147483647", 2**31 - 1, "INTEGER"),
        ("2147483648", 2**31, "BIGINT"),
        ("-2147483648", -(2**31), "INTEGER"),
        ("-2147483649", -(2**31) - 1, "BIGINT"),
        ("9223372036854775807", 2**63 - 1, "BIGINT"),
        ("-9223372036854775808", -(2**63), "BIGINT"),
        ("9223372036854775808", Decimal(2**63), "DECIMAL(19, 0)"),
        ("9" * 38, Decimal("9" * 38), "DECIMAL(38, 0)"),
        ("007", 7, "INTEGER"),
        ("0.25", Decimal("0.25"), "DECIMAL(3, 2)"),
        ("-0.25", Decimal("-0.25"), "DECIMAL(3, 2)"),
        (".25", Decimal("0.25"), "DECIMAL(2, 2)"),
        ("1.50", Decimal("1.50"), "DECIMAL(3, 2)"),
        ("-0.0", Decimal("0.0"), "DECIMAL(2, 1)"),
        ("3600.0", Decimal("3600.0"), "DECIMAL(5, 1)"),
        ("1E3", 1000.0, "DOUBLE"),
        ("-1.5e-1", -0.15, "DOUBLE"),
        ("'it''s'", "it's", "VARCHAR"),
        ("''", "", "VARCHAR"),
        ("X'1aF0'", b"\x1a\xf0", "VARBINARY"),
        ("TRUE", True, "BOOLEAN"),
        ("FALSE", False, "BOOLEAN"),
        ("DATE '1970-01-02'", 1, "DATE"),
        ("TIME '00:12:00'", 720_000, "TIME(3)"),
        ("TIMESTAMP '1970-01-01 00:00:01.5'", 1_500, "TIMESTAMP(3)"),
        ("INTERVAL '1' HOUR", 3_600_000, "INTERVAL HOUR"),
        ("INTERVAL '100' HOUR", 360_000_000, "INTERVAL HOUR"),
        ("INTERVAL -'1:30' HOUR TO MINUTE", -5_400_000, "INTERVAL HOUR TO MINUTE"),
        ("INTERVAL '-1' DAY", -86_400_000, "INTERVAL DAY"),
        ("INTERVAL -'-1' DAY", 86_400_000, "INTERVAL DAY"),
        ("-INTERVAL '1' DAY", -86_400_000, "INTERVAL DAY"),
        ("INTERVAL '1-6' YEAR TO MONTH", 18, "INTERVAL YEAR TO MONTH"),
        ("INTERVAL '2' WEEK", 14 * 86_400_000, "INTERVAL DAY"),
        ("INTERVAL '1' QUARTER", 3, "INTERVAL MONTH"),
        ("INTERVAL '0.5' SECOND", 500, "INTERVAL SECOND"),
    ],
)
def test_a_literal_has_the_value_and_type_that_it_is_written_with(
    text: str, value: Value, type: str
) -> None:
    found = bind(text)
    assert isinstance(found, Literal)
    assert (found.value, str(found.value)) == (value, str(value))
    assert str(found.type) == type
    assert not found.type.nullable


@pytest.mark.parametrize(("text", "kind"), [("NULL", Kind.NULL), ("UNKNOWN", Kind.BOOLEAN)])
def test_null_and_unknown_are_null(text: str, kind: Kind) -> None:
    assert bind(text) == Literal(None, Type(kind))


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("TIME '0:12'", "TIME '00:12:00'"),  # E-09
        ("TIME '10:17'", "TIME '10:17:00'"),
        ("TIME '25:00:00'", "TIME '10:17:00'"),
        ("DATE '2015-2-5'", "DATE '2015-02-05'"),
        ("DATE '2015-02-30'", "DATE '2015-02-15'"),
        ("TIMESTAMP '2015-02-15'", "TIMESTAMP '2015-02-15 00:00:00'"),
        ("TIMESTAMP '2015-02-15T10:17:00.123456'", "TIMESTAMP '2015-02-15 10:17:00.123'"),
        ("INTERVAL '1:30' HOUR", "INTERVAL '1:30' HOUR TO MINUTE"),
        ("INTERVAL '1:60' HOUR TO MINUTE", "INTERVAL '2:00' HOUR TO MINUTE"),
        ("INTERVAL '1 2' YEAR TO MONTH", "INTERVAL '1-02' YEAR TO MONTH"),
        ("INTERVAL -'100' HOUR(2)", "INTERVAL -'100' HOUR"),
        ("INTERVAL '1.25' SECOND(2, 1)", "INTERVAL '1.25' SECOND"),
        ("INTERVAL '1.5' HOUR", "INTERVAL '1.500' SECOND"),
        ("X'1AF'", "X'1AF0'"),
        ("1E400", "1.7976931348623157E308"),
        ("9" * 39, "9" * 39 + "E0"),
    ],
)
def test_a_text_that_is_no_value_is_a_bad_literal(text: str, hint: str) -> None:
    code, guilty, suggested = refusal(text)
    assert (code, guilty) == (Code.BAD_LITERAL, text)
    assert suggested == hint
    assert isinstance(bind(suggested), Literal)


@pytest.mark.parametrize(
    ("literal", "text"),
    [
        (Literal(None, INTEGER), "NULL"),
        (Literal(True, BOOLEAN), "TRUE"),
        (Literal(-5, BIGINT), "-5"),
        (Literal(Decimal("1.50"), Type(Kind.DECIMAL, 3, 2)), "1.50"),
        (Literal(1e300, DOUBLE), "1E+300"),
        (Literal(0.5, DOUBLE), "0.5E0"),
        (Literal(float("nan"), DOUBLE), "CAST('NaN' AS DOUBLE)"),
        (Literal("it's", VARCHAR), "'it''s'"),
        (Literal(b"\x1a", Type(Kind.VARBINARY)), "X'1A'"),
        (Literal(1, DATE), "DATE '1970-01-02'"),
        (Literal(-5_400_000, interval(TimeUnit.HOUR, TimeUnit.MINUTE)),
         "INTERVAL '-1:30' HOUR TO MINUTE"),
    ],
)  # fmt: skip
def test_a_constant_prints_as_sql(literal: Literal, text: str) -> None:
    assert literal_text(literal) == text


_CONSTANTS = st.one_of(
    st.integers(-(2**63), 2**63 - 1).map(
        lambda v: Literal(v, INTEGER if -(2**31) <= v < 2**31 else BIGINT)
    ),
    st.floats(allow_nan=False, allow_infinity=False).map(lambda v: Literal(v, DOUBLE)),
    st.text(st.characters(codec="utf-8", exclude_characters="\0")).map(
        lambda v: Literal(v, VARCHAR)
    ),
    st.binary().map(lambda v: Literal(v, Type(Kind.VARBINARY))),
    st.integers(MIN_DATE, MAX_DATE).map(lambda v: Literal(v, DATE)),
    st.integers(MIN_TIMESTAMP, MAX_TIMESTAMP).map(lambda v: Literal(v, TIMESTAMP)),
    st.integers(-MAX_MONTHS, MAX_MONTHS).map(lambda v: Literal(v, interval(TimeUnit.MONTH))),
    st.integers(-MAX_MILLIS, MAX_MILLIS).map(
        lambda v: Literal(v, interval(TimeUnit.DAY, TimeUnit.SECOND))
    ),
)


@given(_CONSTANTS)
def test_the_text_of_a_constant_is_read_back(literal: Literal) -> None:
    assert bind(literal_text(literal)) == Literal(literal.value, literal.type.as_nullable(False))
