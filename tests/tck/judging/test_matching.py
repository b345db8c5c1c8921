"""Rows are paired as bags, and differences are drawn so that they can be read."""

from hypothesis import given
from hypothesis import strategies as st

from tck.judging.difference import lines_beside, places_beside, rows_beside
from tck.judging.matching import (
    Matching,
    ReadRow,
    first_difference_of_rows,
    match_rows,
    read_row,
    same_row,
)
from tck.protocol import ColumnInfo, WireRow

COLUMNS = (ColumnInfo("A", "INTEGER", True), ColumnInfo("B", "DOUBLE", True))
ROWS = st.lists(
    st.tuples(st.sampled_from([None, 1, 2]), st.sampled_from([None, 0.5, "NaN"])), max_size=8
)


def read(*rows: WireRow) -> list[ReadRow]:
    return [read_row(row, COLUMNS, None) for row in rows]


@given(ROWS.flatmap(lambda rows: st.tuples(st.just(rows), st.permutations(rows))))
def test_the_same_bag_in_any_order_matches_whole(
    both: tuple[list[WireRow], list[WireRow]],
) -> None:
    rows, shuffled = both
    matching = match_rows(read(*rows), read(*shuffled))
    assert (matching.missing, matching.extra) == ((), ())


@given(ROWS, ROWS)
def test_every_row_is_paired_once_or_left_over(one: list[WireRow], other: list[WireRow]) -> None:
    left, right = read(*one), read(*other)
    matching = match_rows(left, right)
    assert sorted([a for a, _ in matching.pairs] + list(matching.missing)) == [*range(len(one))]
    assert sorted([b for _, b in matching.pairs] + list(matching.extra)) == [*range(len(other))]
    assert all(same_row(left[a], right[b]) for a, b in matching.pairs)
    assert not any(same_row(left[a], right[b]) for a in matching.missing for b in matching.extra)


def test_what_is_none_of_its_type_or_too_wide_is_the_same_as_nothing() -> None:
    for row in [("x", 0.5), (1, 0.5, 3), (1,)]:
        assert not same_row(*read(row, (1, 0.5)))
    assert not same_row(*read(("x", 0.5), ("x", 0.5)))


def test_places_differ_at_the_first_difference_or_the_shorter_end() -> None:
    rows = read((1, 0.5), (2, 0.5))
    assert first_difference_of_rows(rows, rows) is None
    assert first_difference_of_rows(rows, rows[::-1]) == 0
    assert first_difference_of_rows(rows, rows[:1]) == 1
    assert first_difference_of_rows(rows[:1], rows) == 1


def test_a_long_table_is_cut_to_what_is_near_a_difference() -> None:
    expected = read(*((i, 0.5) for i in range(100)))
    actual = expected[:50] + expected[51:]
    drawn = rows_beside(COLUMNS, expected, actual, match_rows(expected, actual))
    assert drawn == (
        "  expected    actual",
        "  A   B       A   B",
        "  ... 48 more",
        "  48  0.5     48  0.5",
        "  49  0.5     49  0.5",
        "- 50  0.5",
        "  51  0.5     51  0.5",
        "  52  0.5     52  0.5",
        "  ... 47 more",
    )


def test_a_table_of_no_rows_is_drawn() -> None:
    drawn = rows_beside(COLUMNS, [], read((1, None)), Matching((), (), (0,)))
    assert drawn == (
        "  expected    actual",
        "  A  B        A  B",
        "            + 1  NULL",
    )


def test_a_wrong_order_is_marked_where_it_begins() -> None:
    rows = read((1, 0.5), (2, 0.5))
    assert places_beside(COLUMNS, rows, rows[::-1], 0) == (
        "  expected    actual",
        "  A  B        A  B",
        "> 1  0.5    > 2  0.5",
        "  2  0.5      1  0.5",
    )


def test_lines_of_text_are_marked_where_they_differ() -> None:
    assert lines_beside(["Delta", "  Scan"], ["Delta", "  Filter", "    Scan"]) == (
        "  expected    actual",
        "  Delta       Delta",
        ">   Scan    >   Filter",
        "            >     Scan",
    )
