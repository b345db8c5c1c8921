"""Versions of a table's rows: each has its own rows, and the difference costs what differs."""

import time

from hypothesis import given
from hypothesis import strategies as st

from reference.relation import Row
from reference.relational.changelog import difference, single
from reference.relational.table_rows import NextRows, TableRows, changes_between, next_rows
from tests.examples import examples

_ROWS = st.tuples(st.none() | st.integers(0, 3), st.integers(0, 2))


def _change(after: NextRows, model: list[Row], row: Row, action: int) -> list[Row]:
    """Add a row, or replace or delete the first one that is equal."""
    found = after.find(row) if action else None
    assert (found is None) == (not action or row not in model)
    if found is None:
        after.add(row)
        return [*model, row]
    place = model.index(row)
    new = [(9, action)] if action > 1 else []
    after.replace(found, new[0] if new else None)
    return [*model[:place], *new, *model[place + 1 :]]


@examples(60, 10_000)
@given(
    st.lists(_ROWS, max_size=4),
    st.lists(
        st.tuples(st.integers(0, 9), st.lists(st.tuples(_ROWS, st.integers(0, 2)), max_size=4)),
        max_size=8,
    ),
    st.data(),
)
def test_each_version_has_its_rows_however_many_follow_from_it(
    first: list[Row], versions: list[tuple[int, list[tuple[Row, int]]]], data: st.DataObject
) -> None:
    made = [next_rows(first, ()).rows]
    models = [list(first)]
    for of, changes in versions:
        of %= len(made)
        after, model = next_rows(made[of], ()), models[of]
        for row, action in changes:
            model = _change(after, model, row, action)
        made.append(after.rows)
        models.append(model)
    for place in data.draw(st.permutations(range(len(made)))):
        assert len(made[place]) == len(models[place])
        assert list(made[place]) == models[place]
    one, other = (data.draw(st.integers(0, len(made) - 1)) for _ in range(2))
    changed = changes_between(made[one], made[other])
    assert changed is not None
    assert sorted(map(repr, single(changed))) == sorted(
        map(repr, difference(models[one], models[other]))
    )


def test_rows_with_a_key_are_found_by_it() -> None:
    after = next_rows([(1, 10), (2, 20)], (0,))
    found = after.find((2, None))
    assert found is not None
    after.replace(found, (2, 21))
    assert after.find((3, None)) is None
    assert list(after.rows) == [(1, 10), (2, 21)]


def test_a_change_of_a_table_costs_no_more_with_many_rows() -> None:
    def seconds(rows: int) -> float:
        table: TableRows = next_rows([(i, 0) for i in range(rows)], (0,)).rows
        best = 9.0
        for part in range(4):
            start = time.process_time()
            for i in range(200):
                after = next_rows(table, (0,))
                found = after.find((i, None))
                assert found is not None
                after.replace(found, (i, part))
                assert after.rows.since(table) is not None
                table = after.rows
            best = min(best, time.process_time() - start)
        return best

    assert seconds(200_000) < 5 * seconds(2_000)
