"""Writes the values and times of a run as its picture shows them.

If all times of a run have the same date, the picture shows the date once, and the times without it.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from algebra.functions.datetimes import parse_timestamp
from algebra.types import TIMESTAMP
from algebra.wire import Wire, from_wire, shown


def common_date(times: Iterable[int]) -> str:
    """The date of all times, which are in milliseconds; empty if there is none, or several."""
    days = {datetime.fromtimestamp(time / 1000, UTC).strftime("%Y-%m-%d") for time in times}
    return days.pop() if len(days) == 1 else ""


def listed(values: Sequence[Wire], day: str) -> str:
    """The values of a row on one line, each as in `short`."""
    return ", ".join(short(each, day) for each in values)


def short(value: Wire, day: str) -> str:
    """A value as text; a time of the date ``day`` is shown without the date."""
    return shown(value).removeprefix(f"{day} ")


def millis(at: str) -> int:
    """The milliseconds since 1970 of a TIMESTAMP, which is a text as in the protocol."""
    return parse_timestamp(at)


def time_of(value: Wire) -> int | None:
    """The milliseconds since 1970 of a value; None if it is NULL, or is not a TIMESTAMP."""
    try:
        time = from_wire(TIMESTAMP, value)
    except ValueError:
        return None
    return time if isinstance(time, int) else None
