"""The fast form of ASOF joins finds the row that the definition finds (S-904)."""

from functools import cache
from itertools import product
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algebra.catalog import Profile
from algebra.plan import AsofJoin, Plan, Project, row_type
from algebra.prepare import prepare
from reference.fast.nearest_rows import nearest_row
from reference.relation import Row
from reference.relational import asof
from tests.reference.building import ENV

DDL: Final = """
CREATE TABLE L (k INTEGER, at TIMESTAMP(3), n INTEGER);
CREATE TABLE R (k BIGINT, at TIMESTAMP(3), n INTEGER);
"""
#: With a column as the key, without a key, and with a key that is computed.
KEYS: Final = ("ON L.k = R.k", "", "ON L.k + 1 = R.k")
FORMS: Final = list(product(("<", "<=", ">", ">="), KEYS))
ROWS: Final = st.lists(
    st.tuples(
        st.sampled_from([None, 0, 1, 2]), st.sampled_from([None, 0, 1, 2, 3]), st.integers(0, 99)
    ),
    max_size=12,
)


@cache
def join_of(operator: str, key: str) -> AsofJoin:
    match = f"MATCH_CONDITION (L.at {operator} R.at)"
    plan: Plan | None = prepare(
        DDL, f"SELECT * FROM L ASOF JOIN R {match} {key}", Profile.CALCITE
    ).query
    assert isinstance(plan, Project)
    assert isinstance(plan.input, AsofJoin)
    return plan.input


@pytest.mark.parametrize(("operator", "key"), FORMS)
@given(ROWS, ROWS)
def test_the_nearest_row_is_that_of_the_definition(
    operator: str, key: str, left: list[Row], right: list[Row]
) -> None:
    plan = join_of(operator, key)
    fast, defined = (each(plan, right, ENV) for each in (nearest_row, asof.nearest_row))
    assert [fast(row) for row in left] == [defined(row) for row in left]


def test_of_rows_of_one_time_the_first_is_taken() -> None:
    right: list[Row] = [(1, 5, 0), (1, 7, 1), (1, 7, 2), (1, 9, 3), (1, 9, 4)]
    for operator, number in (("<", 3), ("<=", 1), (">", 0), (">=", 1)):
        plan = join_of(operator, "ON L.k = R.k")
        assert len(row_type(plan)) == 6
        assert nearest_row(plan, right, ENV)((1, 7, 0)) == right[number]


def test_few_of_the_rows_of_a_key_are_looked_at() -> None:
    """Else a join of two tables with one key would take as long as all pairs of their rows."""
    looked_at = list[Row]()

    class Watched(tuple[int, int, int]):
        __slots__ = ()

        def __radd__(self, other: Row) -> Row:
            looked_at.append(self)
            return (*other, *self)

    right: list[Row] = [Watched((1, n, n)) for n in range(1_000)]
    found = nearest_row(join_of(">=", "ON L.k = R.k"), right, ENV)((1, 500, 0))
    assert found == (1, 500, 500)
    assert len(looked_at) <= 1
