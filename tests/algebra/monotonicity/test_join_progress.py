"""The bound arithmetic of a join agrees with trying all later rows (S-511)."""

import math
from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from algebra.monotonicity.join_progress import (
    ENDED,
    NOTHING_KNOWN,
    JoinWindow,
    SideProgress,
    column_bound,
    in_column_units,
    lock_step_windows,
    next_pair,
)
from algebra.monotonicity.lockstep import LockStep
from algebra.monotonicity.progress import Bound

#: Far enough beyond every bound drawn below: what does not meet by then never does.
FAR = 60

windows = st.builds(JoinWindow, st.integers(-9, 9), st.integers(-9, 9))
sides = st.builds(
    SideProgress,
    st.integers(-12, 12),
    windows,
    st.sampled_from([1, 2, 5]),
    st.sampled_from([math.inf, 0, 9]),
)
locks = st.builds(
    LockStep,
    st.just(0),
    st.just(0),
    st.integers(-9, 9),
    st.integers(-9, 9),
    descending=st.booleans(),
    left_unit=st.sampled_from([1, 3]),
    right_unit=st.sampled_from([1, 3]),
)


def later_windows(side: SideProgress) -> Iterator[tuple[float, float]]:
    """The windows, first and last u, of the rows that may still come."""
    for time in range(-FAR, FAR + 1):
        if side.bound <= time <= side.last and time % side.step == 0:
            yield time + side.window.first, time + side.window.last


def least_meeting(ones: Iterator[tuple[float, float]], others: list[tuple[float, float]]) -> float:
    """The least u that is in one of ``ones`` and in one of ``others``."""
    found = [
        max(first, other)
        for first, last in ones
        for other, end in others
        if max(first, other) <= min(last, end)
    ]
    return min(found, default=ENDED)


@given(sides, sides)
def test_the_next_pair_is_the_first_meeting_of_all_later_rows(
    left: SideProgress, right: SideProgress
) -> None:
    """Whatever the windows and the steps of both sides."""
    assert next_pair(left, right) == least_meeting(later_windows(left), [*later_windows(right)])


@given(sides, st.integers(-12, 12), st.integers(0, 9))
def test_the_next_meeting_is_the_first_in_a_window_of_a_retained_row(
    side: SideProgress, first: int, length: int
) -> None:
    """A row whose window is ``[first, first + length]`` meets the first later row in it, if any."""
    window = (first, first + length)
    assert side.next_meeting(*window) == least_meeting(later_windows(side), [window])


@given(sides)
def test_no_later_row_is_in_its_window_before_the_next_start(side: SideProgress) -> None:
    """The start of the next window is a bound of all of them, exact for a row at each time."""
    starts = [first for first, _ in later_windows(side)]
    assert side.next_start <= min(starts, default=ENDED)
    assert side.step > 1 or not starts or side.next_start == min(starts)


@given(sides)
def test_a_row_without_partner_is_not_before_its_own_time(side: SideProgress) -> None:
    """The least u of later rows alone is the end of the first window, or where it starts."""
    alone = [max(first, last) for first, last in later_windows(side)]
    assert side.next_unmatched() <= min(alone, default=ENDED)


@given(sides, windows)
def test_an_ended_side_meets_nothing(side: SideProgress, window: JoinWindow) -> None:
    """Neither a later row of the other side nor a row that waits."""
    ended = SideProgress(ENDED, window)
    assert next_pair(side, ended) == next_pair(ended, side) == ENDED
    assert ended.next_meeting(0) == ENDED


def test_nothing_is_known_of_a_pair_before_both_sides_have_a_bound() -> None:
    """A side without a bound may bring a row at any time."""
    known, unknown = (SideProgress(each, JoinWindow(0, 0)) for each in (7, NOTHING_KNOWN))
    assert next_pair(known, known) == next_pair(known, unknown) == 7
    assert next_pair(unknown, unknown) == NOTHING_KNOWN


@given(st.integers(-20, 20), st.integers(-9, 9).filter(bool))
def test_a_column_is_bounded_by_its_first_value_at_or_after_a_time(u: int, scale: int) -> None:
    """Values below it, in the direction of the scale, are before the time; itself is not."""
    value = in_column_units(u, scale)
    step = 1 if scale > 0 else -1
    assert (value - step) * scale < u <= value * scale
    assert column_bound(u, scale) == Bound(int(value))


def test_a_column_has_no_bound_at_an_infinite_time() -> None:
    """Neither where nothing is known nor where no row will come."""
    assert column_bound(math.inf, 1) is column_bound(-math.inf, 1) is None


@given(locks, st.integers(-20, 20), st.integers(-20, 20))
def test_rows_in_lock_step_are_those_whose_windows_meet(
    lock: LockStep, left: int, right: int
) -> None:
    """The distance of the two values is within its ends exactly if the two windows share a time."""
    distance = right * lock.right_unit - left * lock.left_unit
    scales, both = lock.scales, lock_step_windows(lock)
    (first, last), (other, end) = (
        (value * scale + window.first, value * scale + window.last)
        for value, scale, window in zip((left, right), scales, both, strict=True)
    )
    meet = max(first, other) <= min(last, end)
    assert meet is (lock.lower <= distance <= lock.upper)
