"""How many queries over retained rows the bounds of groups take; a stub answers the queries."""

from collections.abc import Sequence

import pytest

from algebra.catalog import Profile
from algebra.expression import Value
from algebra.monotonicity.progress import Bound, Bounds
from algebra.plan import Aggregate, Delta, Plan
from algebra.prepare import prepare
from spark_backend.order.implicit_rowtime import with_implicit_rowtime
from spark_backend.stream.bounds.bound_propagation import BoundPropagation

DDL = "CREATE STREAM S (rowtime TIMESTAMP(3) ASCENDING, k INTEGER ASCENDING);"
SQL = "SELECT STREAM k, COUNT(*) AS c FROM S GROUP BY k"
#: The bounds of the stream: its rowtime and its number.
TIME, NUMBER = 5_000, 7


def bounds_of_groups(answers: Sequence[Sequence[Value]]) -> tuple[Bounds, int]:
    """The exact bounds of the groups, and the number of queries, which have these answers."""
    asked: list[Plan] = []

    def evaluated(plan: Plan) -> Sequence[tuple[Value, ...]]:
        assert isinstance(plan, Aggregate)
        asked.append(plan)
        return [tuple(answers[len(asked) - 1])]

    query = prepare(DDL, SQL, Profile.CALCITE).query
    assert isinstance(query, Delta)
    plan = with_implicit_rowtime(query.input)
    assert plan is not None
    known = Bounds((Bound(TIME), Bound(NUMBER)))
    propagation = BoundPropagation(lambda _: known, evaluated, lambda _: lambda _row: None)
    return propagation.of(plan, exact=True), len(asked)


@pytest.mark.parametrize("latest", [None, TIME])
def test_one_query_is_enough_if_no_complete_group_waits(latest: int | None) -> None:
    """The least time of open groups, here there is none, and the latest of complete ones."""
    found, queries = bounds_of_groups([(None, latest)])
    assert (found.columns[0], found.columns[-1]) == (Bound(NUMBER), Bound(TIME))
    assert queries == 1


def test_a_complete_group_after_the_bound_of_the_time_holds_back_the_bound_of_its_key() -> None:
    found, queries = bounds_of_groups([(None, TIME + 1), (6,)])
    assert (found.columns[0], found.columns[-1]) == (Bound(6), Bound(TIME))
    assert queries == 2


def test_an_open_group_holds_back_the_time_for_which_complete_groups_wait() -> None:
    """A complete group at the bound of the rows' time waits for the open one, which is earlier."""
    found, queries = bounds_of_groups([(TIME - 1, TIME), (6,)])
    assert (found.columns[0], found.columns[-1]) == (Bound(6), Bound(TIME - 1))
    assert queries == 2
