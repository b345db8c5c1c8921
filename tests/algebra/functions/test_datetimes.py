"""Texts of dates, times and intervals."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algebra.functions.datetimes import (
    MAX_MILLIS,
    MAX_MONTHS,
    Fields,
    civil_from_days,
    days_from_civil,
    format_interval,
    format_timestamp,
    parse_date,
    parse_interval,
    parse_time,
    parse_timestamp,
)
from algebra.types import MAX_DATE, MAX_TIMESTAMP, MIN_DATE, MIN_TIMESTAMP
from grammar.tree import TimeUnit

Y, MO, D, H, MI, S = (
    TimeUnit.YEAR,
    TimeUnit.MONTH,
    TimeUnit.DAY,
    TimeUnit.HOUR,
    TimeUnit.MINUTE,
    TimeUnit.SECOND,
)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("1970-01-01", 0),
        ("1969-12-31", -1),
        ("2000-02-29", 11_016),
        ("2015-02-15", 16_481),
        ("1582-10-10", -141_432),  # no gap: the calendar is proleptic
        ("0001-01-01", MIN_DATE),
        ("9999-12-31", MAX_DATE),
    ],
)
def test_a_date_counts_days_since_1970(text: str, days: int) -> None:
    assert parse_date(text) == days


@pytest.mark.parametrize(
    "text",
    ["2015-02-29", "1900-02-29", "0000-01-01", "2015-13-01"],
)
def test_what_is_no_day_of_the_calendar_is_no_date(text: str) -> None:
    with pytest.raises(ValueError, match="is no"):
        parse_date(text)


@pytest.mark.parametrize("text", ["2015-2-5", "15-02-15", " 2015-02-15", "2015/02/15"])
def test_a_date_is_written_with_all_its_digits(text: str) -> None:
    with pytest.raises(ValueError, match="yyyy-mm-dd"):
        parse_date(text)


@pytest.mark.parametrize(
    ("text", "millis"),
    [
        ("00:00:00", 0),
        ("10:17:05", 37_025_000),
        ("23:59:59.999", 86_399_999),
        ("00:00:00.5", 500),
        ("00:00:00.05", 50),
    ],
)
def test_a_time_counts_milliseconds_since_midnight(text: str, millis: int) -> None:
    assert parse_time(text) == millis


@pytest.mark.parametrize("text", ["24:00:00", "10:60:00", "10:17:60", "0:12", "10:17", "10:17:00."])
def test_what_is_no_time_of_a_day_is_no_time(text: str) -> None:
    with pytest.raises(ValueError, match=text.split(":")[0]):
        parse_time(text)


def test_a_fourth_digit_after_the_point_is_refused() -> None:
    """A millisecond is the smallest unit there is (S-101)."""
    with pytest.raises(ValueError, match="fff"):
        parse_time("10:17:00.1234")


def test_the_ends_of_time_are_those_of_the_years_1_and_9999() -> None:
    assert format_timestamp(MIN_TIMESTAMP) == "0001-01-01 00:00:00"
    assert format_timestamp(MAX_TIMESTAMP) == "9999-12-31 23:59:59.999"


def test_a_timestamp_without_a_time_is_refused() -> None:
    with pytest.raises(ValueError, match="hh:mm:ss"):
        parse_timestamp("2015-02-15")


#: Days and times, some of which are none.
_DAYS = (
    "0000-01-01",
    "0001-01-01",
    "1969-12-31",
    "2016-02-29",
    "2015-02-29",
    "2015-13-01",
    "1-1-1",
)
_TIMES = ("00:00:00", "23:59:59", "24:00:00", "10:60:00", "10:17:60", "1:2:3", "10:17:00\n")
_FRACTIONS = ("", ".5", ".25", ".007", ".", ".1234", "Z")


@pytest.mark.parametrize("day", _DAYS)
@pytest.mark.parametrize("time", [a + b for a in _TIMES for b in _FRACTIONS])
def test_a_timestamp_is_a_day_and_a_time(day: str, time: str) -> None:
    """In value, or in what is wrong with it: the day's fault comes first."""
    expected = _read(lambda: parse_date(day) * 86_400_000 + parse_time(time))
    assert _read(lambda: parse_timestamp(f"{day} {time}")) == expected


def _read(parse: Callable[[], int]) -> str:
    """The number, or what is wrong with the text."""
    try:
        return str(parse())
    except ValueError as error:
        return str(error)


@given(st.integers(MIN_DATE, MAX_DATE))
def test_the_calendar_reads_back_every_day(days: int) -> None:
    assert days_from_civil(*civil_from_days(days)) == days


@pytest.mark.parametrize(
    ("text", "fields", "value"),
    [
        ("3", (H, H), 10_800_000),
        ("-3", (H, H), -10_800_000),
        ("+3", (H, H), 10_800_000),
        ("100", (MI, MI), 6_000_000),
        ("1:30", (H, MI), 5_400_000),
        ("1:30", (MI, S), 90_000),
        ("1.5", (S, S), 1_500),
        ("1 02:03:04.500", (D, S), 93_784_500),
        ("-1 00", (D, H), -86_400_000),
        ("2-3", (Y, MO), 27),
        ("5", (Y, Y), 60),
        ("5", (MO, MO), 5),
    ],
)
def test_an_interval_is_months_or_milliseconds(text: str, fields: Fields, value: int) -> None:
    assert parse_interval(text, fields) == value


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("1:60", (H, MI)),
        ("1 24", (D, H)),
        ("1-12", (Y, MO)),
        ("1:00:60", (H, S)),
        ("1.5", (H, H)),
        ("1:30", (H, H)),
        ("", (H, H)),
        ("1.2345", (S, S)),
        ("9999999999999999999", (D, D)),
        ("178956971", (Y, Y)),
    ],
)
def test_a_field_out_of_its_range_makes_no_interval(text: str, fields: Fields) -> None:
    with pytest.raises(ValueError, match=f"'{text}'"):
        parse_interval(text, fields)


@pytest.mark.parametrize(
    ("value", "fields", "text"),
    [
        (5_400_000, (H, MI), "1:30"),
        (-18_000_000, (H, H), "-5"),
        (93_784_500, (D, S), "1 02:03:04.500"),
        (93_784_000, (D, S), "1 02:03:04"),
        (27, (Y, MO), "2-03"),
        (-1, (Y, MO), "-0-01"),
        (1_001, (S, S), "1.001"),
        (-1_800_000, (H, H), "0"),
        (5_400_000, (H, H), "1"),
    ],
)
def test_an_interval_prints_in_its_own_fields(value: int, fields: Fields, text: str) -> None:
    assert format_interval(value, fields) == text


@given(st.integers(-MAX_MILLIS, MAX_MILLIS), st.sampled_from([D, H, MI, S]))
def test_an_interval_down_to_seconds_reads_back(value: int, first: TimeUnit) -> None:
    assert parse_interval(format_interval(value, (first, S)), (first, S)) == value


@given(st.integers(-MAX_MONTHS, MAX_MONTHS))
def test_years_and_months_read_back(value: int) -> None:
    assert parse_interval(format_interval(value, (Y, MO)), (Y, MO)) == value
