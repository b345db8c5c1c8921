"""Scripts of CREATE TABLE, CREATE STREAM and CREATE VIEW, read for other engines."""

import re
from dataclasses import dataclass
from typing import Final

#: The types of columns that a script may have, by the kit's name; lengths are ignored.
TYPES: Final = {
    "BOOLEAN": "BOOLEAN",
    "SMALLINT": "SMALLINT",
    "INTEGER": "INTEGER",
    "INT": "INTEGER",
    "BIGINT": "BIGINT",
    "DECIMAL": "DECIMAL",
    "NUMERIC": "DECIMAL",
    "REAL": "REAL",
    "FLOAT": "DOUBLE",
    "DOUBLE": "DOUBLE",
    "DOUBLE PRECISION": "DOUBLE",
    "VARCHAR": "VARCHAR",
    "DATE": "DATE",
    "TIME": "TIME",
    "TIMESTAMP": "TIMESTAMP",
}
QUOTED: Final = r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\""
_COMMENT: Final = re.compile(rf"({QUOTED})|--[^\n]*|/\*.*?\*/", re.DOTALL)
_STREAM: Final = re.compile(rf"({QUOTED})|\bSELECT\s+STREAM\b", re.IGNORECASE)
_RELATION: Final = re.compile(
    r"CREATE\s+(TABLE|STREAM)\s+(\w+)\s*\((.*)\)(\s+WITH\s+HISTORY.*)?", re.IGNORECASE | re.DOTALL
)
_VIEW: Final = re.compile(r"CREATE\s+(?:OR\s+REPLACE\s+)?VIEW\s.*", re.IGNORECASE | re.DOTALL)
_COLUMN: Final = re.compile(
    r"(\w+)\s+(.+?)(\s+(?:ASCENDING|DESCENDING|NOT\s+NULL|NULL|PRIMARY\s+KEY)\b.*)?",
    re.IGNORECASE | re.DOTALL,
)
_WITHIN: Final = re.compile(
    r"WITHIN\s+INTERVAL\s+'(\d+)'\s+(SECOND|MINUTE|HOUR|DAY)", re.IGNORECASE
)
_MILLISECONDS: Final = {"SECOND": 1000, "MINUTE": 60_000, "HOUR": 3_600_000, "DAY": 86_400_000}


class LackError(Exception):
    """A feature that the engine does not have."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A table or a stream.

    ``types`` are those of TYPES, one for each of the ``columns``.  ``time`` is the column of the
    event time, None without one; ``lag`` is the distance of the watermark from its greatest value,
    in milliseconds.
    """

    name: str
    stream: bool
    columns: tuple[str, ...]
    types: tuple[str, ...]
    time: str | None
    lag: int


def read_script(ddl: str, streaming: bool) -> tuple[list[Relation], list[str]]:
    """The relations of a script, and the statements of its views.

    Only a query that is ``streaming`` reads streams by their event time.  Raises `LackError`.
    """
    relations: list[Relation] = []
    views: list[str] = []
    for text in parts(without_comments(ddl), ";"):
        relation = _RELATION.fullmatch(text)
        if relation:
            relations.append(_relation(relation, streaming))
        elif _VIEW.fullmatch(text):
            views.append(text)
        else:
            raise LackError(f"no {text.split()[0].upper()} in a script of this form")
    return relations, views


def _relation(found: re.Match[str], streaming: bool) -> Relation:
    stream = found[1].upper() == "STREAM"
    columns: list[str] = []
    types: list[str] = []
    time, lag = None, 0
    for text in parts(found[3], ","):
        for missing in ("CHECK", "DEFAULT", "PERIOD"):
            if re.search(rf"\b{missing}\b", text, re.IGNORECASE):
                raise LackError(f"no {missing}")
        column = _COLUMN.fullmatch(text)
        if column is None:
            raise LackError("a table has columns alone")
        name, declared, options = column[1], column[2].upper(), (column[3] or "").upper()
        kind = TYPES.get(re.sub(r"\s*\(.*\)", "", declared))
        if kind is None:
            raise LackError(f"no type {declared.split('(')[0].split()[0]}")
        if kind == "DECIMAL":
            kind = declared.replace("NUMERIC", "DECIMAL")
        if stream and streaming and time is None and kind == "TIMESTAMP" and "ASCENDING" in options:
            if "PUNCTUATED" in options:
                raise LackError("no watermark apart from rows")
            within = _WITHIN.search(options)
            time, lag = name, int(within[1]) * _MILLISECONDS[within[2].upper()] if within else 0
        columns.append(name)
        types.append(kind)
    return Relation(
        name=found[2],
        stream=stream,
        columns=tuple(columns),
        types=tuple(types),
        time=time,
        lag=lag,
    )


def without_stream(text: str) -> str:
    """A query without comments and without the word STREAM."""
    found = without_comments(text)
    return _STREAM.sub(lambda each: each[1] or "SELECT", found)


def without_comments(text: str) -> str:
    """A text whose comments are blanks."""
    return _COMMENT.sub(lambda found: found[1] or " ", text)


def is_streaming(text: str) -> bool:
    """Whether SELECT STREAM stands in the query itself: not in parentheses."""
    top, depth = "", 0  # below 0 after the end of parentheses around the whole query
    for each in re.sub(QUOTED, "''", text).lstrip(" \n("):
        depth += (each == "(") - (each == ")")
        top += each if depth <= 0 else ""
    return re.search(r"\bSELECT\s+STREAM\b", top, re.IGNORECASE) is not None


def parts(text: str, divider: str) -> list[str]:
    """A text divided at a character outside parentheses and quotes; no part is empty."""
    found: list[str] = []
    part, depth, quote = "", 0, ""
    for each in text + divider:
        if quote:
            quote = "" if each == quote else quote
        elif each in "'\"":
            quote = each
        else:
            depth += (each == "(") - (each == ")")
        if each == divider and depth == 0 and not quote:
            found.append(part.strip())
            part = ""
        else:
            part += each
    return [each for each in found if each]
