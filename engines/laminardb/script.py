"""The kit's texts in LaminarDB's dialect: sources by event time, and windows in GROUP BY alone."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from engines.harness.declarations import QUOTED, LackError, Relation, parts, without_stream

_OUTSIDE: Final = re.compile(rf"({QUOTED})|([^'\"]+)")
_INTERVAL: Final = r"INTERVAL\s+'[^']*'\s+\w+"
_TIME: Final = r"(?:\w+\.)?\w+"
_FLOOR: Final = re.compile(
    rf"\bFLOOR\s*\(\s*({_TIME})\s+TO\s+(SECOND|MINUTE|HOUR|DAY)\s*\)", re.IGNORECASE
)
#: A window in GROUP BY, or one of its edges.
_WINDOW: Final = re.compile(
    rf"\b(TUMBLE|HOP|SESSION)(?:_(START|END))?\s*\(\s*({_TIME})((?:\s*,\s*{_INTERVAL})*)\s*\)",
    re.IGNORECASE,
)
_CLAUSES: Final = re.compile(r"\b(FROM|WHERE|GROUP\s+BY|HAVING|ORDER\s+BY)\b", re.IGNORECASE)
_UNITS: Final = {"SECOND": 1000, "MINUTE": 60_000, "HOUR": 3_600_000, "DAY": 86_400_000}
_ALIAS: Final = re.compile(r"(.*?)(?:\s+AS\s+\w+)?", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Windows:
    """A query over windows: its text, and the column of the answer for each column of the kit's.

    ``size`` are the milliseconds of a window; None: they differ, as those of sessions do.
    """

    text: str
    columns: tuple[str, ...]
    size: int | None


def source(relation: Relation) -> str:
    """The CREATE SOURCE of a stream or table, with names in lower case.

    An event time is a number of milliseconds.
    """
    columns = [
        f"{name.lower()} {'BIGINT' if name == relation.time else kind}"
        for name, kind in zip(relation.columns, relation.types, strict=True)
    ]
    if relation.time:
        time, seconds = relation.time.lower(), f"{relation.lag / 1000:g}"
        columns.append(f"WATERMARK FOR {time} AS {time} - INTERVAL '{seconds}' SECOND")
    return f"CREATE SOURCE {relation.name.lower()} ({', '.join(columns)})"


def plain(sql: str) -> str:
    """A query without STREAM and comments, in lower case: the engine tells cases of names apart."""
    found = without_stream(sql).strip()
    return _OUTSIDE.sub(lambda each: each[1] or each[2].lower(), found)


def windows(sql: str, times: Iterable[str]) -> Windows | None:
    """A `plain` query that groups by a window of one of the ``times``; None: it is another query.

    Raises `LackError` for a window without its sizes.
    """
    names = {each.upper() for each in times}
    if re.search(r"(?i)\b(UNION|INTERSECT|EXCEPT)\b", _top(sql)):
        return None
    text = _FLOOR.sub(
        lambda each: (
            f"tumble({each[1]}, interval '1' {each[2]})" if _last(each[1]) in names else each[0]
        ),
        sql,
    )
    clauses = _clauses(text)
    group = clauses.get("GROUP BY", "")
    keys = parts(group, ",")
    found = next((each for key in keys if (each := _WINDOW.fullmatch(key))), None)
    if found is None:
        return None
    if not found[4]:
        raise LackError("no window without its size")
    window = f"{found[1].lower()}({found[3]}{found[4]})"
    items: list[str] = []
    columns: list[str] = []
    for place, item in enumerate(parts(clauses["SELECT"], ",")):
        expression = _ALIAS.fullmatch(item)
        edge = _WINDOW.fullmatch(expression[1].strip()) if expression else None
        if edge is not None:
            columns.append("window_end" if (edge[2] or "").upper() == "END" else "window_start")
        else:
            columns.append(f"c{place}")
            shown = _timed(expression[1] if expression else item, names)
            items.append(f"{shown} AS c{place}")
    if any(each.startswith("window") for each in columns):
        items.insert(0, f"{window} AS w0")
    rest = [window if _WINDOW.fullmatch(key) else key for key in keys]
    written = f"SELECT {', '.join(items)} FROM {clauses['FROM']}"
    written += f" WHERE {_timed(clauses['WHERE'], names)}" if "WHERE" in clauses else ""
    written += f" GROUP BY {', '.join(rest)}"
    written += f" HAVING {clauses['HAVING']}" if "HAVING" in clauses else ""
    return Windows(written, tuple(columns), _size(found))


def stateless(sql: str, times: Iterable[str]) -> str:
    """A `plain` query without windows: an event time is converted to a TIMESTAMP.

    Raises `LackError` for a stream with a group in it.
    """
    names = {each.upper() for each in times}
    if names and re.search(r"\bGROUP\s+BY\b", re.sub(QUOTED, "''", sql), re.IGNORECASE):
        raise LackError("a GROUP BY over a stream needs a window that is written in the same query")
    found = _FLOOR.sub(lambda each: f"date_trunc('{each[2].lower()}', {each[1]})", sql)
    return _timed(found, names)


def _timed(text: str, names: set[str]) -> str:
    """The text with ``to_timestamp_millis(rowtime)`` for each event time."""
    if not names:
        return text
    name = "|".join(map(re.escape, sorted(names)))
    kept = rf"{QUOTED}|\bAS\s+\w+"
    column = re.compile(rf"({kept})|(?<![\w.])((?:\w+\.)?(?:{name}))\b", re.IGNORECASE)
    return column.sub(lambda each: each[1] or f"to_timestamp_millis({each[2]})", text)


def _size(window: re.Match[str]) -> int | None:
    """The milliseconds of the last interval of a window, its size; None for a session."""
    found = re.findall(r"INTERVAL\s+'(\d+)'\s+(\w+)", window[4], re.IGNORECASE)
    if window[1].upper() == "SESSION" or not found:
        return None
    number, unit = found[-1]
    return int(number) * _UNITS.get(unit.upper(), 0) or None


def _last(name: str) -> str:
    return name.rpartition(".")[2].upper()


def _top(text: str) -> str:
    """The text without quotes, parentheses and their contents."""
    text = re.sub(QUOTED, "''", text)
    while (cut := re.sub(r"\([^()]*\)", "", text)) != text:
        text = cut
    return text


def _clauses(text: str) -> dict[str, str]:
    """The clauses of a SELECT by their words, outside of parentheses and quotes."""
    # Of each clause its word, and where the word begins and ends.
    marks: list[tuple[str, int, int]] = [("SELECT", 0, len("SELECT"))]
    hidden = re.sub(QUOTED, lambda each: "_" * len(each[0]), text)
    depth = 0
    level: list[int] = []
    for each in hidden:
        depth += (each == "(") - (each == ")")
        level.append(depth)
    marks += [
        (re.sub(r"\s+", " ", found[1].upper()), found.start(), found.end())
        for found in _CLAUSES.finditer(hidden)
        if level[found.start()] == 0
    ]
    ends = [start for _, start, _ in marks[1:]] + [len(text)]
    return {word: text[end:stop].strip() for (word, _, end), stop in zip(marks, ends, strict=True)}
