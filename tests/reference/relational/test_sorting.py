"""ORDER BY, OFFSET, FETCH (S-206)."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algebra.expression import SortKey
from algebra.types import DOUBLE, VARCHAR
from grammar.codes import Code
from grammar.source import SqlError
from reference.relation import Row, compare_keys
from reference.relational.sorting import sort
from tests.reference.building import ENV, ascending, descending, literal, ref

ROWS: list[Row] = [(2, "x"), (None, "y"), (1, "z"), (2, "a"), (3, None)]
keys = st.lists(
    st.builds(SortKey, st.sampled_from([ref(0), ref(1)]), st.booleans(), st.booleans()), max_size=3
).map(tuple)
cells = st.one_of(st.none(), st.integers(0, 2))


def in_order(*keys: SortKey, rows: list[Row] = ROWS) -> list[Row]:
    return list(sort(rows, keys, None, None, False, ENV))


def test_nulls_are_where_the_key_says_and_ties_stay_as_they_came() -> None:
    up, down = ascending(ref(0)), descending(ref(0))
    two, null, one, other_two, three = ROWS
    assert in_order(up) == [one, two, other_two, three, null]
    assert in_order(down) == [null, three, two, other_two, one]
    first = SortKey(ref(0), descending=False, nulls_first=True)
    last = SortKey(ref(0), descending=True, nulls_first=False)
    assert in_order(first) == [null, one, two, other_two, three]
    assert in_order(last) == [three, two, other_two, one, null]
    assert in_order(up, ascending(ref(1, VARCHAR))) == [one, other_two, two, three, null]
    assert in_order() == ROWS


def test_nan_sorts_after_infinity_and_text_by_code_point() -> None:
    doubles: list[Row] = [(math.nan,), (math.inf,), (-1.0,)]
    assert in_order(ascending(ref(0, DOUBLE)), rows=doubles) == doubles[::-1]
    texts: list[Row] = [("a",), ("Z",), ("",), ("é",)]
    assert in_order(ascending(ref(0, VARCHAR)), rows=texts) == [("",), ("Z",), ("a",), ("é",)]


@given(st.lists(st.tuples(cells, cells, st.integers()), max_size=8), keys)
def test_sorting_is_stable_and_orders_every_pair(rows: list[Row], by: tuple[SortKey, ...]) -> None:
    tagged: list[Row] = [(*row, place) for place, row in enumerate(rows)]
    result = sort(tagged, by, None, None, False, ENV)
    assert sorted(map(str, result)) == sorted(map(str, tagged))
    for a, b in pairwise(result):
        index = [0 if key.expression == ref(0) else 1 for key in by]
        order = compare_keys([a[i] for i in index], [b[i] for i in index], by)
        assert order <= 0
        assert order < 0 or str(a[3]).zfill(9) < str(b[3]).zfill(9)


def cut(offset: int | None, limit: int | None, with_ties: bool = False) -> list[object]:
    skip = None if offset is None else literal(offset)
    take = None if limit is None else literal(limit)
    rows: list[Row] = [(3,), (1,), (2,), (2,), (2,)]
    return [n for (n,) in sort(rows, (ascending(ref(0)),), skip, take, with_ties, ENV)]


def test_offset_skips_limit_keeps_and_ties_are_kept_if_asked() -> None:
    assert cut(None, None) == [1, 2, 2, 2, 3]
    assert cut(1, 2) == [2, 2]
    assert cut(4, None) == [3]
    assert cut(9, 1) == []
    assert cut(None, 0) == []
    assert cut(None, 0, with_ties=True) == []
    assert cut(None, 2, with_ties=True) == [1, 2, 2, 2]
    assert cut(2, 1, with_ties=True) == [2, 2]
    assert cut(None, 1, with_ties=True) == [1]
    assert cut(None, 9, with_ties=True) == [1, 2, 2, 2, 3]


def test_a_negative_limit_is_an_invalid_argument() -> None:
    with pytest.raises(SqlError) as caught:
        cut(None, -1)
    assert caught.value.code is Code.INVALID_ARGUMENT
