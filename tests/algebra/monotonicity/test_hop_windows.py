"""The first window of HOP that a later row can be in is the first of all that hold one (S-504)."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from algebra.expression import InputRef, Literal
from algebra.monotonicity.hop_windows import first_window, no_row_follows
from algebra.plan import Hop, Values
from algebra.types import (
    DATE,
    DAY_TO_SECOND,
    MAX_DATE,
    MAX_TIMESTAMP,
    MILLIS_PER_DAY,
    MIN_TIMESTAMP,
    TIMESTAMP,
    YEAR_TO_MONTH,
    Type,
)

sizes = st.integers(1, 9)


def hop(
    emit: int, retain: int, align: int = 0, unit: Type = DAY_TO_SECOND, time: Type = TIMESTAMP
) -> Hop:
    """Windows over a column of type ``time``."""
    emits, retains = Literal(emit, unit), Literal(retain, unit)
    return Hop(Values((), ()), InputRef(0, time), emits, retains, align)


@given(sizes, sizes, st.integers(0, 8), st.integers(-30, 30))
def test_it_is_the_least_that_ends_after_the_time(
    emit: int, retain: int, align: int, time: int
) -> None:
    """No window before it holds the time or a later one: windows are half-open."""
    ends = [align + n * emit for n in range(-99, 99)]
    end = min(each for each in ends if each > time)
    assert first_window(hop(emit, retain, align), time) == (end - retain, end)


@given(sizes, sizes, st.integers(0, 8), st.integers(-30, 30))
def test_descending_it_is_the_last_that_starts_at_or_before_the_time(
    emit: int, retain: int, align: int, time: int
) -> None:
    """No window after it holds the time or an earlier one."""
    ends = [align + n * emit for n in range(-99, 99)]
    end = max(each for each in ends if each - retain <= time)
    assert first_window(hop(emit, retain, align), time, descending=True) == (end - retain, end)


def cumulative(step: int, steps: int, align: int) -> Hop:
    """Windows that grow by ``step`` until they are ``steps`` long."""
    return replace(hop(step, step * steps, align), cumulative=True)


def grown(step: int, steps: int, align: int) -> list[tuple[int, int]]:
    """The same windows, one by one."""
    starts = [align + n * step * steps for n in range(-50, 50)]
    return [(start, start + k * step) for start in starts for k in range(1, steps + 1)]


@given(sizes, st.integers(2, 5), st.integers(-8, 8), st.integers(-30, 30))
def test_of_windows_that_grow_it_is_the_first_that_ends_after_the_time(
    step: int, steps: int, align: int, time: int
) -> None:
    left = [(start, end) for start, end in grown(step, steps, align) if end > time]
    least = (min(start for start, _ in left), min(end for _, end in left))
    assert first_window(cumulative(step, steps, align), time) == least


@given(sizes, st.integers(2, 5), st.integers(-8, 8), st.integers(-30, 30))
def test_descending_it_is_the_longest_window_that_grows_around_the_time(
    step: int, steps: int, align: int, time: int
) -> None:
    left = [(start, end) for start, end in grown(step, steps, align) if start <= time]
    greatest = (max(start for start, _ in left), max(end for _, end in left))
    assert first_window(cumulative(step, steps, align), time, descending=True) == greatest


def test_an_alignment_of_months_moves_the_months() -> None:
    """Quarters from February 1970 on: that of 10 February ends with April."""
    start, end = 31 * MILLIS_PER_DAY, 120 * MILLIS_PER_DAY
    quarters = hop(3, 3, align=1, unit=YEAR_TO_MONTH)
    assert first_window(quarters, 40 * MILLIS_PER_DAY) == (start, end)


def test_a_date_is_its_midnight_and_months_are_of_the_calendar() -> None:
    """1970-02-10 lies in the window of February 1970, which has 28 days."""
    start, end = 31 * MILLIS_PER_DAY, 59 * MILLIS_PER_DAY
    assert first_window(hop(1, 1, unit=YEAR_TO_MONTH, time=DATE), 40) == (start, end)
    assert first_window(hop(1, 1, unit=YEAR_TO_MONTH), 40 * MILLIS_PER_DAY) == (start, end)


def test_an_end_beyond_the_years_is_not_known() -> None:
    """The window of the last instant of the year 9999 would end in the next year."""
    start, end = MAX_TIMESTAMP - 999, MIN_TIMESTAMP + 1000
    assert first_window(hop(1000, 1000), MAX_TIMESTAMP) == (start, None)
    month = (MAX_DATE - 30) * MILLIS_PER_DAY
    assert first_window(hop(1, 1, unit=YEAR_TO_MONTH, time=DATE), MAX_DATE) == (month, None)
    assert first_window(hop(1000, 2000), MIN_TIMESTAMP) == (None, end)


@given(sizes, sizes, st.integers(0, 8), st.integers(0, 30), st.booleans())
def test_no_row_follows_where_every_window_leaves_the_calendar(
    emit: int, retain: int, align: int, back: int, descending: bool
) -> None:
    """S-504.m: a row is an error where any of its windows leaves it, and in no window in a gap."""
    plan, last = hop(emit, retain, align), MIN_TIMESTAMP if descending else MAX_TIMESTAMP
    time = last + back if descending else last - back
    rows = range(last, time + 1) if descending else range(time, last + 1)

    def enters(row: int) -> bool:
        first = (row - align) // emit * emit + align + emit
        ends = range(first, row + retain + 1, emit)
        in_calendar = (e - retain >= MIN_TIMESTAMP and e <= MAX_TIMESTAMP for e in ends)
        return bool(ends) and all(in_calendar)

    assert no_row_follows(plan, time, descending) == (not any(map(enters, rows)))
