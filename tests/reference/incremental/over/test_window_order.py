"""Where a distance of months leads, and how long a row is needed for it (S-207, S-505)."""

from hypothesis import given
from hypothesis import strategies as st

from algebra.expression import SortKey
from algebra.plan import RangeOffset
from algebra.types import TIMESTAMP, interval
from grammar.tree import TimeUnit
from reference.incremental.over.window_order import RangeDistance, axis_of
from tests.reference.building import literal, ref, ts

HOUR = 3_600_000
#: About the ends of months, where days clamp; four times of a day.
_DAYS = (
    "01-28", "01-29", "01-30", "01-31", "02-01", "02-27", "02-28", "03-01", "03-30", "03-31",
    "04-30", "05-31",
)  # fmt: skip
DAYS = [ts(f"2015-{day} 00:00:00") for day in _DAYS]
TIMES = st.sampled_from([day + hours * HOUR for day in DAYS for hours in (0, 1, 12, 23)])
MONTHS = st.sampled_from([1, 2, 13])


def reach(months: int, preceding: bool, descending: bool) -> RangeDistance:
    """The reach of so many months along a rowtime that rises, or falls."""
    distance = literal(months, interval(TimeUnit.MONTH))
    return RangeDistance(RangeOffset(distance, preceding), key(descending))


def key(descending: bool) -> SortKey:
    """A rowtime, NULLs at the end that it comes from."""
    return SortKey(ref(0, TIMESTAMP), descending, nulls_first=descending)


@given(TIMES, TIMES, MONTHS, st.booleans(), st.booleans())
def test_no_row_that_comes_later_reaches_before_what_is_sure(
    one: int, other: int, months: int, preceding: bool, descending: bool
) -> None:
    first, later = sorted([one, other], reverse=descending)
    there = reach(months, preceding, descending)
    assert there.lower_limit(first) <= there.at(later)
    assert there.lower_limit(first) <= there.at(first)


@given(TIMES, TIMES, MONTHS, st.booleans())
def test_a_row_is_released_when_none_reaches_back_to_it(
    held: int, later: int, months: int, descending: bool
) -> None:
    """Once the bound has come so far, the frame of no row at or after it starts there."""
    there, line = reach(months, True, descending), axis_of(key(descending))
    place, passed = there.evicted_at(held)
    if line(later) > place or (line(later) == place and not passed):
        assert there.at(later) > line(held)


def test_an_hour_of_the_last_days_of_january_leads_to_the_same_day() -> None:
    """A month after noon of the 30th is behind one after midnight of the 31st."""
    ascending = reach(1, False, False)
    noon, midnight = ts("2015-01-30 12:00:00"), ts("2015-01-31 00:00:00")
    assert ascending.at(noon) == (2, ts("2015-02-28 12:00:00"))
    assert ascending.at(midnight) == ascending.lower_limit(noon) == (2, ts("2015-02-28 00:00:00"))
    descending = reach(1, True, True)
    assert descending.at(midnight) == (2, -ts("2015-02-28 00:00:00"))
    assert descending.lower_limit(midnight) == (2, -ts("2015-02-28 23:59:59.999"))
