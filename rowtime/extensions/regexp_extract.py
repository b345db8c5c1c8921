"""REGEXP_EXTRACT: what a regular expression finds in a text."""

import re
from functools import lru_cache


class RegexpExtract:
    """The first group of the first match of a pattern in a text; the match if it has no group.

    NULL if nothing matches, or the group took no part in the match. Patterns are those of Python's
    `re`; a wrong one is an error.
    """

    signature = "REGEXP_EXTRACT(text VARCHAR, pattern VARCHAR) RETURNS VARCHAR"

    def __call__(self, text: str, pattern: str) -> str | None:
        """What is found, or None.

        >>> RegexpExtract()("GET /orders/17", "/orders/([0-9]+)")
        '17'
        """
        found = _compiled(pattern).search(text)
        if found is None:
            return None
        return found.group(1) if found.re.groups else found.group()


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    """The pattern; one is compiled once for many rows."""
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ValueError(f"{pattern!r} is no regular expression: {error}") from None
