"""UNION, INTERSECT, EXCEPT."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.tree import SetOperator
from reference.relation import Row, distinct
from reference.relational.sets import set_operation

A: list[Row] = [(1,), (2,), (1,), (None,), (None,)]
B: list[Row] = [(1,), (3,), (None,)]
relations = st.lists(st.tuples(st.one_of(st.none(), st.integers(0, 2))), max_size=6)


@pytest.mark.parametrize(
    ("operator", "all", "expected"),
    [
        (SetOperator.UNION, True, [*A, *B]),
        (SetOperator.UNION, False, [(1,), (2,), (None,), (3,)]),
        (SetOperator.INTERSECT, True, [(1,), (None,)]),
        (SetOperator.INTERSECT, False, [(1,), (None,)]),
        (SetOperator.EXCEPT, True, [(2,), (1,), (None,)]),
        (SetOperator.EXCEPT, False, [(2,)]),
    ],
)
def test_nulls_are_equal_and_the_first_of_equal_rows_stays(
    operator: SetOperator, all: bool, expected: list[Row]
) -> None:
    assert set_operation([A, B], operator, all) == expected


@given(st.lists(relations, min_size=1, max_size=3), st.sampled_from(SetOperator))
def test_all_adds_takes_the_least_and_subtracts_the_counts(
    inputs: list[list[Row]], operator: SetOperator
) -> None:
    counts = [Counter(each) for each in inputs]
    expected = counts[0]
    for each in counts[1:]:
        match operator:
            case SetOperator.UNION:
                expected = expected + each
            case SetOperator.INTERSECT:
                expected = expected & each
            case SetOperator.EXCEPT:
                expected = expected - each
    assert Counter(set_operation(inputs, operator, True)) == expected


@given(relations, relations, st.sampled_from([SetOperator.UNION, SetOperator.INTERSECT]))
def test_without_all_it_is_the_distinct_rows_of_all(
    a: list[Row], b: list[Row], operator: SetOperator
) -> None:
    assert set_operation([a, b], operator, False) == distinct(set_operation([a, b], operator, True))


@given(relations, relations)
def test_except_leaves_out_what_is_there_once(a: list[Row], b: list[Row]) -> None:
    assert set(set_operation([a, b], SetOperator.EXCEPT, False)) == set(a) - set(b)


def test_nan_is_equal_to_itself_here() -> None:
    nan: list[Row] = [(math.nan,)]
    other: list[Row] = [(-math.nan,)]
    assert len(set_operation([nan, other], SetOperator.UNION, False)) == 1
    assert set_operation([nan, other], SetOperator.EXCEPT, True) == []
