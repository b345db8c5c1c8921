"""Rewrite group windows as table functions, for engines without TUMBLE and HOP in GROUP BY.

The kit's cases group by functions, as the documentation of SQLstream and Calcite does::

    SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR) AS t, COUNT(*) AS c
    FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR)

An engine that declares ``table-functions`` is sent the other spelling of the same query::

    SELECT STREAM window_end AS t, COUNT(*) AS c
    FROM TABLE(TUMBLE(TABLE Orders, DESCRIPTOR(rowtime), INTERVAL '1' HOUR))
    GROUP BY window_start, window_end

In both spellings the step of HOP stands before its size.  An engine that declares ``size-first`` is
sent the two intervals in the other order.  Queries are not parsed, but matched by patterns; a query
that does not match is sent as it is.
"""

import re
from typing import Final

#: A query: SELECT … FROM one input (with an alias), WHERE, GROUP BY, and further clauses.
_SHAPE: Final = re.compile(
    r"(?P<select>\s*SELECT\b.+?)\bFROM\s+(?P<input>[\w.]+)(?P<alias>(?:\s+AS)?\s+(?!WHERE\b|GROUP\b)\w+)?"
    r"(?P<where>\s+WHERE\b.+?)?\s+GROUP\s+BY\s+(?P<groups>.+?)"
    r"(?P<rest>\s*(?:\b(?:HAVING|ORDER\s+BY|LIMIT)\b.*)?)",
    re.IGNORECASE | re.DOTALL,
)
#: A window in GROUP BY: a name, a column, and one or two intervals.
_WINDOW: Final = re.compile(
    r"(?P<kind>TUMBLE|HOP)\s*\(\s*(?P<time>\w+)\s*(?P<spans>(?:,\s*INTERVAL\s+'[^']*'\s+\w+\s*){1,2})\)",
    re.IGNORECASE,
)
#: A query that has another shape although it matches `_SHAPE`: it has such a word, or two SELECTs.
_OTHER: Final = re.compile(
    r"\b(?:JOIN|UNION|INTERSECT|EXCEPT|OVER|WITH|GROUPING|CUBE|ROLLUP|VALUES)\b|\bSELECT\b.*\bSELECT\b",
    re.IGNORECASE | re.DOTALL,
)
#: The number of intervals of each window; with one more, a window has an alignment.
_SPANS: Final = {"TUMBLE": 1, "HOP": 2}

#: A literal such as INTERVAL '1:30' HOUR(2) TO MINUTE.
_INTERVAL: Final = r"INTERVAL\s+'[^']*'\s+\w+(?:\s*\(\d+\))?(?:\s+TO\s+\w+)?"
#: A call of HOP in either spelling, or of HOP_START or HOP_END, up to its second interval.  The
#: arguments before the intervals can have parentheses, nested at most twice.
_HOP: Final = re.compile(
    r"(?P<before>\bHOP(?:_START|_END)?\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*?,\s*)"
    rf"(?P<step>{_INTERVAL})(?P<comma>\s*,\s*)(?P<size>{_INTERVAL})",
    re.IGNORECASE,
)


def with_size_first(sql: str) -> str:
    """The text of a query with the size of each HOP before its step.

    Calls with named arguments stay as they are.

    >>> with_size_first("HOP(TABLE o, DESCRIPTOR(t), INTERVAL '1' HOUR, INTERVAL '3' HOUR)")
    "HOP(TABLE o, DESCRIPTOR(t), INTERVAL '3' HOUR, INTERVAL '1' HOUR)"
    """
    return _HOP.sub(r"\g<before>\g<size>\g<comma>\g<step>", sql)


def with_table_functions(sql: str) -> str:
    """The query in the spelling of table functions.

    A query is changed only if it is one SELECT over one table or stream, and its GROUP BY has one
    window without alignment.
    """
    found = _SHAPE.fullmatch(sql.rstrip().rstrip(";"))
    windows = list(_WINDOW.finditer(found["groups"])) if found else []
    if found is None or _OTHER.search(sql) or len(windows) != 1:
        return sql
    (window,) = windows
    kind = window["kind"].upper()
    if window["spans"].upper().count("INTERVAL") != _SPANS[kind]:
        return sql
    # The calls for the start and end of the window, such as TUMBLE_START, with all arguments of the
    # window or only its column.
    spans = r"\s*,\s*".join(map(re.escape, _pieces(window["spans"])))
    arguments = rf"\s*{window['time']}\s*(?:,\s*{spans}\s*)?"
    start = re.compile(rf"\b{kind}_START\s*\({arguments}\)", re.IGNORECASE)
    end = re.compile(rf"\b{kind}_END\s*\({arguments}\)", re.IGNORECASE)

    def spelled(text: str) -> str:
        """The text with names of columns in place of the calls."""
        return end.sub("window_end", start.sub("window_start", text))

    groups = found["groups"].replace(window[0], "window_start, window_end")
    intervals = ", ".join(_pieces(window["spans"]))
    table = f"TABLE({kind}(TABLE {found['input']}, DESCRIPTOR({window['time']}), {intervals}))"
    before, after = spelled(found["select"]), spelled(f"{groups}{found['rest']}")
    made = f"{before}FROM {table}{found['alias'] or ''}{found['where'] or ''} GROUP BY {after}"
    # If the start or end of another window is left in the text, the query stays as it is.
    return sql if re.search(r"(?i)\b(?:TUMBLE|HOP)_(?:START|END)\b", made) else made


def _pieces(spans: str) -> list[str]:
    """The intervals in a text that has a comma before each of them."""
    return [piece.strip() for piece in spans.split(",") if piece.strip()]
