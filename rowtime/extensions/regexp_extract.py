"""REGEXP_EXTRACT: the part of a text that a regular expression matches."""

from functools import lru_cache
from importlib import import_module
from typing import Any


class RegexpExtract:
    """The text of the first group in the first match of a pattern.

    If the pattern has no group, it is the text of the match.

    NULL if nothing matches, or the group took no part in the match.  Patterns are those of RE2,
    which takes time in proportion to the length of the text, whatever the pattern: there are no
    references to groups, and no assertions about what is around a match.  A wrong pattern is an
    error, and so is a call where the package google-re2 is not installed.
    """

    signature = "REGEXP_EXTRACT(text VARCHAR, pattern VARCHAR) RETURNS VARCHAR"

    def __call__(self, text: str, pattern: str) -> str | None:
        """The matching part, or None.

        >>> RegexpExtract()("GET /orders/17", "/orders/([0-9]+)")
        '17'
        """
        found = _compiled(pattern).search(text)
        if found is None:
            return None
        group: str | None = found.group(1 if found.re.groups else 0)
        return group


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> Any:  # Any: the library has no types
    """The compiled pattern; a pattern is compiled once for many rows.

    Raises `ValueError` if it is not valid, or if google-re2 is not installed.
    """
    try:
        re2 = import_module("re2")
    except ModuleNotFoundError:
        message = "REGEXP_EXTRACT needs google-re2: pip install google-re2"
        raise ValueError(message) from None
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0]
        text = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise ValueError(f"{pattern!r} is not a regular expression of RE2: {text}") from None
