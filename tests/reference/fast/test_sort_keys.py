"""Sorting at speed puts rows where the comparison of sort keys puts them (S-206)."""

from hypothesis import given
from hypothesis import strategies as st

from algebra.expression import SortKey
from algebra.types import DOUBLE, VARCHAR
from reference.fast.sort_keys import in_order
from reference.relation import Row, by_keys
from tests.reference.building import ref

KEYS = st.tuples(
    st.builds(SortKey, st.just(ref(0, DOUBLE)), st.booleans(), st.booleans()),
    st.builds(SortKey, st.just(ref(1, VARCHAR)), st.booleans(), st.booleans()),
)
ROWS = st.lists(
    st.tuples(
        st.sampled_from([None, float("nan"), -0.0, 0.0, 1.5, float("-inf")]),
        st.sampled_from([None, "", "a", "b"]),
    )
)


@given(ROWS, KEYS)
def test_the_order_is_that_of_the_comparison(rows: list[Row], keys: tuple[SortKey, ...]) -> None:
    order = by_keys(keys)
    numbered = [(row, place) for place, row in enumerate(rows)]
    expected = sorted(numbered, key=lambda pair: order(pair[0]))
    assert [place for _, place in in_order(numbered, keys)] == [place for _, place in expected]
