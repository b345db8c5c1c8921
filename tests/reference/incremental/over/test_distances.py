"""Distances of a number in RANGE frames: rounding lets no row go that is still seen (S-506)."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algebra.expression import InputRef, Literal, SortKey
from algebra.monotonicity.progress import Bound
from algebra.plan import RangeOffset
from algebra.types import DOUBLE
from reference.incremental.over.window_order import RangeDistance, advance_of, axis_of

_NUMBERS = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300)


@pytest.mark.parametrize("descending", [False, True])
@given(
    row=_NUMBERS, distance=st.floats(1e-9, 1e20), steps=st.integers(0, 4), opposite=st.booleans()
)
def test_no_double_to_come_sees_a_row_that_is_let_go(
    descending: bool, row: float, distance: float, steps: int, opposite: bool
) -> None:
    """Of those next to the number that is as far away; ``opposite``: that is nearly 0."""
    key = SortKey(InputRef(0, DOUBLE), descending=descending, nulls_first=descending)
    reach = RangeDistance(RangeOffset(Literal(distance, DOUBLE), preceding=True), key)
    sign = -1 if descending else 1
    row = -sign * distance if opposite else row
    later = row + sign * distance
    for _ in range(steps):
        later = math.nextafter(later, sign * math.inf)
    if advance_of(Bound(later), axis_of(key)) >= reach.evicted_at(row):
        assert sign * (later - sign * distance) > sign * row


def test_a_double_is_let_go_soon_after_it_is_seen_last() -> None:
    """From a tenth on it is seen up to two tenths."""
    key = SortKey(InputRef(0, DOUBLE), descending=False, nulls_first=False)
    reach = RangeDistance(RangeOffset(Literal(0.1, DOUBLE), preceding=True), key)
    assert not advance_of(Bound(0.2), axis_of(key)) >= reach.evicted_at(0.1)
    assert advance_of(Bound(0.2000000001), axis_of(key)) >= reach.evicted_at(0.1)
