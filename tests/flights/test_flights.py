"""The departures from New York as streams, and each question on a few days of them."""

from functools import cache
from typing import Any

import pytest

from algebra.functions.datetimes import format_timestamp
from benchmarks.flights.data import Flights, flights
from benchmarks.flights.run import QUESTIONS, agrees, duck, prepared, streamed
from reference.values import integer


@cache
def given() -> tuple[Flights, Any]:
    """The first flights of the year, four days and a bit; and DuckDB with them."""
    made = flights(4_000)
    return made, duck(made)


def test_a_departure_is_at_its_scheduled_time_and_its_delay_in_utc() -> None:
    """The year's first: UA 1545, 05:15 in New York, two minutes late, 227 minutes in the air."""
    made, _ = given()
    time, *rest = made.departures[0]
    assert format_timestamp(integer(time)) == "2013-01-01 10:17:00"
    assert rest == ["UA", 1545, "N14228", "EWR", "IAH", 2, 1400]
    back = next(row for row in made.returns if row[1:] == ("N14228", "EWR", "IAH"))
    assert integer(back[0]) - integer(time) == 2 * 227 * 60_000


def test_what_was_cancelled_has_not_departed() -> None:
    made, _ = given()
    assert len(made.departures) + made.cancelled == 4_000
    assert made.cancelled > 0


def test_streams_are_in_the_order_of_their_rowtime() -> None:
    made, _ = given()
    for stream in (made.departures, made.returns):
        times = [integer(row[0]) for row in stream]
        assert times == sorted(times)


def test_weather_holds_from_its_hour_until_the_next_begins() -> None:
    made, _ = given()
    origin, day, start, end, *_ = made.weather[0]
    assert (origin, format_timestamp(integer(start))) == ("EWR", "2013-01-01 06:00:00")
    assert integer(day) * 86_400_000 <= integer(start) < (integer(day) + 1) * 86_400_000
    assert integer(end) - integer(start) == 3_600_000 - 1


def test_what_is_not_known_is_null() -> None:
    """Of four hours in the year the wind is not known."""
    made, _ = given()
    assert sum(row[4] is None for row in made.weather) == 4


@pytest.mark.parametrize("name", [each.name for each in QUESTIONS])
def test_duckdb_gives_the_same_rows(name: str) -> None:
    made, engine = given()
    query = prepared(name)
    rows = streamed(query, made)
    assert rows
    assert agrees(name, query, rows, engine)
    assert not agrees(name, query, rows[1:], engine)
