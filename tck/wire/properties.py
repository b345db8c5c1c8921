"""The properties, which are spans of time, that a backend may declare in its hello.

=====================  ==========================================================================
``quiet``              a poll is complete after this time without output: the kit polls until then
``idle-timeout``       an input without events for this time does not hold back other inputs: a case
                       that lets as much time pass (`tck.protocol.Elapse`) is skipped
``allowed-lateness``   a row that is late by less than this is accepted: a case with late rows is
                       skipped
=====================  ==========================================================================
"""

import re
from collections.abc import Mapping
from typing import Final

QUIET: Final = "quiet"
IDLE_TIMEOUT: Final = "idle-timeout"
ALLOWED_LATENESS: Final = "allowed-lateness"
PROPERTIES: Final = (QUIET, IDLE_TIMEOUT, ALLOWED_LATENESS)

#: The form of a span, for messages.
FORM: Final = "a number and ms, s or min, such as '50 ms'"

#: A span; the groups are its number and its unit.
_SPAN: Final = re.compile(r"(\d+(?:\.\d+)?) (ms|s|min)")
_SECONDS: Final[Mapping[str, float]] = {"ms": 0.001, "s": 1.0, "min": 60.0}


def seconds_of(span: str) -> float | None:
    """The seconds of a span of time, such as ``50 ms``; None: it has another form."""
    found = _SPAN.fullmatch(span)
    return float(found[1]) * _SECONDS[found[2]] if found else None


def property_seconds(properties: Mapping[str, str], name: str) -> float | None:
    """The seconds of the property ``name``; None: it is not declared, or its span is not valid."""
    return seconds_of(properties[name]) if name in properties else None


def implied_gaps(properties: Mapping[str, str]) -> dict[str, str]:
    """The gaps that follow from declared properties, with their reasons.

    With `ALLOWED_LATENESS` a backend accepts rows that some cases expect to be dropped, so it lacks
    the capability ``late``.
    """
    lateness = property_seconds(properties, ALLOWED_LATENESS)
    return {"late": f"allows a lateness of {properties[ALLOWED_LATENESS]}"} if lateness else {}
