"""HOP and TUMBLE (S-504)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algebra.plan import Hop, Values
from algebra.types import DATE, MAX_TIMESTAMP, TIMESTAMP
from grammar.codes import Code
from grammar.source import SqlError
from grammar.tree import TimeUnit
from reference.relational.hop import hopping, windows
from reference.scalar.datetimes import add_months_to_instant
from tests.reference.building import ENV, ref, span_of, ts

HOUR = 3_600_000
times = st.integers(-10_000, 10_000)
sizes = st.integers(1, 50)
#: The input of a Hop whose rows are given otherwise.
VALUES = Values((), ())


def ends(time: str, emit: int, retain: int, align: int = 0) -> list[tuple[int, int]]:
    return windows(ts(time), emit, retain, align, calendar=False)


def test_a_row_is_in_three_windows_of_three_hours() -> None:
    """E-11."""
    assert ends("10:18:00", HOUR, 3 * HOUR) == [
        (ts("08:00:00"), ts("11:00:00")),
        (ts("09:00:00"), ts("12:00:00")),
        (ts("10:00:00"), ts("13:00:00")),
    ]


def test_a_window_holds_its_start_and_not_its_end() -> None:
    """E-08."""
    assert ends("11:00:00", HOUR, HOUR) == [(ts("11:00:00"), ts("12:00:00"))]
    assert ends("10:59:59.999", HOUR, HOUR) == [(ts("10:00:00"), ts("11:00:00"))]


def test_an_alignment_moves_the_ends() -> None:
    align = 12 * 60_000
    assert ends("10:11:59.999", HOUR, HOUR, align) == [(ts("09:12:00"), ts("10:12:00"))]
    assert ends("10:12:00", HOUR, HOUR, align) == [(ts("10:12:00"), ts("11:12:00"))]


def test_ends_not_starts_lie_on_multiples_of_emit() -> None:
    assert windows(0, emit=4, retain=6, align=0, calendar=False) == [(-2, 4)]
    assert windows(3, emit=4, retain=6, align=0, calendar=False) == [(-2, 4), (2, 8)]
    assert windows(-1, emit=4, retain=6, align=0, calendar=False) == [(-6, 0), (-2, 4)]


def test_a_row_may_fall_between_windows() -> None:
    assert windows(1, emit=10, retain=3, align=0, calendar=False) == []
    assert windows(7, emit=10, retain=3, align=0, calendar=False) == [(7, 10)]


@given(times, sizes, sizes, times)
def test_a_row_is_in_exactly_the_windows_that_hold_it(
    time: int, emit: int, retain: int, align: int
) -> None:
    grid = [align + n * emit for n in range(-60_000 // emit, 60_000 // emit)]
    expected = [(e - retain, e) for e in grid if e - retain <= time < e]
    assert windows(time, emit, retain, align, calendar=False) == expected


@given(times, sizes, st.integers(1, 12), times)
def test_a_row_is_in_exactly_the_cumulative_windows_that_hold_it(
    time: int, step: int, steps: int, align: int
) -> None:
    size = step * steps
    starts = [align + n * size for n in range(-60_000 // size, 60_000 // size)]
    grid = [(start, start + k * step) for start in starts for k in range(1, steps + 1)]
    expected = [(start, end) for start, end in grid if start <= time < end]
    assert windows(time, step, size, align, calendar=False, cumulative=True) == expected


@given(times, sizes, times)
def test_tumble_puts_a_row_in_one_window(time: int, size: int, align: int) -> None:
    ((start, end),) = windows(time, size, size, align, calendar=False)
    assert start <= time < end
    assert end - start == size
    assert (end - align) % size == 0


@given(st.integers(-(10**12), 10**12), st.integers(1, 30), st.integers(1, 30))
def test_calendar_windows_lie_on_months_since_1970(time: int, emit: int, retain: int) -> None:
    grid = [n * emit for n in range(-1_000 // emit, 1_000 // emit)]
    expected = [
        (add_months_to_instant(0, e - retain), add_months_to_instant(0, e))
        for e in grid
        if add_months_to_instant(0, e - retain) <= time < add_months_to_instant(0, e)
    ]
    assert windows(time, emit, retain, 0, calendar=True) == expected


def test_years_start_in_january_also_before_1970() -> None:
    year = windows(ts("1969-12-31 23:59:59.999"), 12, 12, 0, calendar=True)
    assert year == [(ts("1969-01-01 00:00:00"), ts("1970-01-01 00:00:00"))]
    quarter = windows(ts("2016-02-29 12:00:00"), 3, 3, 0, calendar=True)
    assert quarter == [(ts("2016-01-01 00:00:00"), ts("2016-04-01 00:00:00"))]


def test_rows_are_repeated_in_order_of_arrival_then_of_ends() -> None:
    one, two = span_of("1", TimeUnit.HOUR), span_of("2", TimeUnit.HOUR)
    rows = [("b", HOUR), ("a", 0), ("c", None)]
    plan = Hop(VALUES, ref(1, TIMESTAMP), one, two, 0)
    assert hopping(plan, ENV)(rows) == [
        ("b", HOUR, 0, 2 * HOUR), ("b", HOUR, HOUR, 3 * HOUR),
        ("a", 0, -HOUR, HOUR), ("a", 0, 0, 2 * HOUR),
    ]  # fmt: skip


def test_a_date_counts_as_its_midnight() -> None:
    day = span_of("1", TimeUnit.DAY)
    plan = Hop(VALUES, ref(0, DATE), day, day, 0)
    assert hopping(plan, ENV)([(1,)]) == [(1, 24 * HOUR, 48 * HOUR)]


def test_a_window_that_ends_in_the_year_10000_overflows() -> None:
    with pytest.raises(SqlError) as caught:
        windows(MAX_TIMESTAMP, HOUR, HOUR, 0, calendar=False)
    assert caught.value.code is Code.OVERFLOW


def test_a_row_in_2_to_the_31_windows_is_refused_at_once() -> None:
    """Nobody could wait for them: of a window each millisecond, 25 days back."""
    with pytest.raises(SqlError) as caught:
        windows(ts("10:00:00"), emit=1, retain=2**31, align=0, calendar=False)
    assert caught.value.code is Code.OVERFLOW


@pytest.mark.parametrize("retain", [2**31, 2**31 * HOUR, 2**63 - 1])
def test_windows_far_beyond_the_calendar_are_refused_at_once(retain: int) -> None:
    with pytest.raises(SqlError) as caught:
        windows(ts("10:00:00"), emit=1, retain=retain, align=0, calendar=False)
    assert caught.value.code is Code.OVERFLOW
