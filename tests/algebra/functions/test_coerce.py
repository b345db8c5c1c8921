"""Common types, and the casts that bring operands to them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algebra.expression import Cast, InputRef, Literal, Parameter
from algebra.functions.coerce import Operand, cast_to, common_type, convert
from algebra.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    NULL,
    REAL,
    SMALLINT,
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
from grammar.source import Span, SqlError
from grammar.tree import TimeUnit

CHAR_3 = Type(Kind.CHAR, precision=3)
CHAR_5 = Type(Kind.CHAR, precision=5)
VARCHAR_4 = Type(Kind.VARCHAR, precision=4)
BINARY = Type(Kind.VARBINARY)
YEAR = interval(TimeUnit.YEAR)
MONTH = interval(TimeUnit.MONTH)
DAY = interval(TimeUnit.DAY)
HOUR = interval(TimeUnit.HOUR)
MINUTE_SECOND = interval(TimeUnit.MINUTE, TimeUnit.SECOND)

#: Given two types, their common type; symmetric; every pair not listed has none.
COMMON = {
    (TINYINT, TINYINT): TINYINT,
    (TINYINT, SMALLINT): SMALLINT,
    (TINYINT, INTEGER): INTEGER,
    (TINYINT, BIGINT): BIGINT,
    (TINYINT, decimal(5, 2)): decimal(5, 2),
    (TINYINT, decimal(38, 37)): decimal(38, 37),
    (TINYINT, REAL): DOUBLE,
    (TINYINT, DOUBLE): DOUBLE,
    (SMALLINT, SMALLINT): SMALLINT,
    (SMALLINT, INTEGER): INTEGER,
    (SMALLINT, BIGINT): BIGINT,
    (SMALLINT, decimal(5, 2)): decimal(7, 2),
    (SMALLINT, decimal(38, 37)): decimal(38, 37),
    (SMALLINT, REAL): DOUBLE,
    (SMALLINT, DOUBLE): DOUBLE,
    (INTEGER, INTEGER): INTEGER,
    (INTEGER, BIGINT): BIGINT,
    (INTEGER, decimal(5, 2)): decimal(12, 2),
    (INTEGER, decimal(38, 37)): decimal(38, 37),
    (INTEGER, REAL): DOUBLE,
    (INTEGER, DOUBLE): DOUBLE,
    (BIGINT, BIGINT): BIGINT,
    (BIGINT, decimal(5, 2)): decimal(21, 2),
    (BIGINT, decimal(38, 37)): decimal(38, 37),
    (BIGINT, REAL): DOUBLE,
    (BIGINT, DOUBLE): DOUBLE,
    (decimal(5, 2), decimal(5, 2)): decimal(5, 2),
    (decimal(5, 2), decimal(38, 37)): decimal(38, 37),
    (decimal(38, 37), decimal(38, 37)): decimal(38, 37),
    (decimal(5, 2), REAL): DOUBLE,
    (decimal(5, 2), DOUBLE): DOUBLE,
    (decimal(38, 37), REAL): DOUBLE,
    (decimal(38, 37), DOUBLE): DOUBLE,
    (REAL, REAL): REAL,
    (REAL, DOUBLE): DOUBLE,
    (DOUBLE, DOUBLE): DOUBLE,
    (CHAR_3, CHAR_3): CHAR_3,
    (CHAR_3, CHAR_5): CHAR_5,
    (CHAR_5, CHAR_5): CHAR_5,
    (CHAR_3, VARCHAR_4): VARCHAR_4,
    (CHAR_5, VARCHAR_4): Type(Kind.VARCHAR, precision=5),
    (CHAR_3, VARCHAR): VARCHAR,
    (CHAR_5, VARCHAR): VARCHAR,
    (VARCHAR_4, VARCHAR_4): VARCHAR_4,
    (VARCHAR_4, VARCHAR): VARCHAR,
    (VARCHAR, VARCHAR): VARCHAR,
    (BINARY, BINARY): BINARY,
    (BOOLEAN, BOOLEAN): BOOLEAN,
    (DATE, DATE): DATE,
    (DATE, TIMESTAMP): TIMESTAMP,
    (TIMESTAMP, TIMESTAMP): TIMESTAMP,
    (TIME, TIME): TIME,
    (YEAR, YEAR): YEAR,
    (YEAR, MONTH): interval(TimeUnit.YEAR, TimeUnit.MONTH),
    (MONTH, MONTH): MONTH,
    (DAY, DAY): DAY,
    (DAY, HOUR): interval(TimeUnit.DAY, TimeUnit.HOUR),
    (DAY, MINUTE_SECOND): interval(TimeUnit.DAY, TimeUnit.SECOND),
    (HOUR, HOUR): HOUR,
    (HOUR, MINUTE_SECOND): interval(TimeUnit.HOUR, TimeUnit.SECOND),
    (MINUTE_SECOND, MINUTE_SECOND): MINUTE_SECOND,
}
TYPES = sorted({each for pair in COMMON for each in pair}, key=str)
_types = st.sampled_from(TYPES).flatmap(lambda t: st.sampled_from([t, t.as_nullable(False)]))


@pytest.mark.parametrize("a", TYPES, ids=str)
def test_two_types_have_the_common_type_of_the_table_or_none(a: Type) -> None:
    for b in TYPES:
        expected = COMMON.get((a, b), COMMON.get((b, a)))
        assert common_type((a, b)) == expected
        assert common_type((b, a)) == expected


@pytest.mark.parametrize("type", TYPES, ids=str)
def test_null_goes_with_every_type(type: Type) -> None:
    assert common_type((NULL, type.as_nullable(False))) == type
    assert common_type((type.as_nullable(False), NULL, NULL)) == type


def test_nulls_alone_are_null() -> None:
    assert common_type((NULL, NULL)) == NULL


@given(st.lists(_types, min_size=1, max_size=4))
def test_a_common_type_is_nullable_if_one_of_them_is(types: list[Type]) -> None:
    common = common_type(types)
    assert common is None or common.nullable == any(each.nullable for each in types)


@given(_types)
def test_a_type_is_its_own_common_type(type: Type) -> None:
    assert common_type((type,)) == common_type((type, type)) == type


def test_convert_leaves_a_value_of_the_type_alone() -> None:
    column = InputRef(0, INTEGER.as_nullable(False))
    assert convert(column, INTEGER) is column


def test_convert_keeps_what_may_be_null() -> None:
    column = InputRef(0, INTEGER.as_nullable(False))
    assert convert(column, BIGINT) == Cast(column, BIGINT.as_nullable(False))
    assert convert(InputRef(0, INTEGER), BIGINT.as_nullable(False)).type == BIGINT


def test_a_null_and_a_parameter_take_the_type_they_are_converted_to() -> None:
    assert convert(Literal(None, NULL), BIGINT.as_nullable(False)) == Literal(None, BIGINT)
    assert convert(Parameter(3, NULL), DATE) == Parameter(3, DATE)


ASSIGNABLE = [
    (DOUBLE, TINYINT),
    (TINYINT, decimal(5, 2)),
    (decimal(5, 2), REAL),
    (CHAR_5, VARCHAR_4),
    (VARCHAR, CHAR_3),
    (DATE, TIMESTAMP),
    (YEAR, MONTH),
    (DAY, MINUTE_SECOND),
    (NULL, BINARY),
]
NOT_ASSIGNABLE = [
    (INTEGER, VARCHAR),
    (VARCHAR, INTEGER),
    (VARCHAR, DATE),
    (TIMESTAMP, DATE),
    (TIMESTAMP, TIME),
    (YEAR, DAY),
    (INTEGER, HOUR),
    (BOOLEAN, INTEGER),
    (BINARY, VARCHAR),
]


@pytest.mark.parametrize(("source", "target"), ASSIGNABLE, ids=str)
def test_an_assignment_casts_within_a_family(source: Type, target: Type) -> None:
    assert cast_to(Operand(InputRef(0, source), Span(0, 1), "x"), target).type == target


@pytest.mark.parametrize(("source", "target"), NOT_ASSIGNABLE, ids=str)
def test_an_assignment_across_families_is_refused(source: Type, target: Type) -> None:
    with pytest.raises(SqlError) as caught:
        cast_to(Operand(InputRef(0, source), Span(7, 8), "SELECT x"), target)
    assert (caught.value.code, caught.value.at) == (Code.TYPE_MISMATCH, Span(7, 8))


def test_the_hint_of_an_assignment_writes_the_value_as_a_literal() -> None:
    with pytest.raises(SqlError) as caught:
        cast_to(Operand(Literal("2015-2-5", VARCHAR), Span(0, 10), "'2015-2-5'"), DATE)
    assert caught.value.hint == "DATE '2015-02-05'"
