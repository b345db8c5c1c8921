"""SQL types, their internal representation, and their spelling (S-201)."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from grammar.tree import TimeUnit


class Kind(StrEnum):
    """The kinds of type.  Each comment has the Python value by which a value of it is represented.

    NULL is None in every kind.

    Defines: S-101.a, S-201.a
    """

    BOOLEAN = "BOOLEAN"  # bool
    TINYINT = "TINYINT"  # int, 8 bits
    SMALLINT = "SMALLINT"  # int, 16 bits
    INTEGER = "INTEGER"  # int, 32 bits
    BIGINT = "BIGINT"  # int, 64 bits
    DECIMAL = "DECIMAL"  # Decimal of exactly ``scale`` digits after the point
    REAL = "REAL"  # float, rounded to 24 bits
    DOUBLE = "DOUBLE"  # float
    CHAR = "CHAR"  # str, padded with blanks to ``precision``
    VARCHAR = "VARCHAR"  # str
    VARBINARY = "VARBINARY"  # bytes
    DATE = "DATE"  # int, days since 1970-01-01
    TIME = "TIME"  # int, milliseconds since midnight
    TIMESTAMP = "TIMESTAMP"  # int, milliseconds since 1970-01-01 00:00:00 (S-101)
    MONTHS = "INTERVAL YEAR TO MONTH"  # int, months: all of YEAR, MONTH, YEAR TO MONTH
    MILLIS = "INTERVAL DAY TO SECOND"  # int, milliseconds: DAY to SECOND
    NULL = "NULL"  # the type of a bare NULL: only None


@dataclass(frozen=True, slots=True)
class Type:
    """A type, with the attributes that its kind has.

    ``precision`` is the number of digits of a DECIMAL, the length of a text or VARBINARY (0:
    unlimited), and 3 for TIME and TIMESTAMP.  ``scale`` is the number of digits after a DECIMAL's
    point.  ``fields`` are the first and last field of an interval, such as ``(HOUR, SECOND)``; None
    for other kinds.  ``nullable``: NULL is a value of the type.
    """

    kind: Kind
    precision: int = 0
    scale: int = 0
    fields: tuple[TimeUnit, TimeUnit] | None = None
    nullable: bool = True

    def __str__(self) -> str:
        """The SQL spelling without ``NOT NULL``: ``DECIMAL(10, 2)``, ``INTERVAL HOUR``."""
        match self.kind:
            case Kind.DECIMAL:
                return f"DECIMAL({self.precision}, {self.scale})"
            case Kind.CHAR | Kind.VARCHAR | Kind.VARBINARY if self.precision:
                return f"{self.kind}({self.precision})"
            case Kind.TIME | Kind.TIMESTAMP:
                return f"{self.kind}(3)"
            case Kind.MONTHS | Kind.MILLIS:
                assert self.fields is not None, "an interval has fields"
                first, last = self.fields
                return f"INTERVAL {first}" if first is last else f"INTERVAL {first} TO {last}"
            case _:
                return str(self.kind)

    def as_nullable(self, nullable: bool = True) -> "Type":
        """This type with the nullability ``nullable``."""
        return self if self.nullable == nullable else replace(self, nullable=nullable)


BOOLEAN: Final = Type(Kind.BOOLEAN)
TINYINT: Final = Type(Kind.TINYINT)
SMALLINT: Final = Type(Kind.SMALLINT)
INTEGER: Final = Type(Kind.INTEGER)
BIGINT: Final = Type(Kind.BIGINT)
REAL: Final = Type(Kind.REAL)
DOUBLE: Final = Type(Kind.DOUBLE)
VARCHAR: Final = Type(Kind.VARCHAR)
VARBINARY: Final = Type(Kind.VARBINARY)
DATE: Final = Type(Kind.DATE)
TIME: Final = Type(Kind.TIME, precision=3)
TIMESTAMP: Final = Type(Kind.TIMESTAMP, precision=3)
NULL: Final = Type(Kind.NULL)

#: The kinds of integers, from narrow to wide, with their bits.
INTEGER_BITS: Final = {Kind.TINYINT: 8, Kind.SMALLINT: 16, Kind.INTEGER: 32, Kind.BIGINT: 64}
#: The number of digits of the DECIMAL to which DECIMAL arithmetic converts an integer (S-204).
INTEGER_DIGITS: Final = {Kind.TINYINT: 3, Kind.SMALLINT: 5, Kind.INTEGER: 10, Kind.BIGINT: 19}
#: The widest DECIMAL (S-201).
MAX_PRECISION: Final = 38
#: The most characters of CHAR(n) and VARCHAR(n), and of the result of an operator that makes a text
#: longer.
#:
#: Defines: S-204.l
MAX_CHARACTERS: Final = 1 << 24

#: The families of kinds.
INTEGERS: Final = frozenset(INTEGER_BITS)
EXACT: Final = INTEGERS | {Kind.DECIMAL}
APPROXIMATE: Final = frozenset({Kind.REAL, Kind.DOUBLE})
NUMERIC: Final = EXACT | APPROXIMATE
TEXT: Final = frozenset({Kind.CHAR, Kind.VARCHAR})
DATETIME: Final = frozenset({Kind.DATE, Kind.TIME, Kind.TIMESTAMP})
INTERVAL: Final = frozenset({Kind.MONTHS, Kind.MILLIS})

#: The first and last instant of a TIMESTAMP, in milliseconds: years 1 to 9999 (S-101).
MIN_TIMESTAMP: Final = -62_135_596_800_000
MAX_TIMESTAMP: Final = 253_402_300_799_999
#: The first and last DATE, in days.
MIN_DATE: Final = -719_162
MAX_DATE: Final = 2_932_896
MILLIS_PER_DAY: Final = 86_400_000

#: Milliseconds of the units of fixed length.
UNIT_MILLIS: Final = {
    TimeUnit.WEEK: 7 * MILLIS_PER_DAY,
    TimeUnit.DAY: MILLIS_PER_DAY,
    TimeUnit.HOUR: 3_600_000,
    TimeUnit.MINUTE: 60_000,
    TimeUnit.SECOND: 1_000,
    TimeUnit.MILLISECOND: 1,
}
#: Months of the units of the calendar.
UNIT_MONTHS: Final = {
    TimeUnit.MILLENNIUM: 12_000,
    TimeUnit.CENTURY: 1_200,
    TimeUnit.DECADE: 120,
    TimeUnit.YEAR: 12,
    TimeUnit.QUARTER: 3,
    TimeUnit.MONTH: 1,
}


def decimal(precision: int, scale: int) -> Type:
    """The type DECIMAL(precision, scale)."""
    return Type(Kind.DECIMAL, precision=precision, scale=scale)


def interval(first: TimeUnit, last: TimeUnit | None = None) -> Type:
    """The interval type with these first and last fields; None: the first is also the last."""
    kind = Kind.MONTHS if first in (TimeUnit.YEAR, TimeUnit.MONTH) else Kind.MILLIS
    return Type(kind, fields=(first, first if last is None else last))


#: The widest interval types: of every number of milliseconds, and of every number of months.
DAY_TO_SECOND: Final = interval(TimeUnit.DAY, TimeUnit.SECOND)
YEAR_TO_MONTH: Final = interval(TimeUnit.YEAR, TimeUnit.MONTH)


@dataclass(frozen=True, slots=True)
class Field:
    """A column of a row: its name and type."""

    name: str
    type: Type


#: The columns of a relation, in order; names may repeat inside a plan, never in a final result.
RowType = tuple[Field, ...]
