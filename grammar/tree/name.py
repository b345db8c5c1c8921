"""Names, types, and units of intervals, as written."""

from dataclasses import dataclass, field
from enum import StrEnum

from grammar.source import Span


@dataclass(frozen=True, slots=True)
class Identifier:
    """A name; unquoted ones are folded to upper case, ``quoted`` ones are exact (S-205).

    Defines: S-205.a
    """

    name: str
    quoted: bool
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Name:
    """A possibly qualified name, ``catalog.schema.object`` or ``alias.column``."""

    parts: tuple[Identifier, ...]
    span: Span = field(compare=False, repr=False)


class TimeUnit(StrEnum):
    """A unit of time, in EXTRACT, FLOOR, CEIL and interval qualifiers."""

    YEAR = "YEAR"
    QUARTER = "QUARTER"
    MONTH = "MONTH"
    WEEK = "WEEK"
    DAY = "DAY"
    HOUR = "HOUR"
    MINUTE = "MINUTE"
    SECOND = "SECOND"
    MILLISECOND = "MILLISECOND"
    # only in EXTRACT
    EPOCH = "EPOCH"
    DECADE = "DECADE"
    CENTURY = "CENTURY"
    MILLENNIUM = "MILLENNIUM"
    ISOYEAR = "ISOYEAR"
    DOW = "DOW"
    ISODOW = "ISODOW"
    DOY = "DOY"


@dataclass(frozen=True, slots=True)
class IntervalQualifier:
    """``DAY``, ``HOUR(3)``, ``DAY TO SECOND(3)``: the fields of an interval, greatest first.

    ``end`` is None if there is one field.  ``precision`` is the number of digits of the first
    field, and ``fraction`` that of the fraction of seconds; each is None if it is not written.
    """

    start: TimeUnit
    end: TimeUnit | None
    precision: int | None
    fraction: int | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TypeName:
    """``DECIMAL(10, 2)``, ``VARCHAR``, ``TIMESTAMP(3)``, ``INTERVAL DAY TO SECOND``.

    ``name`` is the standard's spelling in upper case (``INT`` is INTEGER, ``DEC`` and ``NUMERIC``
    are DECIMAL, ``CHARACTER`` is CHAR, ``DOUBLE PRECISION`` and ``FLOAT`` are DOUBLE, …).  Only an
    interval has a ``qualifier``.  ``precision`` and ``scale`` are None if they are not written.
    """

    name: str
    precision: int | None
    scale: int | None
    qualifier: IntervalQualifier | None
    span: Span = field(compare=False, repr=False)
