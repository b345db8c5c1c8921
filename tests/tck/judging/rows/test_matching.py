"""Rows are paired as bags, and differences are drawn so that they can be read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tck.judging.rows.difference import lines_beside, places_beside, rows_beside
from tck.judging.rows.equality import classes
from tck.judging.rows.matching import Matching, first_difference_of_rows, match_rows
from tck.judging.rows.reading import ReadRow, read_rows, row_text, same_row
from tck.protocol import ColumnInfo, Wire, WireRow

COLUMNS = (ColumnInfo("A", "INTEGER", True), ColumnInfo("B", "DOUBLE", True))
ROWS = st.lists(
    st.tuples(st.sampled_from([None, 1, 2]), st.sampled_from([None, 0.5, "NaN"])), max_size=8
)


def read(*rows: WireRow) -> list[ReadRow]:
    return list(read_rows(rows, COLUMNS))


def match(expected: list[ReadRow], actual: list[ReadRow]) -> Matching:
    return match_rows(classes(expected, actual))


@given(ROWS.flatmap(lambda rows: st.tuples(st.just(rows), st.permutations(rows))))
def test_the_same_bag_in_any_order_matches_whole(
    both: tuple[list[WireRow], list[WireRow]],
) -> None:
    rows, shuffled = both
    matching = match(read(*rows), read(*shuffled))
    assert (matching.missing, matching.extra) == ((), ())


@given(ROWS, ROWS)
def test_every_row_is_paired_once_or_left_over(one: list[WireRow], other: list[WireRow]) -> None:
    left, right = read(*one), read(*other)
    matching = match(left, right)
    assert sorted([a for a, _ in matching.pairs] + list(matching.missing)) == [*range(len(one))]
    assert sorted([b for _, b in matching.pairs] + list(matching.extra)) == [*range(len(other))]
    assert all(same_row(left[a], right[b]) for a, b in matching.pairs)
    assert not any(same_row(left[a], right[b]) for a in matching.missing for b in matching.extra)


def test_what_is_none_of_its_type_or_too_wide_is_the_same_as_nothing() -> None:
    for row in [("x", 0.5), (1, 0.5, 3), (1,)]:
        assert not same_row(*read(row, (1, 0.5)))
    assert not same_row(*read(("x", 0.5), ("x", 0.5)))
    assert match(read(("x", 0.5)), read(("x", 0.5))) == Matching((), (0,), (0,))


def test_places_differ_at_the_first_difference_or_the_shorter_end() -> None:
    rows = read((1, 0.5), (2, 0.5))
    assert first_difference_of_rows(classes(rows, rows), 2) is None
    assert first_difference_of_rows(classes(rows, rows[::-1]), 2) == 0
    assert first_difference_of_rows(classes(rows, rows[:1]), 2) == 1
    assert first_difference_of_rows(classes(rows[:1], rows), 2) == 1
    assert first_difference_of_rows(classes(rows[:1], rows), 1) is None


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (1.0, 1.0 + 1e-10, True),
        (1.0, 1.0 + 1e-8, False),
        (-3e200, -3e200 * (1 - 1e-10), True),
        (0.0, 1e-300, False),
        (0.0, -0.0, True),
        ("Infinity", "Infinity", True),
        ("Infinity", 1.7e308, False),
        ("NaN", "NaN", True),
        ("NaN", "Infinity", False),
    ],
)
def test_floating_values_are_equal_if_they_are_close(one: Wire, other: Wire, equal: bool) -> None:
    matching = match(read((1, one), (2, 1.0)), read((2, 1.0), (1, other)))
    assert bool(matching.pairs == ((0, 1), (1, 0))) == equal


def test_close_values_match_whatever_order_of_their_columns() -> None:
    columns = (*COLUMNS, ColumnInfo("C", "DOUBLE", True))
    expected = [(i % 3, 1.0, i / 7) for i in range(50)]
    actual = [(a, b * (1 + 1e-12), c * (1 - 1e-12)) for a, b, c in reversed(expected)]
    matching = match(list(read_rows(expected, columns)), list(read_rows(actual, columns)))
    assert matching.pairs == tuple((i, 49 - i) for i in range(50))


def test_a_long_table_is_cut_to_what_is_near_a_difference() -> None:
    expected = read(*((i, 0.5) for i in range(100)))
    actual = expected[:50] + expected[51:]
    drawn = rows_beside(COLUMNS, expected, actual, match(expected, actual))
    assert drawn == (
        "  expected     actual",
        "  A   B        A   B",
        "  ... 48 more",
        "  48  0.5E0    48  0.5E0",
        "  49  0.5E0    49  0.5E0",
        "- 50  0.5E0",
        "  51  0.5E0    51  0.5E0",
        "  52  0.5E0    52  0.5E0",
        "  ... 47 more",
    )


def test_a_missing_row_is_beside_the_row_most_like_it_with_the_columns_that_differ_marked() -> None:
    columns = (*COLUMNS, ColumnInfo("C", "VARCHAR(9)", True))
    expected = list(read_rows([(1, 0.5, "Beer"), (2, 0.5, "Wine")], columns))
    actual = list(read_rows([(2, 0.25, "Wine"), (1, 0.5, "Bier")], columns))
    assert rows_beside(columns, expected, actual, match(expected, actual)) == (
        "  expected             actual",
        "  A  B       C         A  B       C",
        "- 1  0.5E0   'Beer'  + 1  0.5E0   'Bier'",
        "             ^^^^^^               ^^^^^^",
        "- 2  0.5E0   'Wine'  + 2  0.25E0  'Wine'",
        "     ^^^^^^               ^^^^^^",
    )


def test_values_are_shown_as_sql() -> None:
    columns = [ColumnInfo("A", t, True) for t in ("VARCHAR(9)", "BOOLEAN", "TIMESTAMP(3)")]
    columns += [ColumnInfo("A", t, True) for t in ("VARBINARY", "INTERVAL HOUR TO MINUTE")]
    (row,) = read_rows([("it's", True, "2015-02-15 10:00:00", "0aff", "1:05")], columns)
    assert row_text(row) == "('it''s', TRUE, '2015-02-15 10:00:00', X'0aff', '1:05')"
    (row,) = read_rows([("a\x1b[31m", 1, None, 0.75, True, 7)], columns)
    assert row_text(row) == (
        "(U&'a\\001b[31m', 1 (no BOOLEAN), NULL, 0.75E0 (no VARBINARY), "
        "TRUE (no INTERVAL HOUR TO MINUTE), 7 (no column))"
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
        "> 1  0.5E0  > 2  0.5E0",
        "  2  0.5E0    1  0.5E0",
    )


def test_lines_of_text_are_marked_where_they_differ() -> None:
    assert lines_beside(["Delta", "  Scan"], ["Delta", "  Filter", "    Scan"]) == (
        "  expected    actual",
        "  Delta       Delta",
        ">   Scan    >   Filter",
        "            >     Scan",
    )
