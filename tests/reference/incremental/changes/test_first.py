"""The first rows of an order: each event costs its own rows, and the answer is the definition's."""

import time
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from algebra.expression import InputRef, SortKey
from algebra.types import INTEGER
from reference.incremental.changes.first import First
from reference.relation import Row, order_by
from reference.relational.changelog import difference, single
from tests.examples import examples

KEY = SortKey(InputRef(0, INTEGER), descending=True, nulls_first=False)


def _first(offset: int, limit: int | None, with_ties: bool) -> First:
    order = order_by([KEY])
    return First(lambda row: order(row[:1]), lambda: (offset, limit), with_ties)


def _expected(rows: Sequence[Row], offset: int, limit: int | None, with_ties: bool) -> list[Row]:
    order = order_by([KEY])
    ordered = sorted(rows, key=lambda row: order(row[:1]))
    end = len(ordered) if limit is None else offset + limit
    if with_ties and limit:
        while 0 < end < len(ordered) and ordered[end][0] == ordered[end - 1][0]:
            end += 1
    return ordered[offset:end]


_ROWS = st.tuples(st.none() | st.integers(0, 4), st.integers(0, 2))


@examples(60, 10_000)
@given(
    st.lists(st.lists(_ROWS, max_size=5), max_size=12),
    st.integers(0, 3),
    st.none() | st.integers(0, 4),
    st.booleans(),
    st.data(),
)
def test_the_first_rows_follow_inserts_and_deletes(
    events: list[list[Row]], offset: int, limit: int | None, with_ties: bool, data: st.DataObject
) -> None:
    operator = _first(offset, limit, with_ties)
    there: list[Row] = []
    shown: list[Row] = []
    for new in events:
        lost = data.draw(st.permutations(there))[: data.draw(st.integers(0, len(there)))]
        for row in lost:
            there.remove(row)  # the first that is equal: ties stay in their order of arrival
        # A row that is deleted and inserted at once stays: its time of arrival does not matter.
        new = [row for row in new if row not in lost]
        there += new
        changed = operator.step([[*((row, -1) for row in lost), *((row, 1) for row in new)]])
        for row, weight in single(changed):
            if weight > 0:
                shown.append(row)
            else:
                shown.remove(row)
        assert not difference(shown, _expected(there, offset, limit, with_ties))
        assert operator.retained == len(there)


def test_rows_that_are_deleted_again_and_again_are_not_retained() -> None:
    operator = _first(0, 1, with_ties=False)
    operator.step([[((9, 0), 1)]])
    for value in range(1_000):
        operator.step([[((value % 8, value), 1)]])
        operator.step([[((value % 8, value), -1)]])
    assert operator.retained == 1
    assert len(operator._rest) < 100  # pyright: ignore[reportPrivateUsage]


def test_a_change_costs_no_more_after_many_rows() -> None:
    """A list in order would move the half of its rows at each insert."""

    def seconds(rows: int) -> float:
        operator = _first(0, 10, with_ties=False)
        operator.step([[((i * 7919 % rows, 0), 1) for i in range(rows)]])
        best = 9.0
        for part in range(5):
            start = time.process_time()
            for i in range(500):
                operator.step([[((i * 31 % rows, part), 1)]])
            best = min(best, time.process_time() - start)
        return best

    assert seconds(400_000) < 4 * seconds(4_000)
