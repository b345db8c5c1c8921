"""CAST: the types to which each type can be converted, and replacements for other casts.

=====================  =======================================================================
any number             any number, text; an exact number also to an interval of one field, whose
                       units it counts: 5 AS INTERVAL DAY is five days
text                   all but VARBINARY; the text has the form that a literal of the type has
                       between its quotes
BOOLEAN                BOOLEAN, text
DATE                   DATE, TIMESTAMP (midnight), text
TIME                   TIME, TIMESTAMP (of the session's CURRENT_DATE), text
TIMESTAMP              TIMESTAMP, DATE, TIME, text
interval               an interval of the same family, text; if it has one field, an exact number
VARBINARY              VARBINARY
=====================  =======================================================================

NULL can be cast to every type.  Like SQL:2016 6.13, there is no CAST between BOOLEAN and numbers.
"""

from collections.abc import Mapping
from typing import Final

from algebra.types import EXACT, INTERVAL, NUMERIC, TEXT, Kind, Type

_ALL: Final = frozenset(Kind)
#: The kinds to which CAST converts each kind: the table above.
_TARGETS: Final[Mapping[Kind, frozenset[Kind]]] = {
    Kind.NULL: _ALL,
    **dict.fromkeys(EXACT, NUMERIC | TEXT | INTERVAL),
    **dict.fromkeys(NUMERIC - EXACT, NUMERIC | TEXT),
    **dict.fromkeys(TEXT, _ALL - {Kind.VARBINARY, Kind.NULL}),
    Kind.BOOLEAN: TEXT | {Kind.BOOLEAN},
    Kind.DATE: TEXT | {Kind.DATE, Kind.TIMESTAMP},
    Kind.TIME: TEXT | {Kind.TIME, Kind.TIMESTAMP},
    Kind.TIMESTAMP: TEXT | {Kind.TIMESTAMP, Kind.DATE, Kind.TIME},
    Kind.MONTHS: TEXT | EXACT | {Kind.MONTHS},
    Kind.MILLIS: TEXT | EXACT | {Kind.MILLIS},
    Kind.VARBINARY: frozenset({Kind.VARBINARY}),
}

#: Replacements for ``CAST({0} AS …)``, for pairs of types that users often try.
_DETOURS: Final[Mapping[tuple[Kind, Kind], str]] = {
    **{(Kind.BOOLEAN, each): "CASE WHEN {0} THEN 1 ELSE 0 END" for each in NUMERIC},
    **{(each, Kind.BOOLEAN): "{0} <> 0" for each in NUMERIC},
    **{
        (each, number): "EXTRACT(EPOCH FROM {0})"
        for each in (Kind.DATE, Kind.TIMESTAMP)
        for number in NUMERIC
    },
    **{
        (number, Kind.TIMESTAMP): "TIMESTAMP '1970-01-01 00:00:00' + {0} * INTERVAL '1' SECOND"
        for number in NUMERIC
    },
    **{(number, Kind.DATE): "DATE '1970-01-01' + {0} * INTERVAL '1' DAY" for number in NUMERIC},
}


def castable(source: Type, target: Type) -> bool:
    """Whether CAST converts values of ``source`` to ``target``."""
    if target.kind not in _TARGETS[source.kind]:
        return False
    fields = source.fields or target.fields
    if fields is None or not {source.kind, target.kind} & EXACT:
        return True
    return fields[0] is fields[1]  # a number counts the units of one field, and not of several


def detour(source: Type, target: Type, text: str) -> str:
    """The replacement for ``CAST(text AS target)``, a cast that does not exist.

    ``text`` is the text of the operand, whose type is ``source``.  Empty: no replacement is known.
    """
    return _DETOURS.get((source.kind, target.kind), "").format(text)
