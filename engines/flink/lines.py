"""The lines that the driver reads and writes, and the values in them."""

import re
from collections.abc import Iterable
from typing import Final

from tck.protocol import ColumnInfo, Wire

_ESCAPES: Final = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_UNESCAPES: Final = {text: character for character, text in _ESCAPES.items()}


def line(fields: Iterable[str | None]) -> str:
    r"""Fields between tabs, escaped as in PostgreSQL's COPY; ``\N`` is NULL.

    >>> line(["row", None, "a\tb"])
    'row\t\\N\ta\\tb'
    """
    return "\t".join("\\N" if each is None else _escaped(each) for each in fields)


def fields(text: str) -> list[str | None]:
    """The fields of a line; the inverse of `line`."""
    return [None if each == "\\N" else _unescaped(each) for each in text.split("\t")]


def _escaped(text: str) -> str:
    return re.sub(r"[\\\t\n\r]", lambda found: _ESCAPES[found[0]], text)


def _unescaped(text: str) -> str:
    return re.sub(r"\\.", lambda found: _UNESCAPES[found[0]], text)


def to_flink(value: Wire) -> str | None:
    """A value on the wire as the driver reads it."""
    match value:
        case None:
            return None
        case bool():
            return "true" if value else "false"
        case _:
            return str(value)


def from_flink(text: str | None, type: str) -> Wire:
    """A value of a column of ``type``, as the kit calls it, from the driver's text."""
    if text is None:
        return None
    match type.split("(")[0]:
        case "BOOLEAN":
            return text == "true"
        case "TINYINT" | "SMALLINT" | "INTEGER" | "BIGINT":
            return int(text)
        case "REAL" | "DOUBLE":
            return text if text in ("NaN", "Infinity", "-Infinity") else float(text)
        case _:
            return text


_NAMES: Final = {"INT": "INTEGER", "FLOAT": "REAL", "BINARY": "VARBINARY", "BYTES": "VARBINARY"}
_LONGEST: Final = "(2147483647)"


def column(name: str, type: str, nullable: bool) -> ColumnInfo:
    """A column of the result; intervals are declared in the unit of the driver's texts."""
    if type.startswith("INTERVAL"):
        months = "YEAR" in type or "MONTH" in type
        return ColumnInfo(name, "INTERVAL MONTH" if months else "INTERVAL SECOND", nullable)
    base = type.removesuffix(_LONGEST).split("(")[0]
    match base:
        case "INT" | "FLOAT" | "BINARY" | "BYTES":
            return ColumnInfo(name, _NAMES[base], nullable)
        case "TIMESTAMP_LTZ" | "ARRAY" | "MAP" | "MULTISET" | "ROW" | "RAW":
            return ColumnInfo(name, "ANY", nullable)
        case _:
            return ColumnInfo(name, type.removesuffix(_LONGEST), nullable)
