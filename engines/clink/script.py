"""The kit's texts in clink's dialect: tables over files, and windows in GROUP BY alone."""

import re
from dataclasses import dataclass
from typing import Final

#: The types of columns that clink has, by the kit's name; lengths are ignored.
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
_QUOTED: Final = r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\""
_COMMENT: Final = re.compile(rf"({_QUOTED})|--[^\n]*|/\*.*?\*/", re.DOTALL)
_STREAM: Final = re.compile(rf"({_QUOTED})|\bSELECT\s+STREAM\b", re.IGNORECASE)
_INTERVAL: Final = r"INTERVAL\s+'[^']*'\s+\w+"
_EDGE: Final = re.compile(
    rf"\b(?:TUMBLE|HOP|CUMULATE|SESSION)_(START|END)\s*\(\s*\w+(?:\s*,\s*{_INTERVAL})*\s*\)",
    re.IGNORECASE,
)
_HOP: Final = re.compile(
    rf"\b(HOP\s*\(\s*\w+\s*,\s*)({_INTERVAL})(\s*,\s*)({_INTERVAL})\s*\)", re.IGNORECASE
)
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


class NotInClinkError(Exception):
    """A feature that clink does not have."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A table or a stream.

    ``types`` are those of TYPES, one for each of the ``columns``; ``lag`` is the
    distance of the watermark from the greatest value of the column ``time``, in milliseconds.
    """

    name: str
    stream: bool
    columns: tuple[str, ...]
    types: tuple[str, ...]
    time: str | None
    lag: int

    def statement(self, path: str) -> str:
        """The CREATE TABLE over a file of JSON lines."""
        columns = ", ".join(
            f"{name} {kind}" for name, kind in zip(self.columns, self.types, strict=True)
        )
        event = (
            f", event_time_column='{self.time}', watermark_lag_ms='{self.lag}'" if self.time else ""
        )
        options = f"connector='file', format='json', path='{path}'{event}"
        return f"CREATE TABLE {self.name} ({columns}) WITH ({options})"


def read_script(ddl: str, streaming: bool) -> tuple[list[Relation], list[str]]:
    """The relations of a script, and the statements of its views.

    Only a query that is ``streaming`` reads streams by their event time.  Raises `NotInClinkError`.
    """
    relations: list[Relation] = []
    views: list[str] = []
    for text in parts(_COMMENT.sub(lambda found: found[1] or " ", ddl), ";"):
        relation = _RELATION.fullmatch(text)
        if relation:
            relations.append(_relation(relation, streaming))
        elif _VIEW.fullmatch(text):
            views.append(query(text))
        else:
            raise NotInClinkError(f"no {text.split()[0].upper()} in a script of this form")
    return relations, views


def _relation(found: re.Match[str], streaming: bool) -> Relation:
    stream = found[1].upper() == "STREAM"
    columns: list[str] = []
    types: list[str] = []
    time, lag = None, 0
    for text in parts(found[3], ","):
        for missing in ("CHECK", "DEFAULT", "PERIOD"):
            if re.search(rf"\b{missing}\b", text, re.IGNORECASE):
                raise NotInClinkError(f"no {missing}")
        column = _COLUMN.fullmatch(text)
        if column is None:
            raise NotInClinkError("a table has columns alone")
        name, declared, options = column[1], column[2].upper(), (column[3] or "").upper()
        kind = TYPES.get(re.sub(r"\s*\(.*\)", "", declared))
        if kind is None:
            raise NotInClinkError(f"no type {declared.split('(')[0].split()[0]}")
        if kind == "DECIMAL":
            kind = declared.replace("NUMERIC", "DECIMAL")
        if stream and streaming and time is None and kind == "TIMESTAMP" and "ASCENDING" in options:
            if "PUNCTUATED" in options:
                raise NotInClinkError("no watermark apart from rows")
            within = _WITHIN.search(options)
            time, lag = name, int(within[1]) * _MILLISECONDS[within[2].upper()] if within else 0
        columns.append(name)
        types.append(kind)
    return Relation(found[2], stream, tuple(columns), tuple(types), time, lag)


def query(text: str) -> str:
    """A query without STREAM; the edges of its window are columns, and HOP has its size first."""
    found = _COMMENT.sub(lambda each: each[1] or " ", text)
    found = _STREAM.sub(lambda each: each[1] or "SELECT", found)
    found = _EDGE.sub(lambda each: f"window_{each[1].lower()}", found)
    return _HOP.sub(r"\1\4\3\2)", found)


def is_streaming(text: str) -> bool:
    """Whether SELECT STREAM stands in the query itself: not in parentheses."""
    top, depth = "", 0
    for each in re.sub(_QUOTED, "''", text).lstrip(" \n("):
        depth += (each == "(") - (each == ")")
        top += each if depth <= 0 else ""
    return re.search(r"\bSELECT\s+STREAM\b", top, re.IGNORECASE) is not None


def edges(text: str) -> set[int]:
    """The places of the columns of a query that are an edge of its window, in milliseconds."""
    select = re.match(r"\s*SELECT\s+(.*)", text, re.IGNORECASE | re.DOTALL)
    if select is None:
        return set()
    items = parts(re.split(r"\bFROM\b", select[1], maxsplit=1, flags=re.IGNORECASE)[0], ",")
    edge = re.compile(r"window_(start|end)(\s+(AS\s+)?\w+)?", re.IGNORECASE)
    return {place for place, item in enumerate(items) if edge.fullmatch(item)}


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
