"""Write values as SQL literals, so that reports show them as SQL, and not as Python."""

import math
from datetime import date, datetime, time
from decimal import Decimal

from tck.corpus.case import Cell
from tck.corpus.values import Family, TypedValue, wire_value
from tck.protocol import Wire


def literal(typed: TypedValue, type: str) -> str:
    r"""A value as a literal of its column's type; a time or an interval as its text in quotes.

    >>> from tck.corpus.values import read_value
    >>> print(literal(read_value("O'Hara", "VARCHAR(10)"), "VARCHAR(10)"))
    'O''Hara'
    >>> [literal(read_value(number, "DOUBLE"), "DOUBLE") for number in (0.75, 1e300)]
    ['0.75E0', '1E+300']
    """
    match typed.value:
        case str(text) if typed.family is Family.BINARY:
            return f"X{quoted(text)}"
        case datetime() | date() | time():
            return f"'{wire_value(typed, type)}'"
        case int() if typed.family is Family.INTERVAL:
            return f"'{wire_value(typed, type)}'"
        case value:
            return cell_literal(value)


def cell_literal(cell: Cell | Wire) -> str:
    """A value whose SQL type is not known, as a literal by its type in Python."""
    match cell:
        case None:
            return "NULL"
        case bool():
            return str(cell).upper()
        case float() if math.isfinite(cell):
            text = repr(cell).upper()
            return text if "E" in text else f"{text}E0"
        case Decimal():
            return f"{cell:f}"
        case str():
            return quoted(cell)
        case _:
            return str(cell)


def quoted(text: str) -> str:
    r"""A text as a literal; if some characters are not printable, they are written as codes.

    >>> quoted("a\x1b[2J")
    "U&'a\\001b[2J'"
    """
    if text.isprintable():
        return "'{}'".format(text.replace("'", "''"))
    return "U&'{}'".format("".join(map(_escaped, text)))


def row_literal(cells: tuple[Cell | Wire, ...]) -> str:
    """Values without types as a row: ``('2015-02-15 10:00:00', 10, NULL)``."""
    return f"({', '.join(map(cell_literal, cells))})"


def _escaped(character: str) -> str:
    """A character as it is written in a literal that begins with U&."""
    if character in "'\\":
        return character * 2
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\{code:04x}" if code < 0x10000 else f"\\+{code:06x}"
