"""Window table functions as Calcite reads them: within ``TABLE(…)``, which may be left out here."""

import re
from typing import Final

from grammar.parse import parse_query
from grammar.unparse import unparse

#: The functions that Calcite has; CUMULATE is Flink's.
_BARE: Final = re.compile(
    r"(?<!TABLE\()\b(?:TUMBLE|HOP|SESSION)\s*\(\s*(?:TABLE\b|\(|\w+\s*=>)", re.IGNORECASE
)


def in_table(sql: str) -> str | None:
    """The query with ``TABLE(…)`` around each window table function; None: it is written so.

    >>> in_table("SELECT STREAM * FROM TUMBLE(TABLE o, DESCRIPTOR(t), INTERVAL '1' HOUR)")
    "SELECT STREAM * FROM TABLE(TUMBLE(TABLE O, DESCRIPTOR(T), INTERVAL '1' HOUR))"
    """
    return unparse(parse_query(sql)) if _BARE.search(sql) else None
