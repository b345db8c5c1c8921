"""Which casts keep the order of their operand's values (S-402)."""

from enum import Enum
from typing import Final

from algebra.types import (
    APPROXIMATE,
    EXACT,
    INTEGER_DIGITS,
    INTERVAL,
    NUMERIC,
    TEXT,
    Kind,
    Type,
)
from grammar.tree import TimeUnit


class CastOrder(Enum):
    """What a cast does to the order of values."""

    STRICT = "different values stay different, in their order"
    WEAK = "different values may become equal, but never change places"
    NONE = "values may change places"


#: Casts between two kinds that are not both numbers, texts or intervals; what is not listed does
#: not keep the order.  (An interval as a number, and back, counts in the interval's last field.)
BETWEEN_KINDS: Final = {
    (Kind.DATE, Kind.DATE): CastOrder.STRICT,
    (Kind.TIME, Kind.TIME): CastOrder.STRICT,
    (Kind.TIMESTAMP, Kind.TIMESTAMP): CastOrder.STRICT,
    (Kind.BOOLEAN, Kind.BOOLEAN): CastOrder.STRICT,
    (Kind.VARBINARY, Kind.VARBINARY): CastOrder.WEAK,
    (Kind.DATE, Kind.TIMESTAMP): CastOrder.STRICT,
    (Kind.TIMESTAMP, Kind.DATE): CastOrder.WEAK,
}

#: The characters of ISO text: ``2015-02-15 10:17:00.123``.
ISO_LENGTH: Final = {Kind.DATE: 10, Kind.TIMESTAMP: 23}

#: The integers that are exact in a float.
EXACT_IN: Final = {
    Kind.REAL: frozenset({Kind.TINYINT, Kind.SMALLINT, Kind.REAL}),
    Kind.DOUBLE: frozenset({Kind.TINYINT, Kind.SMALLINT, Kind.INTEGER, Kind.REAL, Kind.DOUBLE}),
}

#: The fields of intervals, coarse to fine.
FIELDS: Final = (
    TimeUnit.YEAR,
    TimeUnit.MONTH,
    TimeUnit.DAY,
    TimeUnit.HOUR,
    TimeUnit.MINUTE,
    TimeUnit.SECOND,
)


def cast_order(source: Type, target: Type) -> CastOrder:
    """What CAST from ``source`` to ``target`` does to the order of values.

    A value that does not fit is an error, so it breaks nothing; but a cast to a type that holds
    fewer values is never called strict.
    """
    if source.as_nullable() == target.as_nullable():
        return CastOrder.STRICT
    if target.kind in TEXT:
        return _to_text(source, target)
    if source.kind in NUMERIC and target.kind in NUMERIC:
        return _strict_if(_every_number_fits(source, target))
    if source.kind in INTERVAL and target.kind is source.kind:
        return _strict_if(_last_field(target) >= _last_field(source))
    if (source.kind in INTERVAL and target.kind in NUMERIC) or (
        source.kind in NUMERIC and target.kind in INTERVAL
    ):
        return CastOrder.WEAK
    return BETWEEN_KINDS.get((source.kind, target.kind), CastOrder.NONE)


def _strict_if(fits: bool) -> CastOrder:
    return CastOrder.STRICT if fits else CastOrder.WEAK


def _to_text(source: Type, target: Type) -> CastOrder:
    """Text keeps its order if it only grows; a change between CHAR and VARCHAR changes blanks."""
    room = target.precision or float("inf")
    if source.kind in TEXT:
        if source.kind is not target.kind:
            return CastOrder.NONE
        return _strict_if((source.precision or float("inf")) <= room)
    length = ISO_LENGTH.get(source.kind)
    return CastOrder.NONE if length is None else _strict_if(length <= room)


def _every_number_fits(source: Type, target: Type) -> bool:
    if target.kind in APPROXIMATE:
        return source.kind in EXACT_IN[target.kind]
    if source.kind not in EXACT:
        return False
    return source.scale <= target.scale and _whole_digits(source) <= _whole_digits(target)


def _whole_digits(type_: Type) -> int:
    """The digits before the point."""
    return INTEGER_DIGITS.get(type_.kind, type_.precision - type_.scale)


def _last_field(type_: Type) -> int:
    assert type_.fields is not None, "an interval has fields"
    return FIELDS.index(type_.fields[1])
