"""Group windows as table functions, for engines that have no TUMBLE and HOP in GROUP BY.

The kit's cases group by functions, as the documentation of SQLstream and Calcite does::

    SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR) AS t, COUNT(*) AS c
    FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR)

An engine that declares ``table-functions`` is sent the other spelling of the same query::

    SELECT STREAM window_end AS t, COUNT(*) AS c
    FROM TABLE(TUMBLE(TABLE Orders, DESCRIPTOR(rowtime), INTERVAL '1' HOUR))
    GROUP BY window_start, window_end

In both spellings the step of HOP stands before its size.  An engine that declares ``size-first`` is
sent the two intervals in the other order.
"""

import re
from typing import Final

_SHAPE: Final = re.compile(
    r"(?P<select>\s*SELECT\b.+?)\bFROM\s+(?P<input>[\w.]+)(?P<alias>(?:\s+AS)?\s+(?!WHERE\b|GROUP\b)\w+)?"
    r"(?P<where>\s+WHERE\b.+?)?\s+GROUP\s+BY\s+(?P<groups>.+?)"
    r"(?P<rest>\s*(?:\b(?:HAVING|ORDER\s+BY|LIMIT)\b.*)?)",
    re.IGNORECASE | re.DOTALL,
)
_WINDOW: Final = re.compile(
    r"(?P<kind>TUMBLE|HOP)\s*\(\s*(?P<time>\w+)\s*(?P<spans>(?:,\s*INTERVAL\s+'[^']*'\s+\w+\s*){1,2})\)",
    re.IGNORECASE,
)
#: The text of a query that has more than one SELECT, or a clause between FROM and GROUP BY that the
#: spelling would have to follow.
_OTHER: Final = re.compile(
    r"\b(?:JOIN|UNION|INTERSECT|EXCEPT|OVER|WITH|GROUPING|CUBE|ROLLUP|VALUES)\b|\bSELECT\b.*\bSELECT\b",
    re.IGNORECASE | re.DOTALL,
)
_SPANS: Final = {"TUMBLE": 1, "HOP": 2}

_INTERVAL: Final = r"INTERVAL\s+'[^']*'\s+\w+(?:\s*\(\d+\))?(?:\s+TO\s+\w+)?"
#: HOP in either spelling, or an edge of its window, up to its second interval; an argument before
#: them may have parentheses in parentheses.
_HOP: Final = re.compile(
    r"(?P<before>\bHOP(?:_START|_END)?\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*?,\s*)"
    rf"(?P<step>{_INTERVAL})(?P<comma>\s*,\s*)(?P<size>{_INTERVAL})",
    re.IGNORECASE,
)


def with_size_first(sql: str) -> str:
    """A text with the size of each HOP before its step; named arguments stay as they are.

    >>> with_size_first("HOP(TABLE o, DESCRIPTOR(t), INTERVAL '1' HOUR, INTERVAL '3' HOUR)")
    "HOP(TABLE o, DESCRIPTOR(t), INTERVAL '3' HOUR, INTERVAL '1' HOUR)"
    """
    return _HOP.sub(r"\g<before>\g<size>\g<comma>\g<step>", sql)


def with_table_functions(sql: str) -> str:
    """A query in the spelling of table functions; a query of another shape is unchanged.

    The shape is one SELECT over one table or stream, whose GROUP BY has one window.
    """
    found = _SHAPE.fullmatch(sql.rstrip().rstrip(";"))
    windows = list(_WINDOW.finditer(found["groups"])) if found else []
    if found is None or _OTHER.search(sql) or len(windows) != 1:
        return sql
    (window,) = windows
    kind = window["kind"].upper()
    if window["spans"].upper().count("INTERVAL") != _SPANS[kind]:
        return sql
    spans = r"\s*,\s*".join(map(re.escape, _pieces(window["spans"])))
    arguments = rf"\s*{window['time']}\s*(?:,\s*{spans}\s*)?"
    start = re.compile(rf"\b{kind}_START\s*\({arguments}\)", re.IGNORECASE)
    end = re.compile(rf"\b{kind}_END\s*\({arguments}\)", re.IGNORECASE)

    def spelled(text: str) -> str:
        return end.sub("window_end", start.sub("window_start", text))

    groups = found["groups"].replace(window[0], "window_start, window_end")
    listed = ", ".join(_pieces(window["spans"]))
    table = f"TABLE({kind}(TABLE {found['input']}, DESCRIPTOR({window['time']}), {listed}))"
    before, after = spelled(found["select"]), spelled(f"{groups}{found['rest']}")
    made = f"{before}FROM {table}{found['alias'] or ''}{found['where'] or ''} GROUP BY {after}"
    return sql if re.search(r"(?i)\b(?:TUMBLE|HOP)_(?:START|END)\b", made) else made


def _pieces(spans: str) -> list[str]:
    """The intervals of a list that begins with a comma."""
    return [piece.strip() for piece in spans.split(",") if piece.strip()]
