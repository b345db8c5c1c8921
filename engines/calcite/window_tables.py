"""Window table functions as Calcite reads them: within ``TABLE(…)``, their columns in quotes."""

import re
from typing import Final

from grammar.parse import parse_query
from grammar.unparse import unparse

#: A window table function; CUMULATE is Flink's, and Calcite does not have it.
_FUNCTION: Final = re.compile(
    r"\b(?:TUMBLE|HOP|SESSION)\s*\(\s*(?:TABLE\b|\(|\w+\s*=>)", re.IGNORECASE
)
_BARE: Final = re.compile(rf"(?<!TABLE\(){_FUNCTION.pattern}", re.IGNORECASE)
#: A column that the function adds, which Calcite names in small letters; not one in quotes.
_EDGE: Final = re.compile(r"(?<![\w\"])window_(start|end)(?![\w\"])", re.IGNORECASE)


def in_table(sql: str) -> str | None:
    """The query with ``TABLE(…)`` around each window table function, and its columns in quotes.

    None: it has no such function, or is written so.

    >>> print(in_table("SELECT window_end FROM TUMBLE(TABLE o, DESCRIPTOR(t), INTERVAL '1' HOUR)"))
    SELECT "window_end" FROM TABLE(TUMBLE(TABLE O, DESCRIPTOR(T), INTERVAL '1' HOUR))
    """
    if not _FUNCTION.search(sql):
        return None
    text = unparse(parse_query(sql)) if _BARE.search(sql) else sql
    text = _EDGE.sub(lambda found: f'"window_{found[1].lower()}"', text)
    return None if text == sql else text
