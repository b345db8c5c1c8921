"""Generated rows that satisfy generated declarations: columns of every type, order and range."""

import math
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache, cmp_to_key
from itertools import product
from typing import Final

from algebra.constraints.number_range import ANY, Range
from algebra.expression import Value
from algebra.functions.datetimes import days_from_civil, unit_size
from algebra.monotonicity.tables import Monotonicity
from algebra.types import (
    APPROXIMATE,
    BIGINT,
    DATETIME,
    DOUBLE,
    INTEGER,
    INTEGER_BITS,
    INTEGERS,
    INTERVAL,
    MAX_DATE,
    MAX_TIMESTAMP,
    MILLIS_PER_DAY,
    MIN_DATE,
    MIN_TIMESTAMP,
    NUMERIC,
    REAL,
    SMALLINT,
    TINYINT,
    VARCHAR,
    Kind,
    Type,
    decimal,
    interval,
)
from grammar.tree import TimeUnit as Unit
from reference.values import compare, is_nan

C = Monotonicity.CONSTANT
S = Monotonicity.STRICTLY_INCREASING
I = Monotonicity.INCREASING  # noqa: E741  the lattice's own letter
T = Monotonicity.STRICTLY_DECREASING
D = Monotonicity.DECREASING
N = Monotonicity.NOT_MONOTONIC

#: The types of columns, by what goes with what.
NUMBERS: Final = (
    TINYINT, SMALLINT, INTEGER, INTEGER, INTEGER, BIGINT, decimal(5, 2), decimal(10, 0),
    decimal(20, 4), decimal(38, 10), REAL, DOUBLE, DOUBLE,
)  # fmt: skip
TEXTS: Final = (
    VARCHAR, Type(Kind.VARCHAR, precision=5), Type(Kind.CHAR, precision=3),
)  # fmt: skip
MONTHS: Final = (interval(Unit.MONTH), interval(Unit.YEAR), interval(Unit.YEAR, Unit.MONTH))
MILLIS: Final = (
    interval(Unit.DAY), interval(Unit.HOUR), interval(Unit.MINUTE), interval(Unit.SECOND),
    interval(Unit.DAY, Unit.SECOND), interval(Unit.HOUR, Unit.MINUTE),
)  # fmt: skip

_EDGES: Final = [
    days_from_civil(*each)
    for each in (
        (1, 1, 1), (1, 1, 2), (1, 12, 31), (1899, 12, 31), (1900, 2, 28), (1900, 3, 1),
        (1969, 12, 31), (1970, 1, 1), (1999, 12, 31), (2000, 1, 1), (2000, 1, 31), (2000, 2, 29),
        (2014, 12, 28), (2014, 12, 29), (2015, 1, 1), (2015, 1, 4), (2015, 1, 27), (2015, 1, 28),
        (2015, 1, 29), (2015, 1, 30), (2015, 1, 31), (2015, 2, 1), (2015, 2, 27), (2015, 2, 28),
        (2015, 3, 1), (2015, 3, 29), (2015, 3, 30), (2015, 3, 31), (2015, 4, 30), (2015, 12, 31),
        (2016, 1, 1), (2016, 2, 28), (2016, 2, 29), (2016, 3, 1), (2020, 12, 31), (2021, 1, 3),
        (9999, 12, 30), (9999, 12, 31),
    )
]  # fmt: skip
_TIMES: Final = (
    0, 1, 999, 1_000, 59_999, 60_000, 3_599_999, 3_600_000, 43_200_000, 82_800_000, 86_399_999,
)  # fmt: skip
_LETTERS: Final = "ab\t "
_WORDS: Final = ("!", "~", "é", "0", "z", "A", "10", "9", "Ab", "aB", "ßa", "abcde", "abcdf")
_UNITS: Final = (-250, -150, -100, -99, -51, -50, -49, 49, 50, 51, 99, 100, 101, 149, 150, 250)
_DOUBLES: Final = (
    -math.inf, -1.7976931348623157e308, -1e300, -2.5, -1.5, -1.0, -0.5, -1e-300, -5e-324, -0.0, 0.0,
    5e-324, 1e-300, 0.1, 0.5, 1.0, 1.0000000000000002, 1.5, 2.5, 3.0, 1e15, 9007199254740993.0,
    1e300, 1.7976931348623157e308, math.inf,
)  # fmt: skip
_REALS: Final = tuple(
    struct.unpack("f", struct.pack("f", each))[0]
    for each in (*(x for x in _DOUBLES if abs(x) < 3e38), math.inf, -math.inf, 3e38, 16777217.0)
)


#: A number from 0 to one below the given: what chance has chosen.
Chance = Callable[[int], int]


@cache
def pool(type_: Type) -> tuple[Value, ...]:
    """Values of a type that are edge cases of some operator; no NULL, no NaN."""
    match type_.kind:
        case Kind.BOOLEAN:
            return (False, True)
        case Kind.TINYINT | Kind.SMALLINT | Kind.INTEGER | Kind.BIGINT:
            limit = 2 ** (INTEGER_BITS[type_.kind] - 1)
            return (*range(-12, 13), 100, 101, -limit, 1 - limit, limit - 2, limit - 1)
        case Kind.DECIMAL:
            most = 10**type_.precision - 1
            units = (*range(-12, 13), *_UNITS, -most, 1 - most, most - 1, most)
            return tuple(Decimal(n).scaleb(-type_.scale) for n in units)
        case Kind.REAL:
            return (*_REALS, *map(float, range(-12, 13)))
        case Kind.DOUBLE:
            return (*_DOUBLES, *map(float, range(-12, 13)))
        case Kind.CHAR | Kind.VARCHAR:
            length = min(type_.precision or 4, 3)
            texts = [
                "".join(each) for n in range(length + 1) for each in product(_LETTERS, repeat=n)
            ]
            texts += _WORDS
            cut = type_.precision or None
            pad = type_.precision if type_.kind is Kind.CHAR else 0
            return tuple(dict.fromkeys(text[:cut].ljust(pad) for text in texts))
        case Kind.DATE:
            return (*_EDGES, *range(16_470, 16_480))
        case Kind.TIME:
            return _TIMES
        case Kind.TIMESTAMP:
            return tuple(day * MILLIS_PER_DAY + time for day in _EDGES for time in _TIMES)
        case Kind.MONTHS | Kind.MILLIS:
            assert type_.fields is not None
            unit = unit_size(type_.fields[1])
            whole_units = (n * unit for n in range(-9, 10))
            # A computed column may hold less than its last field.
            return (*whole_units, -1, 1, unit - 1, unit + 1, unit * 3 // 2, 7, 100, 86_400_001)
        case _:
            raise AssertionError(type_)


#: The least distance of neighbours in a run.
_STEPS: Final[Mapping[Kind, int]] = {Kind.TIME: 1_799_999, Kind.TIMESTAMP: 1_799_999}
_LIMITS: Final[Mapping[Kind, tuple[int, int]]] = {
    **{kind: (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for kind, bits in INTEGER_BITS.items()},
    Kind.DATE: (MIN_DATE, MAX_DATE),
    Kind.TIME: (0, MILLIS_PER_DAY - 1),
    Kind.TIMESTAMP: (MIN_TIMESTAMP, MAX_TIMESTAMP),
}
_RUNNING: Final = INTEGERS | DATETIME | INTERVAL


def _values(chance: Chance, type_: Type, size: int) -> list[Value]:
    """That many values, far apart, or neighbours if the type has a next value."""
    values = pool(type_)
    if chance(2) or type_.kind not in _RUNNING:
        return [values[chance(len(values))] for _ in range(size)]
    at = values[chance(len(values))]
    assert isinstance(at, int)
    low, high = _LIMITS.get(type_.kind, (-(2**31), 2**31))
    found: list[Value] = []
    for _ in range(size):
        further = at + chance(4) * _STEPS.get(type_.kind, 1)
        at = further if low <= further <= high else at
        found.append(at)
    return found


@dataclass(frozen=True, slots=True)
class Rows:
    """Declarations of columns, and rows that satisfy them."""

    types: tuple[Type, ...]
    orders: tuple[Monotonicity, ...]
    ranges: tuple[Range, ...]
    rows: tuple[tuple[Value, ...], ...]


def in_order(values: Sequence[Value], order: Monotonicity) -> list[Value]:
    """As many of ``values`` as satisfy ``order``, in that order."""
    if order is N:
        return list(values)
    if order is C:
        return [values[0]] * len(values)
    ordered = sorted(values, key=cmp_to_key(compare), reverse=order.descending)
    if not order.strict:
        return ordered
    return [b for i, b in enumerate(ordered) if i == 0 or compare(ordered[i - 1], b) != 0]


_RISING: Final = (S, S, I, I)
_ANY_ORDER: Final = (S, I, T, D, C, N)


def rows(chance: Chance, types: Sequence[Type]) -> Rows:
    """Two to five rows of these columns, fewer if strict columns do not leave as many."""
    size = 2 + chance(4)
    descending = chance(2) == 1
    orders = tuple(_order(chance, descending) for _ in types)
    columns = [_column(chance, t, o, size) for t, o in zip(types, orders, strict=True)]
    least = min(len(each) for each in columns)
    columns = [each[:least] for each in columns]
    ranges = tuple(
        _known_range(chance, t, column) for t, column in zip(types, columns, strict=True)
    )
    return Rows(tuple(types), orders, ranges, tuple(zip(*columns, strict=True)))


def more_rows(found: Rows, chance: Chance) -> Rows:
    """Other rows that satisfy the same declarations; the ranges are determined again."""
    size = 2 + chance(4)
    pairs = list(zip(found.types, found.orders, strict=True))
    columns = [_column(chance, type_, order, size) for type_, order in pairs]
    least = min(len(each) for each in columns)
    columns = [each[:least] for each in columns]
    known = zip(found.types, columns, strict=True)
    ranges = tuple(_known_range(chance, type_, column) for type_, column in known)
    return Rows(found.types, found.orders, ranges, tuple(zip(*columns, strict=True)))


def _order(chance: Chance, descending: bool) -> Monotonicity:
    """An order, usually ascending so that columns agree; reversed if ``descending``."""
    among = _RISING if chance(2) else _ANY_ORDER
    order = among[chance(len(among))]
    return order.reverse() if descending else order


def _column(chance: Chance, type_: Type, order: Monotonicity, size: int) -> list[Value]:
    """Values in an order; NULL and NaN only in a column without one."""
    side = chance(3) - 1 if type_.kind in NUMERIC | INTERVAL else 0
    values = [_on_side(side, each) for each in _values(chance, type_, size)]
    if type_.nullable and order in (C, N):
        values = [None if chance(5) == 0 else each for each in values]
        if type_.kind in APPROXIMATE and chance(4) == 0:
            values = [math.nan if chance(2) else each for each in values]
    return in_order(values, order)


def _on_side(side: int, value: Value) -> Value:
    """The number with the sign of ``side``; the least integer becomes the greatest."""
    if side == 0 or not isinstance(value, int | float | Decimal) or value * side >= 0:
        return value
    least = isinstance(value, int) and value in _LEAST
    return -(value + 1) if least else -value


_LEAST: Final = frozenset(-(2 ** (bits - 1)) for bits in INTEGER_BITS.values())


def _known_range(chance: Chance, type_: Type, values: Sequence[Value]) -> Range:
    """No range, or one that contains the values, as a CHECK declares one."""
    if type_.kind not in NUMERIC | INTERVAL | DATETIME or chance(3) == 0:
        return ANY
    if any(is_nan(each) for each in values):
        return ANY
    numbers = [each for each in values if isinstance(each, int | float | Decimal)]
    known = [Fraction(each) for each in numbers if math.isfinite(each)]
    low = None if not known or -math.inf in numbers else min(known)
    high = None if not known or math.inf in numbers else max(known)
    match chance(4):
        case 0:
            return Range(low, high)
        case 1:
            return Range(low, None)
        case 2:
            return Range(None, high)
        case _:
            positive, negative = low is not None and low >= 0, high is not None and high <= 0
            return Range(Fraction(0) if positive else None, Fraction(0) if negative else None)
