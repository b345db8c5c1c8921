"""The kit's texts in clink's dialect: tables over files, and windows in GROUP BY alone."""

import re
from typing import Final

from engines.harness.declarations import Relation, parts, without_stream

_INTERVAL: Final = r"INTERVAL\s+'[^']*'\s+\w+"
_EDGE: Final = re.compile(
    rf"\b(?:TUMBLE|HOP|CUMULATE|SESSION)_(START|END)\s*\(\s*\w+(?:\s*,\s*{_INTERVAL})*\s*\)",
    re.IGNORECASE,
)


def statement(relation: Relation, path: str) -> str:
    """The CREATE TABLE over a file of JSON lines."""
    columns = ", ".join(
        f"{name} {kind}" for name, kind in zip(relation.columns, relation.types, strict=True)
    )
    event = (
        f", event_time_column='{relation.time}', watermark_lag_ms='{relation.lag}'"
        if relation.time
        else ""
    )
    options = f"connector='file', format='json', path='{path}'{event}"
    return f"CREATE TABLE {relation.name} ({columns}) WITH ({options})"


def query(text: str) -> str:
    """A query without STREAM, in which the edges of its window are columns."""
    return _EDGE.sub(lambda each: f"window_{each[1].lower()}", without_stream(text))


def edges(text: str) -> set[int]:
    """The places of the columns of a query that are an edge of its window, in milliseconds."""
    select = re.match(r"\s*SELECT\s+(.*)", text, re.IGNORECASE | re.DOTALL)
    if select is None:
        return set()
    items = parts(re.split(r"\bFROM\b", select[1], maxsplit=1, flags=re.IGNORECASE)[0], ",")
    edge = re.compile(r"window_(start|end)(\s+(AS\s+)?\w+)?", re.IGNORECASE)
    return {place for place, item in enumerate(items) if edge.fullmatch(item)}
