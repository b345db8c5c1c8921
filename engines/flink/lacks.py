"""The features that Flink does not implement, by the words of its exceptions."""

from typing import Final

#: A part of Flink's message, and the missing feature.
_LACKS: Final = (
    (
        "doesn't support consuming update",
        "an updating query, whose rows Flink emits at once and may take back later",
    ),
    ("Sort on a non-time-attribute field", "no ORDER BY of a stream but by a time attribute"),
    (
        "window can only be ordered",
        "no OVER of a stream but ordered by a single column, ascending",
    ),
    ("All aggregates must be computed on the same window", "no two windows in one SELECT"),
    ("OVER RANGE FOLLOWING windows", "no OVER of a stream with later rows"),
    ("Function is not supported in stream mode", "no OVER of a stream with later rows"),
    ("RANK() on streaming table", "no RANK over changes"),
    ("sort is not supported for bounded OVER", "no OVER of a stream but by a time attribute"),
    ("FETCH is missed", "no OFFSET of a stream without FETCH"),
    ("requires size must be an integral multiple", "no HOP whose step does not divide its size"),
    (
        "Window aggregate can only be defined over a time attribute",
        "no window but over a time attribute",
    ),
    ("requires the timecol is a time attribute", "no window but over a time attribute"),
    ("type is not allowed for window boundary", "no frame of months"),
    ("MONTH and YEAR time unit are not supported", "no window of months"),
    ("only support the count of one field", "no COUNT of several columns"),
    ("only possible for INSERT-only table sources", "no relational query over changes"),
)


def lack(message: str) -> str | None:
    """The feature that is missing by Flink's own words; None: the message names none."""
    return next((feature for words, feature in _LACKS if words in message), None)
