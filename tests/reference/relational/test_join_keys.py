"""Joins that go by keys have the pairs that the condition has (S-508)."""

from collections.abc import Sequence
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algebra.expression import Cast, Expression, Op
from algebra.types import BIGINT, BOOLEAN, DOUBLE, INTEGER, Kind, Type, decimal
from grammar.source import SqlError
from grammar.tree import JoinKind
from reference.relation import Row
from reference.relational.joins import join
from reference.scalar.expression import truth_of
from tests.reference.building import ENV, call, literal, ref

SIDE = st.lists(
    st.tuples(
        st.none() | st.integers(0, 3),
        st.none() | st.sampled_from([0.0, -0.0, 1.0, float("nan")]),
    ),
    max_size=6,
)


def equal(a: Expression, b: Expression) -> Expression:
    return call(Op.EQUAL, BOOLEAN, a, b)


def cast(place: int, type: Type) -> Expression:
    return Cast(ref(place, INTEGER), type)


CONDITIONS = {
    "integers": equal(ref(0), ref(2)),
    "doubles": equal(ref(1, DOUBLE), ref(3, DOUBLE)),
    "widened": equal(cast(0, BIGINT), cast(2, BIGINT)),
    "as decimals": equal(cast(2, decimal(12, 2)), cast(0, decimal(12, 2))),
    "of one side": equal(ref(0), ref(0)),
    "with more": call(Op.AND, BOOLEAN, equal(ref(0), ref(2)), equal(ref(3, DOUBLE), literal(0.0))),
}


@pytest.mark.parametrize("condition", CONDITIONS.values(), ids=list(CONDITIONS))
@given(left=SIDE, right=SIDE)
def test_pairs_are_those_of_the_condition(
    condition: Expression, left: Sequence[Row], right: Sequence[Row]
) -> None:
    holds = truth_of(condition, ENV)
    expected = [a + b for a in left for b in right if holds(a + b)]
    found = join(left, right, (2, 2), JoinKind.INNER, condition, ENV)
    assert list(map(repr, found)) == list(map(repr, expected))


def test_a_cast_that_makes_values_equal_is_no_key() -> None:
    """1.4 and 1 are equal as DECIMAL(2, 0): HALF_UP (S-202)."""
    tenths, whole = decimal(3, 1), decimal(2, 0)
    condition = equal(Cast(ref(0, tenths), whole), Cast(ref(1, tenths), whole))
    rows = [(_tenths(14),)], [(_tenths(10),)]
    assert len(join(*rows, (1, 1), JoinKind.INNER, condition, ENV)) == 1


def test_a_cast_that_overflows_is_not_passed_over() -> None:
    tiny = Type(Kind.TINYINT)
    condition = equal(cast(0, tiny), cast(1, tiny))
    with pytest.raises(SqlError):
        join([(1,)], [(300,)], (1, 1), JoinKind.INNER, condition, ENV)


def _tenths(number: int) -> Decimal:
    return Decimal(number).scaleb(-1)
