"""Exact states: those of some rows and of others make that of all, whose value is the right one."""

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Final, TypeAlias

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from algebra.expression import AggregateFunction
from algebra.types import decimal
from grammar.codes import Code
from spark_backend.exact.exact_states import (
    decimal_of,
    decoded,
    merge_states,
    state_of,
    value_of,
    value_of_all,
)
from spark_backend.exact.exact_statistics import PAIRED, STATISTICS
from spark_backend.exact.exact_sums import SUMS
from spark_backend.over.sliding import FrameRows
from spark_backend.over.sliding_states import states

_F = AggregateFunction
Rows: TypeAlias = Sequence[tuple[float, ...]]


FUNCTIONS: Final = sorted(SUMS | STATISTICS)


def value_at_once(rows: Rows, function: AggregateFunction) -> float | None:
    """The value of all rows at once, which test_exact_sums compares with fractions."""
    return value_of_all(rows if function in PAIRED else [x for x, *_ in rows], function)


numbers = (
    st.floats(width=64) | st.integers(-5, 5).map(float) | st.sampled_from((1e16, 1e308, 5e-324))
)


def rows_of(function: AggregateFunction, pairs: Sequence[tuple[float, float]]) -> Rows:
    """The rows of a function of one argument, or of two."""
    return pairs if function in PAIRED else [(x,) for x, _ in pairs]


@pytest.mark.parametrize("function", FUNCTIONS, ids=str)
@given(pairs=st.lists(st.tuples(numbers, numbers), max_size=7), cut=st.integers(0, 7))
@example(pairs=[(1e16, 1.0), (1.0, 2.0), (-1e16, 0.5)], cut=1)
@example(pairs=[(math.inf, 1.0), (-math.inf, 1.0)], cut=1)
@example(pairs=[(1e308, 1.0), (1e308, 2.0), (-1e308, 3.0)], cut=2)
def test_parts_make_the_value_of_all(
    function: AggregateFunction, pairs: list[tuple[float, float]], cut: int
) -> None:
    """Wherever the rows are cut in two."""
    rows = rows_of(function, pairs)
    older, newer = state_of(rows[:cut], function), state_of(rows[cut:], function)
    state = merge_states(older, newer) if older and newer else older or newer
    assert repr(value_of(state)) == repr(value_at_once(rows, function))


@pytest.mark.parametrize("function", FUNCTIONS, ids=str)
@given(pairs=st.lists(st.tuples(numbers, numbers), min_size=1, max_size=7))
def test_running_states_are_those_of_their_rows(
    function: AggregateFunction, pairs: list[tuple[float, float]]
) -> None:
    """Of frames from the first row to each."""
    rows = rows_of(function, pairs)
    size = len(rows)
    frames = FrameRows(np.zeros(size, np.int64), np.arange(1, size + 1, dtype=np.int64))
    found = states(function, list(zip(*rows, strict=True)), frames)
    values = [each and each.value for each in found]
    assert [repr(v) for v in values] == [
        repr(value_at_once(rows[: i + 1], function)) for i in range(size)
    ]


def test_no_rows_have_no_state() -> None:
    """NULL is what they are, and nothing is made of it."""
    assert state_of([], _F.SUM) is None
    assert state_of(None, _F.SUM) is None
    assert merge_states(None, state_of([(1.0,)], _F.SUM)) is None
    assert value_of(None) is None
    assert decimal_of(None, decimal(38, 2)) is None


def test_a_sum_of_doubles_is_short() -> None:
    """A million tenths: the bytes are of the sum, not of the rows."""
    state = state_of([(0.1,)], _F.SUM)
    for _ in range(20):
        state = merge_states(state, state)
    assert state is not None
    assert len(state) < 60
    assert decoded(state).count == 2**20
    assert value_of(state) == 0.1 * 2**20


def test_exact_sums_beyond_their_type_overflow() -> None:
    """At 38 digits, of which a sum on the way may have more."""
    nines = "9" * 36
    state = state_of([(Decimal(f"{nines}.99"),), (Decimal("0.01"),)], _F.SUM)
    with pytest.raises(ArithmeticError, match=str(Code.OVERFLOW)):
        decimal_of(state, decimal(38, 2))
    less = state_of([(Decimal("-0.02"),)], _F.SUM)
    assert decimal_of(merge_states(state, less), decimal(38, 2)) == Decimal(f"{nines}.98")


def test_an_average_of_decimals_is_rounded_once_and_its_sum_may_be_of_any_size() -> None:
    nines = Decimal("9" * 36 + ".99")
    state = state_of([(nines,), (nines,), (Decimal("0.01"),)], _F.AVG)
    assert decimal_of(state, decimal(38, 2)) == Decimal("6" * 36 + ".66")
    below = state_of([(-nines,), (-nines,), (Decimal("-0.02"),)], _F.AVG)
    assert decimal_of(below, decimal(38, 2)) == Decimal("-" + "6" * 36 + ".67")
