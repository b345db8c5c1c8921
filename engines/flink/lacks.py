"""The features that Flink does not implement, by the words of its exceptions."""

from typing import Final

#: A part of Flink's message, and the missing feature.
_LACKS: Final = (
    (
        "doesn't support consuming update",
        "an updating query: Flink emits its rows at once, and may retract them later",
    ),
    (
        "Sort on a non-time-attribute field",
        "the first key of ORDER BY on a stream must be a time attribute",
    ),
    (
        "window can only be ordered",
        "OVER on a stream needs exactly one sort key, ascending",
    ),
    ("All aggregates must be computed on the same window", "no two windows in one SELECT"),
    ("OVER RANGE FOLLOWING windows", "OVER on a stream cannot read later rows"),
    ("Function is not supported in stream mode", "OVER on a stream cannot read later rows"),
    ("RANK() on streaming table", "no RANK over changes"),
    (
        "sort is not supported for bounded OVER",
        "the sort key of OVER on a stream must be a time attribute",
    ),
    ("FETCH is missed", "OFFSET on a stream needs FETCH"),
    (
        "requires size must be an integral multiple",
        "the size of a HOP must be a multiple of its step",
    ),
    (
        "Window aggregate can only be defined over a time attribute",
        "a window must be over a time attribute",
    ),
    ("requires the timecol is a time attribute", "a window must be over a time attribute"),
    ("type is not allowed for window boundary", "no frame of months"),
    ("MONTH and YEAR time unit are not supported", "no window of months"),
    ("only support the count of one field", "no COUNT of several columns"),
    ("only possible for INSERT-only table sources", "no relational query over changes"),
    (
        "has an upsert key that differs from the primary key",
        "upserts need a key that Flink deduces from the query",
    ),
)


def lack(message: str) -> str | None:
    """The feature that is missing by Flink's own words; None: the message names none."""
    return next((feature for words, feature in _LACKS if words in message), None)
