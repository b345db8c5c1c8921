"""The types of generated expressions, by the published rules of Calcite (S-202, S-203, S-204).

Written again, not imported from the algebra: where the binder deduces another type, a test fails.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Kind(StrEnum):
    """The families of types that every engine here has, or can be made to have."""

    INTEGER = "INTEGER"
    BIGINT = "BIGINT"
    DECIMAL = "DECIMAL"
    DOUBLE = "DOUBLE"
    VARCHAR = "VARCHAR"
    BOOLEAN = "BOOLEAN"
    DATE = "DATE"
    TIMESTAMP = "TIMESTAMP"


@dataclass(frozen=True, slots=True)
class SqlType:
    """A type; ``precision`` and ``scale`` are those of a DECIMAL, else 0."""

    kind: Kind
    precision: int = 0
    scale: int = 0

    def __str__(self) -> str:
        """The type as all dialects write it."""
        if self.kind is Kind.DECIMAL:
            return f"DECIMAL({self.precision}, {self.scale})"
        return str(self.kind)


INTEGER: Final = SqlType(Kind.INTEGER)
BIGINT: Final = SqlType(Kind.BIGINT)
DOUBLE: Final = SqlType(Kind.DOUBLE)
VARCHAR: Final = SqlType(Kind.VARCHAR)
BOOLEAN: Final = SqlType(Kind.BOOLEAN)
DATE: Final = SqlType(Kind.DATE)
TIMESTAMP: Final = SqlType(Kind.TIMESTAMP)

INTEGERS: Final = frozenset({Kind.INTEGER, Kind.BIGINT})
EXACT: Final = INTEGERS | {Kind.DECIMAL}
NUMBERS: Final = EXACT | {Kind.DOUBLE}
TIMES: Final = frozenset({Kind.DATE, Kind.TIMESTAMP})

#: The most digits of a DECIMAL.
MOST: Final = 38
#: The digits of an integer next to a DECIMAL (S-204).
_DIGITS: Final[Mapping[Kind, int]] = {Kind.INTEGER: 10, Kind.BIGINT: 19}


def decimal(precision: int, scale: int) -> SqlType:
    """DECIMAL(precision, scale), cut to 38 digits."""
    return SqlType(Kind.DECIMAL, min(precision, MOST), scale)


def as_decimal(type: SqlType) -> SqlType:
    """What an exact number counts as in DECIMAL arithmetic."""
    return type if type.kind is Kind.DECIMAL else decimal(_DIGITS[type.kind], 0)


def common(a: SqlType, b: SqlType) -> SqlType:
    """The least type that holds both, which are of one family."""
    if a == b:
        return a
    kinds = frozenset({a.kind, b.kind})
    if kinds == TIMES:
        return TIMESTAMP
    assert kinds <= NUMBERS, kinds
    if Kind.DOUBLE in kinds:
        return DOUBLE
    if Kind.DECIMAL not in kinds:
        return BIGINT
    x, y = as_decimal(a), as_decimal(b)
    scale = max(x.scale, y.scale)
    return decimal(max(x.precision - x.scale, y.precision - y.scale) + scale, scale)


def total(a: SqlType, b: SqlType) -> SqlType:
    """The type of ``a + b`` and ``a - b``."""
    found = common(a, b)
    return decimal(found.precision + 1, found.scale) if found.kind is Kind.DECIMAL else found


def product(a: SqlType, b: SqlType) -> SqlType:
    """The type of ``a * b``."""
    found = common(a, b)
    if found.kind is not Kind.DECIMAL:
        return found
    x, y = as_decimal(a), as_decimal(b)
    return decimal(x.precision + y.precision, min(x.scale + y.scale, MOST))


def quotient(a: SqlType, b: SqlType) -> SqlType:
    """The type of ``a / b``."""
    found = common(a, b)
    if found.kind is not Kind.DECIMAL:
        return found
    x, y = as_decimal(a), as_decimal(b)
    whole = min(x.precision - x.scale + y.scale, MOST)
    scale = min(max(6, x.scale + y.precision + 1), MOST - whole)
    return decimal(whole + scale, scale)


def summed(type: SqlType) -> SqlType:
    """The type of SUM (S-203)."""
    match type.kind:
        case Kind.DECIMAL:
            return decimal(MOST, type.scale)
        case Kind.DOUBLE:
            return DOUBLE
        case _:
            return BIGINT


def averaged(type: SqlType) -> SqlType:
    """The type of AVG (S-203)."""
    return decimal(MOST, max(type.scale, 6)) if type.kind is Kind.DECIMAL else DOUBLE
