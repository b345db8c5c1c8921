"""What delta and chi are to each other, and to the order of emission (S-302, S-303)."""

from hypothesis import given
from hypothesis import strategies as st

from algebra.expression import Op, SortKey
from algebra.plan import Delta, Filter
from algebra.types import BOOLEAN, INTEGER
from reference.relation import Relation, Row, by_keys
from reference.relational.streams import chi, delta, emitted, history
from tests.reference.building import call, ref, rows_of, scan, stream

ROWS = st.lists(st.tuples(st.none() | st.integers(0, 2)), max_size=4)
CHANGES = st.lists(ROWS, max_size=4)
KEYS = st.tuples(st.builds(SortKey, st.just(ref(0, INTEGER)), st.booleans(), st.booleans()))
ORDERS = stream("ORDERS", None)


@given(CHANGES)
def test_delta_undoes_chi(changes: list[Relation]) -> None:
    """A stream that is gathered into a table can be read off it again."""
    assert list(delta(chi(changes))) == changes


@given(CHANGES)
def test_chi_undoes_delta(changes: list[Relation]) -> None:
    """A table that only grows is what its changes add up to."""
    tables: list[Relation] = [
        [row for rows in changes[: tick + 1] for row in rows] for tick in range(len(changes))
    ]
    assert list(chi(delta(tables))) == tables


@given(CHANGES)
def test_a_filter_of_the_changes_is_the_change_of_the_filter(changes: list[list[Row]]) -> None:
    """Row by row operators are linear: they need to see each tick's new rows only."""
    changes = [[(0, *row) for row in sorted(rows, key=repr)] for rows in changes]
    plan = Filter(scan(ORDERS), call(Op.IS_NOT_NULL, BOOLEAN, ref(0)))
    of_each = [list(rows_of(plan, ORDERS=rows)) for rows in changes]
    assert list(delta(rows_of(plan, ORDERS=table) for table in chi(changes))) == of_each
    everything = [row for rows in changes for row in rows]
    assert rows_of(Delta(plan), ORDERS=everything) == [row for rows in of_each for row in rows]


@given(ROWS, KEYS)
def test_rows_are_emitted_by_their_times_and_ties_as_they_came(
    rows: list[Row], keys: tuple[SortKey, ...]
) -> None:
    timed = [(row, (*row, place)) for place, row in enumerate(rows)]
    order = by_keys(keys)
    assert emitted(timed, keys) == [row for _, row in sorted(timed, key=lambda e: order(e[0]))]


@given(ROWS)
def test_the_last_tick_of_a_history_has_all_rows(rows: list[Row]) -> None:
    keys = (SortKey(ref(0, INTEGER), descending=False, nulls_first=False),)
    ticks = history([(row, row) for row in rows], keys)
    assert ticks[-1:] == ([rows] if rows else [])
    assert history([((), row) for row in rows], ()) == ([rows] if rows else [])


def test_what_is_not_new_is_not_emitted_again() -> None:
    assert list(delta([[(1,)], [(1,)], [(2,), (1,), (1,)]])) == [[(1,)], [], [(2,), (1,)]]
