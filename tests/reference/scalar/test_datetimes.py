"""The calendar, datetime arithmetic, FLOOR, CEIL, STEP and EXTRACT (S-207, S-208)."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algebra.types import (
    DATE,
    MAX_DATE,
    MAX_TIMESTAMP,
    MILLIS_PER_DAY,
    MIN_DATE,
    MIN_TIMESTAMP,
    TIME,
    TIMESTAMP,
    Kind,
    interval,
)
from grammar.codes import Code
from grammar.source import SqlError
from grammar.tree import TimeUnit
from reference.scalar.datetimes import (
    add_months,
    civil,
    date_of,
    extract,
    last_day,
    minus,
    month_index,
    month_length,
    months_between,
    plus,
    rounded,
    step,
)
from tests.reference.building import ts

dates = st.integers(MIN_DATE, MAX_DATE)
instants = st.integers(MIN_TIMESTAMP, MAX_TIMESTAMP)
EPOCH = date(1970, 1, 1)


def day(text: str) -> int:
    return (date.fromisoformat(text) - EPOCH).days


@given(dates)
def test_the_calendar_is_that_of_python(days: int) -> None:
    known = EPOCH + timedelta(days=days)
    assert civil(days) == (known.year, known.month, known.day)
    assert date_of(known.year, known.month, known.day) == days


@given(st.integers(MIN_DATE * 3, MAX_DATE * 3))
def test_the_calendar_goes_on_outside_the_years_that_have_values(days: int) -> None:
    y, m, d = civil(days)
    assert date_of(y, m, d) == days
    # 400 years are 146,097 days, whatever the year.
    assert civil(days + 146_097) == (y + 400, m, d)


@pytest.mark.parametrize(
    ("start", "months", "end"),
    [
        ("2015-01-31", 1, "2015-02-28"),
        ("2016-01-31", 1, "2016-02-29"),
        ("2015-01-31", 2, "2015-03-31"),
        ("2015-03-31", -1, "2015-02-28"),
        ("2015-12-31", 2, "2016-02-29"),
        ("2016-02-29", 12, "2017-02-28"),
        ("2016-02-29", -12, "2015-02-28"),
        ("2000-02-29", 4800, "2400-02-29"),
        ("2015-02-15", 0, "2015-02-15"),
        ("0001-01-31", 1, "0001-02-28"),
        ("1970-01-31", -1, "1969-12-31"),
    ],
)
def test_months_are_added_with_the_day_clamped(start: str, months: int, end: str) -> None:
    assert add_months(day(start), months) == day(end)


@given(dates, st.integers(-30, 30))
def test_months_end_at_the_day_or_at_the_months_end_in_both_directions(
    start: int, months: int
) -> None:
    y, m, d = civil(start)
    end_y, end_m, end_d = civil(add_months(start, months))
    assert end_y * 12 + end_m == y * 12 + m + months
    assert end_d == min(d, month_length(end_y, end_m))
    back_d = civil(add_months(add_months(start, months), -months))[2]
    assert back_d == end_d


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("2015-01-01", "2015-01-31"),
        ("2015-01-31", "2015-01-31"),
        ("2015-02-15", "2015-02-28"),
        ("2016-02-01", "2016-02-29"),
        ("1900-02-10", "1900-02-28"),
        ("2000-02-10", "2000-02-29"),
        ("2015-12-01", "2015-12-31"),
        ("1969-12-31", "1969-12-31"),
        ("0001-01-01", "0001-01-31"),
        ("9999-12-01", "9999-12-31"),
    ],
)
def test_the_last_day_is_that_of_the_month(start: str, end: str) -> None:
    assert last_day(Kind.DATE, day(start)) == day(end)
    assert last_day(Kind.TIMESTAMP, ts(f"{start} 00:00:00")) == day(end)
    assert last_day(Kind.TIMESTAMP, ts(f"{start} 23:59:59.999")) == day(end)


@given(dates)
def test_the_day_after_the_last_is_the_first_of_the_next_month(within: int) -> None:
    last = last_day(Kind.DATE, within)
    assert civil(last + 1)[2] == 1
    assert civil(last)[:2] == civil(within)[:2]


@pytest.mark.parametrize(
    ("later", "earlier", "months"),
    [
        ("2015-03-15 00:00:00", "2015-01-15 00:00:00", 2),
        ("2015-03-14 23:59:59.999", "2015-01-15 00:00:00", 1),
        ("2015-01-15 00:00:00", "2015-03-14 23:59:59.999", -1),
        ("2015-02-28 00:00:00", "2015-01-31 00:00:00", 1),
        ("2015-02-27 23:00:00", "2015-01-31 00:00:00", 0),
        ("2015-02-28 10:00:00", "2015-01-31 11:00:00", 0),
        ("2015-01-15 00:00:00", "2015-01-15 00:00:00", 0),
        ("9999-12-31 00:00:00", "0001-01-01 00:00:00", 119_987),
    ],
)
def test_months_between_are_whole_and_towards_zero(later: str, earlier: str, months: int) -> None:
    assert months_between(ts(later), ts(earlier)) == months


@given(instants, instants)
def test_months_between_changes_its_sign_with_its_order(a: int, b: int) -> None:
    assert months_between(a, b) == -months_between(b, a)


@pytest.mark.parametrize(
    ("a", "b", "unit", "value"),
    [
        ("10:59:00", "09:00:00", TimeUnit.HOUR, 3_600_000),
        ("09:00:00", "10:59:00", TimeUnit.HOUR, -3_600_000),
        ("10:59:59", "09:00:00", TimeUnit.MINUTE, 7_140_000),
        ("10:00:00.750", "10:00:00", TimeUnit.SECOND, 750),
        ("2015-02-17 09:59:00", "2015-02-15 10:00:00", TimeUnit.DAY, MILLIS_PER_DAY),
        ("2017-02-14 00:00:00", "2015-02-15 00:00:00", TimeUnit.YEAR, 12),
        ("2015-02-15 00:00:00", "2017-02-14 00:00:00", TimeUnit.YEAR, -12),
        ("2017-02-14 00:00:00", "2015-02-15 00:00:00", TimeUnit.MONTH, 23),
    ],
)
def test_a_difference_is_cut_to_its_last_field(a: str, b: str, unit: TimeUnit, value: int) -> None:
    kind = Kind.TIMESTAMP
    assert minus(interval(unit), ts(a), kind, ts(b), kind) == value


def test_dates_and_timestamps_subtract_by_their_midnights() -> None:
    hour = interval(TimeUnit.HOUR)
    noon = ts("12:30:00")
    assert minus(hour, noon, Kind.TIMESTAMP, day("2015-02-15"), Kind.DATE) == 12 * 3_600_000
    assert minus(hour, day("2015-02-16"), Kind.DATE, noon, Kind.TIMESTAMP) == 11 * 3_600_000


def test_a_time_goes_round_at_midnight() -> None:
    hour = 3_600_000
    assert plus(TIME, 23 * hour, Kind.TIME, 2 * hour, Kind.MILLIS) == hour
    assert plus(TIME, hour, Kind.TIME, -2 * hour, Kind.MILLIS) == 23 * hour
    assert plus(TIME, hour, Kind.TIME, 5, Kind.MONTHS) == hour


def test_a_date_plus_hours_is_by_its_type_a_date_or_a_timestamp() -> None:
    hours = 30 * 3_600_000
    assert plus(DATE, day("2015-02-15"), Kind.DATE, hours, Kind.MILLIS) == day("2015-02-16")
    moment = plus(TIMESTAMP, day("2015-02-15"), Kind.DATE, hours, Kind.MILLIS)
    assert moment == ts("2015-02-16 06:00:00")
    assert plus(DATE, day("2015-02-15"), Kind.DATE, -1, Kind.MILLIS) == day("2015-02-14")


@pytest.mark.parametrize("amount", [1, MAX_TIMESTAMP])
def test_a_timestamp_past_the_year_9999_overflows(amount: int) -> None:
    with pytest.raises(SqlError) as caught:
        plus(TIMESTAMP, MAX_TIMESTAMP, Kind.TIMESTAMP, amount, Kind.MILLIS)
    assert caught.value.code is Code.OVERFLOW


def test_a_timestamp_before_the_year_1_overflows() -> None:
    with pytest.raises(SqlError) as caught:
        plus(TIMESTAMP, MIN_TIMESTAMP, Kind.TIMESTAMP, -1, Kind.MONTHS)
    assert caught.value.code is Code.OVERFLOW


# --- FLOOR, CEIL, STEP --------------------------------------------------------------------------

AT = "2015-02-18 10:17:42.250"  # a Wednesday


@pytest.mark.parametrize(
    ("unit", "floor", "ceil"),
    [
        (TimeUnit.YEAR, "2015-01-01 00:00:00", "2016-01-01 00:00:00"),
        (TimeUnit.QUARTER, "2015-01-01 00:00:00", "2015-04-01 00:00:00"),
        (TimeUnit.MONTH, "2015-02-01 00:00:00", "2015-03-01 00:00:00"),
        (TimeUnit.WEEK, "2015-02-16 00:00:00", "2015-02-23 00:00:00"),
        (TimeUnit.DAY, "2015-02-18 00:00:00", "2015-02-19 00:00:00"),
        (TimeUnit.HOUR, "2015-02-18 10:00:00", "2015-02-18 11:00:00"),
        (TimeUnit.MINUTE, "2015-02-18 10:17:00", "2015-02-18 10:18:00"),
        (TimeUnit.SECOND, "2015-02-18 10:17:42", "2015-02-18 10:17:43"),
        (TimeUnit.MILLISECOND, AT, AT),
    ],
)
def test_floor_and_ceil_go_to_the_ends_of_the_unit(unit: TimeUnit, floor: str, ceil: str) -> None:
    assert rounded(False, Kind.TIMESTAMP, ts(AT), unit) == ts(floor)
    assert rounded(True, Kind.TIMESTAMP, ts(AT), unit) == ts(ceil)


ROUNDED_TO = [
    TimeUnit.YEAR,
    TimeUnit.QUARTER,
    TimeUnit.MONTH,
    TimeUnit.WEEK,
    TimeUnit.DAY,
    TimeUnit.HOUR,
    TimeUnit.MINUTE,
    TimeUnit.SECOND,
    TimeUnit.MILLISECOND,
]


@given(
    st.integers(ts("0002-01-01 00:00:00"), ts("9998-01-01 00:00:00")), st.sampled_from(ROUNDED_TO)
)
def test_a_value_lies_between_floor_and_ceil_and_a_boundary_is_both(
    at: int, unit: TimeUnit
) -> None:
    low = rounded(False, Kind.TIMESTAMP, at, unit)
    high = rounded(True, Kind.TIMESTAMP, at, unit)
    assert low <= at <= high
    assert (low == high) == (at == low)
    assert rounded(False, Kind.TIMESTAMP, low, unit) == low
    assert rounded(True, Kind.TIMESTAMP, high, unit) == high


def test_weeks_start_on_monday_also_before_1970_and_in_year_1() -> None:
    assert rounded(False, Kind.DATE, day("1970-01-01"), TimeUnit.WEEK) == day("1969-12-29")
    assert rounded(False, Kind.DATE, day("0001-01-07"), TimeUnit.WEEK) == MIN_DATE  # a Monday
    assert rounded(True, Kind.DATE, day("2015-02-16"), TimeUnit.WEEK) == day("2015-02-16")


def test_floor_goes_down_before_1970() -> None:
    at = ts("1969-12-31 23:59:59.999")
    assert rounded(False, Kind.TIMESTAMP, at, TimeUnit.HOUR) == ts("1969-12-31 23:00:00")
    assert rounded(True, Kind.TIMESTAMP, at, TimeUnit.YEAR) == 0


def test_dates_and_times_are_rounded_within_their_type() -> None:
    assert rounded(True, Kind.DATE, day("2015-02-18"), TimeUnit.MONTH) == day("2015-03-01")
    assert rounded(True, Kind.DATE, day("2015-02-18"), TimeUnit.HOUR) == day("2015-02-18")
    assert rounded(False, Kind.TIME, 37_062_250, TimeUnit.MINUTE) == 37_020_000
    with pytest.raises(SqlError):  # 24:00:00 is not a TIME
        rounded(True, Kind.TIME, 23 * 3_600_000 + 1, TimeUnit.HOUR)


def test_ceil_to_the_year_10000_overflows() -> None:
    with pytest.raises(SqlError) as caught:
        rounded(True, Kind.TIMESTAMP, MAX_TIMESTAMP, TimeUnit.YEAR)
    assert caught.value.code is Code.OVERFLOW


def test_step_counts_from_1970_in_both_directions() -> None:
    quarter_hour = 900_000
    at = ts("10:17:00")
    assert step(Kind.TIMESTAMP, at, quarter_hour, Kind.MILLIS) == ts("10:15:00")
    assert step(Kind.TIMESTAMP, -1, quarter_hour, Kind.MILLIS) == -quarter_hour
    assert step(Kind.TIMESTAMP, -quarter_hour, quarter_hour, Kind.MILLIS) == -quarter_hour
    # Ten days since 1970-01-01: 16,481 days are 1,648 steps and one day.
    assert step(Kind.DATE, day("2015-02-15"), 10 * MILLIS_PER_DAY, Kind.MILLIS) == 16_480
    # Five months since 1970-01: 541 months are 108 steps and one month.
    assert step(Kind.TIMESTAMP, at, 5, Kind.MONTHS) == ts("2015-01-01 00:00:00")
    assert step(Kind.TIMESTAMP, -1, 5, Kind.MONTHS) == ts("1969-08-01 00:00:00")


@given(instants, st.integers(1, 10**9))
def test_step_is_the_greatest_multiple_not_above(at: int, size: int) -> None:
    if at - size >= MIN_TIMESTAMP:  # so the multiple is a timestamp
        found = step(Kind.TIMESTAMP, at, size, Kind.MILLIS)
        assert isinstance(found, int)
        assert found % size == 0
        assert 0 <= at - found < size


def test_a_step_that_is_not_positive_is_an_invalid_argument() -> None:
    with pytest.raises(SqlError) as caught:
        step(Kind.TIMESTAMP, 0, 0, Kind.MILLIS)
    assert caught.value.code is Code.INVALID_ARGUMENT


# --- EXTRACT ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("unit", "value"),
    [
        (TimeUnit.MILLENNIUM, 3),
        (TimeUnit.CENTURY, 21),
        (TimeUnit.DECADE, 201),
        (TimeUnit.YEAR, 2015),
        (TimeUnit.ISOYEAR, 2015),
        (TimeUnit.QUARTER, 1),
        (TimeUnit.MONTH, 2),
        (TimeUnit.WEEK, 8),
        (TimeUnit.DAY, 18),
        (TimeUnit.DOY, 49),
        (TimeUnit.DOW, 4),
        (TimeUnit.ISODOW, 3),
        (TimeUnit.HOUR, 10),
        (TimeUnit.MINUTE, 17),
        (TimeUnit.SECOND, 42),
        (TimeUnit.MILLISECOND, 42_250),
        (TimeUnit.EPOCH, 1_424_254_662),
    ],
)
def test_every_field_of_a_timestamp(unit: TimeUnit, value: int) -> None:
    assert extract(unit, Kind.TIMESTAMP, ts(AT)) == value


@given(dates)
def test_weeks_and_weekdays_are_those_of_python(days: int) -> None:
    year, week, weekday = (EPOCH + timedelta(days=days)).isocalendar()
    assert extract(TimeUnit.ISODOW, Kind.DATE, days) == weekday
    assert extract(TimeUnit.DOW, Kind.DATE, days) == weekday % 7 + 1
    assert extract(TimeUnit.ISOYEAR, Kind.DATE, days) == year
    assert extract(TimeUnit.WEEK, Kind.DATE, days) == week


@pytest.mark.parametrize(
    ("year", "decade", "century", "millennium"),
    [
        (1, 0, 1, 1),
        (100, 10, 1, 1),
        (101, 10, 2, 1),
        (1000, 100, 10, 1),
        (1001, 100, 11, 2),
        (2000, 200, 20, 2),
        (2001, 200, 21, 3),
        (9999, 999, 100, 10),
    ],
)
def test_centuries_start_with_year_1_decades_with_0(
    year: int, decade: int, century: int, millennium: int
) -> None:
    at = date_of(year, 6, 1)
    assert extract(TimeUnit.DECADE, Kind.DATE, at) == decade
    assert extract(TimeUnit.CENTURY, Kind.DATE, at) == century
    assert extract(TimeUnit.MILLENNIUM, Kind.DATE, at) == millennium


def test_fields_before_1970_are_of_the_calendar() -> None:
    at = ts("1969-12-31 23:59:58.500")
    assert extract(TimeUnit.SECOND, Kind.TIMESTAMP, at) == 58
    assert extract(TimeUnit.MILLISECOND, Kind.TIMESTAMP, at) == 58_500
    assert extract(TimeUnit.EPOCH, Kind.TIMESTAMP, at) == -2


@pytest.mark.parametrize("sign", [1, -1])
def test_fields_of_an_interval_carry_its_sign(sign: int) -> None:
    millis = sign * (2 * MILLIS_PER_DAY + 3 * 3_600_000 + 4 * 60_000 + 5_678)
    fields = {
        TimeUnit.DAY: 2,
        TimeUnit.HOUR: 3,
        TimeUnit.MINUTE: 4,
        TimeUnit.SECOND: 5,
        TimeUnit.MILLISECOND: 5_678,
        TimeUnit.EPOCH: 183_845,
    }
    for unit, value in fields.items():
        assert extract(unit, Kind.MILLIS, millis) == sign * value
    assert extract(TimeUnit.YEAR, Kind.MONTHS, sign * 50) == sign * 4
    assert extract(TimeUnit.MONTH, Kind.MONTHS, sign * 50) == sign * 2


@given(st.integers(-200, 200))
def test_a_month_index_counts_from_january_1970(months: int) -> None:
    assert month_index(add_months(0, months)) == months
