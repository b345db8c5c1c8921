"""Casts, fields and rounding of all types and units: no claim is too strong, and none too weak.

A claim holds for all samples; a claim weaker than STRICT has samples that show why.
"""

from collections.abc import Callable, Sequence
from decimal import Decimal
from enum import IntEnum
from functools import cmp_to_key
from itertools import pairwise, product
from typing import Final

import pytest

from algebra.expression import Value
from algebra.functions.casts import castable
from algebra.functions.datetimes import days_from_civil, fields_between, unit_size
from algebra.monotonicity.calendar_order import FINEST, MONOTONIC_FIELDS, field_order, rounded_order
from algebra.monotonicity.cast_order import CastOrder, cast_order
from algebra.monotonicity.tables import Monotonicity
from algebra.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    INTERVAL,
    MILLIS_PER_DAY,
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
from grammar.source import SqlError
from grammar.tree import TimeUnit as Unit
from reference.scalar.casts import cast
from reference.scalar.datetimes import extract, rounded
from reference.values import compare, integer

S = Monotonicity.STRICTLY_INCREASING
I = Monotonicity.INCREASING  # noqa: E741  the lattice's own letter
N = Monotonicity.NOT_MONOTONIC

DAYS: Final = [
    days_from_civil(*each)
    for each in (
        (1, 1, 1), (999, 12, 31), (1000, 1, 1), (1900, 12, 31), (1901, 1, 1), (1969, 12, 31),
        (1970, 1, 1), (1999, 12, 31), (2000, 1, 1), (2000, 12, 31), (2001, 1, 1), (2009, 12, 31),
        (2010, 1, 1), (2014, 12, 28), (2014, 12, 29), (2014, 12, 30), (2015, 1, 1), (2015, 1, 5),
        (2015, 2, 28), (2015, 3, 1), (2015, 4, 1), (2016, 2, 29), (9999, 12, 31),
    )
]  # fmt: skip
TIMES: Final = [0, 1, 500, 1_000, 59_999, 60_000, 3_599_999, 3_600_000, 7_200_000, 86_399_999]
NUMBERS: Final = [
    Decimal(each)
    for each in (
        "-16777217", "-100", "-13", "-12", "-2", "-1.5", "-1.4", "-1", "-0.6", "-0.004", "0",
        "0.00001", "0.00002", "0.0001", "0.0004", "0.001", "0.004", "0.01", "0.02", "0.3", "0.4",
        "0.6", "1", "1.4", "1.5", "2", "9", "9.4", "10", "12", "13", "99", "100",
        "127", "1000000.1", "1000000.11", "9999999.9", "9999999.91", "16777216", "16777217",
        "9007199254740992", "9007199254740993",
    )
]  # fmt: skip
#: Texts that end alike after 25 characters, and texts of values, with a blank before the greater.
TEXTS: Final = [
    "", "\t", " ", " \t", "1", "10", "9", "a", "a\t", "a ", "a b", "ab", "abc", "b",
    "x" * 25 + "a", "x" * 25 + "b", "x" * 26 + "a",
    "x" * 26 + "b", "FALSE", " TRUE", "2015-01-01", " 2016-01-01",
    "2015-01-01 00:00:00", " 2016-01-01 00:00:00", "10:00:00", " 11:00:00", "10-1", "9-1",
    "10 02:03:04", "9 02:03:04", "10:30", "9:30",
]  # fmt: skip


def samples(type_: Type) -> list[Value]:
    """Ascending values of a type, near where casts truncate."""
    match type_.kind:
        case Kind.BOOLEAN:
            found: list[Value] = [False, True]
        case Kind.DATE:
            found = [*DAYS]
        case Kind.TIME:
            found = [*TIMES]
        case Kind.TIMESTAMP:
            found = [day * MILLIS_PER_DAY + time for day, time in product(DAYS, TIMES)]
        case Kind.MONTHS | Kind.MILLIS:
            assert type_.fields is not None
            units = {1, *(unit_size(each) for each in fields_between(type_.fields))}
            found = [*{n * m + k for n in range(-13, 14) for m in units for k in (0, 1)}]
        case Kind.CHAR:
            found = [*{text[: type_.precision].ljust(type_.precision) for text in TEXTS}]
        case Kind.VARCHAR:
            found = [*{text[: type_.precision or None] for text in TEXTS}]
        case Kind.VARBINARY:
            found = [*{text.encode()[: type_.precision or None] for text in TEXTS}]
        case _:
            found = []
            step = Decimal(1).scaleb(-type_.scale)
            most = Decimal(10) ** max(type_.precision - type_.scale, 0) - step
            for each in (*NUMBERS, most, most - step, most - 2 * step):
                try:
                    value = cast(each, decimal(38, 6), type_)
                except SqlError:
                    continue
                if all(compare(value, other) != 0 for other in found):
                    found.append(value)
    return sorted(found, key=cmp_to_key(compare))


TYPES: Final = [
    BOOLEAN, TINYINT, SMALLINT, INTEGER, BIGINT, decimal(2, 0), decimal(5, 2), decimal(6, 1),
    decimal(9, 3), decimal(15, 2), decimal(16, 2), decimal(38, 4), REAL, DOUBLE, VARCHAR,
    Type(Kind.VARCHAR, precision=25), Type(Kind.VARCHAR, precision=26),
    Type(Kind.CHAR, precision=25), Type(Kind.CHAR, precision=26), Type(Kind.VARBINARY),
    Type(Kind.VARBINARY, precision=2), DATE, TIME, TIMESTAMP, interval(Unit.YEAR),
    interval(Unit.MONTH), interval(Unit.YEAR, Unit.MONTH), interval(Unit.DAY),
    interval(Unit.HOUR), interval(Unit.MINUTE), interval(Unit.SECOND),
    interval(Unit.DAY, Unit.SECOND), interval(Unit.HOUR, Unit.MINUTE),
]  # fmt: skip


class Seen(IntEnum):
    """What a function does to the samples."""

    CHANGES_PLACES = 0
    MAKES_EQUAL = 1
    KEEPS_APART = 2


def seen(function: Callable[[Value], Value], values: Sequence[Value]) -> Seen:
    """The worst that it does to consecutive ``values``, apart from those it raises errors for."""
    results: list[Value] = []
    for each in values:
        try:
            results.append(function(each))
        except SqlError:
            continue
    signs = [compare(a, b) for a, b in pairwise(results)]
    if any(sign > 0 for sign in signs):
        return Seen.CHANGES_PLACES
    return Seen.MAKES_EQUAL if any(sign == 0 for sign in signs) else Seen.KEEPS_APART


CLAIMED: Final = {
    CastOrder.NONE: Seen.CHANGES_PLACES,
    CastOrder.WEAK: Seen.MAKES_EQUAL,
    CastOrder.STRICT: Seen.KEEPS_APART,
}


@pytest.mark.parametrize("source", TYPES, ids=str)
def test_a_cast_does_to_order_what_the_table_says(source: Type) -> None:
    """S-402: for every pair of types."""
    values = samples(source)
    for target in TYPES:
        # The binder makes a TIME a TIMESTAMP by adding it to CURRENT_DATE.
        today = (source.kind, target.kind) == (Kind.TIME, Kind.TIMESTAMP)
        if source == target or today or not castable(source, target):
            continue

        def converted(value: Value, target: Type = target) -> Value:
            return cast(value, source, target)

        expected = CLAIMED[cast_order(source, target)]
        assert (str(target), seen(converted, values)) == (str(target), expected)


# --- fields and units -------------------------------------------------------------------------

MEANING: Final = {S: Seen.KEEPS_APART, I: Seen.MAKES_EQUAL, N: Seen.CHANGES_PLACES}
DATETIMES: Final = (DATE, TIME, TIMESTAMP)
OF_TIME: Final = (Unit.HOUR, Unit.MINUTE, Unit.SECOND, Unit.MILLISECOND)
ROUNDED: Final = (Unit.YEAR, Unit.QUARTER, Unit.MONTH, Unit.WEEK, Unit.DAY)


def has(type_: Type, unit: Unit) -> bool:
    """Whether EXTRACT accepts the unit for the type."""
    if type_.fields is not None:
        fields = fields_between(type_.fields)
        fine = unit is Unit.MILLISECOND and Unit.SECOND in fields
        return unit in fields or fine or (unit is Unit.EPOCH and type_.kind is Kind.MILLIS)
    return type_ == TIMESTAMP or (unit in OF_TIME) == (type_ == TIME)


@pytest.mark.parametrize(
    ("type_", "unit"),
    [
        (type_, unit)
        for type_ in TYPES
        for unit in Unit
        if type_.kind in INTERVAL or type_ in DATETIMES
        if has(type_, unit)
    ],
    ids=str,
)
def test_a_field_does_to_order_what_the_table_says(type_: Type, unit: Unit) -> None:
    """S-402: for every field of every type."""
    first = None if type_.fields is None else type_.fields[0]
    found = seen(lambda v: extract(unit, type_.kind, integer(v), first), samples(type_))
    assert found is MEANING[field_order(unit, type_, S)]


@pytest.mark.parametrize(
    ("type_", "unit", "up"),
    [
        (type_, unit, up)
        for type_ in DATETIMES
        for unit in (*ROUNDED, *OF_TIME)
        for up in (False, True)
        if has(type_, unit)
    ],
    ids=str,
)
def test_rounding_does_to_order_what_the_table_says(type_: Type, unit: Unit, up: bool) -> None:
    """FLOOR and CEIL never swap values, and keep distinct only those of the finest unit."""
    found = seen(lambda v: rounded(up, type_.kind, integer(v), unit), samples(type_))
    assert found is MEANING[rounded_order(unit, type_, S)]


def test_the_tables_of_fields_are_these() -> None:
    """By hand: fields that a later value never has less of, and fields in which any two differ."""
    eras = {Unit.MILLENNIUM, Unit.CENTURY, Unit.DECADE, Unit.YEAR, Unit.ISOYEAR, Unit.EPOCH}
    assert {Kind.DATE: eras, Kind.TIMESTAMP: eras, Kind.TIME: {Unit.HOUR}} == MONOTONIC_FIELDS
    assert {
        (Kind.DATE, Unit.EPOCH),
        (Kind.DATE, Unit.DAY),
        (Kind.TIME, Unit.MILLISECOND),
        (Kind.TIMESTAMP, Unit.MILLISECOND),
        (Kind.MONTHS, Unit.MONTH),
        (Kind.MILLIS, Unit.MILLISECOND),
    } == FINEST
