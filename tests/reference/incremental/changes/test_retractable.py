"""MIN and MAX over rows that are added and removed: the extreme, at a flat cost."""

import time
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algebra.expression import Value
from reference.incremental.changes.retractable import Extreme
from reference.relation import Row


def _value(row: Row) -> Value:
    return row[0]


@given(st.booleans(), st.lists(st.tuples(st.integers(-3, 3), st.booleans())), st.booleans())
def test_the_extreme_is_that_of_the_rows_that_are_there(
    greatest: bool, changes: list[tuple[int, bool]], decimals: bool
) -> None:
    extreme, there = Extreme(_value, greatest), list[int | Decimal]()
    for number, inserts in changes:
        value = Decimal(number) / 2 if decimals else number
        if inserts or value not in there:
            there.append(value)
            extreme.add((value,), 1)
        else:
            there.remove(value)
            extreme.add((value,), -1)
        assert extreme.result() == ((max if greatest else min)(there) if there else None)
        assert extreme.retained == len(set(there))


def test_a_value_may_be_deleted_before_it_is_inserted_in_one_event() -> None:
    extreme = Extreme(_value, greatest=False)
    extreme.add((2,), 1)
    extreme.add((1,), -1)
    extreme.add((1,), 1)
    assert extreme.result() == 2


def test_a_decimal_of_38_digits_keeps_all_of_them() -> None:
    value = Decimal("-" + "9" * 38)
    extreme = Extreme(_value, greatest=True)
    extreme.add((value,), 1)
    assert str(extreme.result()) == str(value)


def test_values_that_come_and_go_are_not_retained() -> None:
    extreme = Extreme(_value, greatest=True)
    extreme.add((9,), 1)
    for value in range(1_000):
        extreme.add((value % 8,), 1)
        extreme.add((value % 8,), -1)
    assert (extreme.result(), extreme.retained) == (9, 1)
    assert len(extreme.heap) < 100


@pytest.mark.parametrize("greatest", [False, True])
def test_a_change_costs_no_more_after_many_values(greatest: bool) -> None:
    def seconds(values: int) -> float:
        extreme = Extreme(_value, greatest)
        for i in range(values):
            extreme.add((i * 7919 % values,), 1)
        best = 9.0
        for part in range(5):
            start = time.process_time()
            for i in range(500):
                extreme.add((values + i + 1_000 * part,), 1)
                extreme.add((i * 31 % values,), -1)
                extreme.add((i * 31 % values,), 1)
                extreme.result()
            best = min(best, time.process_time() - start)
        return best

    assert seconds(400_000) < 6 * seconds(4_000)
