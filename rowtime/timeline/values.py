"""Values and times of a run in the form of its picture: without the date if all have the same."""

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
    """The values of a row on one line."""
    return ", ".join(short(each, day) for each in values)


def short(value: Wire, day: str) -> str:
    """A value as text, without the date ``day``."""
    return shown(value).removeprefix(f"{day} ")


def millis(at: str) -> int:
    """The milliseconds of a TIMESTAMP on the wire."""
    return parse_timestamp(at)


def time_of(value: Wire) -> int | None:
    """The milliseconds of a TIMESTAMP on the wire; None if it is NULL, or not a TIMESTAMP."""
    try:
        time = from_wire(TIMESTAMP, value)
    except ValueError:
        return None
    return time if isinstance(time, int) else None
