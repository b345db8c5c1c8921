"""Joins by condition and window joins (S-508, S-509)."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algebra.expression import Expression, Op
from algebra.plan import RowsWindow, SideWindow, TimeWindow
from algebra.types import BOOLEAN, DOUBLE, MAX_TIMESTAMP, VARCHAR
from grammar.codes import Code
from grammar.source import SqlError
from grammar.tree import JoinKind
from reference.relation import Row
from reference.relational.joins import join, times_in_window, window_join
from tck.protocol import Rows
from tests.reference.building import ENV, call, literal, ref, ts
from tests.reference.conversation import rows

EQUAL = call(Op.EQUAL, BOOLEAN, ref(0), ref(2))
ABOVE = call(Op.GREATER, BOOLEAN, ref(1), ref(3))
TRUE = literal(True)
LEFT: list[Row] = [(1, 10), (2, 20), (None, 30), (1, 40)]
RIGHT: list[Row] = [(1, 15), (3, 25), (None, 35)]


def joined(kind: JoinKind, on: Expression, left: list[Row], right: list[Row]) -> list[Row]:
    return list(join(left, right, (2, 2), kind, on, ENV))


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (JoinKind.INNER, [(1, 10, 1, 15), (1, 40, 1, 15)]),
        (
            JoinKind.LEFT,
            [(1, 10, 1, 15), (2, 20, None, None), (None, 30, None, None), (1, 40, 1, 15)],
        ),
        (
            JoinKind.RIGHT,
            [(1, 10, 1, 15), (1, 40, 1, 15), (None, None, 3, 25), (None, None, None, 35)],
        ),
        (
            JoinKind.FULL,
            [(1, 10, 1, 15), (2, 20, None, None), (None, 30, None, None), (1, 40, 1, 15),
             (None, None, 3, 25), (None, None, None, 35)],
        ),
    ],
)  # fmt: skip
def test_null_keys_match_nothing_and_preserved_sides_are_padded(
    kind: JoinKind, expected: list[Row]
) -> None:
    assert joined(kind, EQUAL, LEFT, RIGHT) == expected


def test_on_decides_what_matches_not_what_is_kept() -> None:
    both = call(Op.AND, BOOLEAN, EQUAL, ABOVE)
    assert joined(JoinKind.LEFT, both, LEFT[:1], RIGHT) == [(1, 10, None, None)]
    assert joined(JoinKind.INNER, TRUE, LEFT[:1], RIGHT[:2]) == [(1, 10, 1, 15), (1, 10, 3, 25)]
    assert joined(JoinKind.FULL, literal(None, BOOLEAN), LEFT[:1], RIGHT[:1]) == [
        (1, 10, None, None), (None, None, 1, 15),
    ]  # fmt: skip


def test_an_empty_side_leaves_what_the_other_preserves() -> None:
    assert joined(JoinKind.INNER, TRUE, LEFT, []) == []
    assert joined(JoinKind.RIGHT, TRUE, [], RIGHT[:1]) == [(None, None, 1, 15)]
    assert joined(JoinKind.FULL, TRUE, [], []) == []


def test_nan_does_not_match_nan() -> None:
    on = call(Op.EQUAL, BOOLEAN, ref(0, DOUBLE), ref(1, DOUBLE))
    nan: list[Row] = [(float("nan"),)]
    assert list(join(nan, nan, (1, 1), JoinKind.INNER, on, ENV)) == []


sides = st.lists(
    st.tuples(st.one_of(st.none(), st.integers(0, 2)), st.one_of(st.none(), st.integers(0, 3))),
    max_size=5,
)
conditions = st.sampled_from(
    [TRUE, EQUAL, ABOVE, call(Op.AND, BOOLEAN, EQUAL, ABOVE), call(Op.OR, BOOLEAN, EQUAL, ABOVE),
     call(Op.IS_NOT_DISTINCT_FROM, BOOLEAN, ref(0), ref(2))]
)  # fmt: skip


@given(sides, sides, conditions)
def test_outer_joins_are_the_inner_one_and_the_unmatched(
    left: list[Row], right: list[Row], on: Expression
) -> None:
    inner, with_left, with_right, full = (
        Counter(joined(kind, on, left, right))
        for kind in (JoinKind.INNER, JoinKind.LEFT, JoinKind.RIGHT, JoinKind.FULL)
    )
    lonely = Counter((*a, None, None) for a in left if not joined(JoinKind.INNER, on, [a], right))
    orphaned = Counter((None, None, *b) for b in right if not joined(JoinKind.INNER, on, left, [b]))
    assert with_left == inner + lonely
    assert with_right == inner + orphaned
    assert full == inner + lonely + orphaned


@given(sides, sides, conditions)
def test_the_inner_join_is_a_filtered_product(
    left: list[Row], right: list[Row], on: Expression
) -> None:
    product = [(*a, *b) for a in left for b in right]
    kept = [row for row in product if joined(JoinKind.INNER, on, [row[:2]], [row[2:]])]
    assert joined(JoinKind.INNER, on, left, right) == kept


# --- window joins -------------------------------------------------------------------------------

CURRENT = TimeWindow(0, 0)
MINUTE = 60_000
SAME_ID = call(Op.EQUAL, BOOLEAN, ref(1), ref(3))


def matches(
    left: list[Row],
    right: list[Row],
    windows: tuple[SideWindow, SideWindow],
    kind: JoinKind = JoinKind.INNER,
    on: Expression = SAME_ID,
) -> list[Row]:
    return list(window_join(left, right, (2, 2), kind, on, windows, (0, 0), ENV))


ORDERS: list[Row] = [(ts("10:00:00"), 1), (ts("10:03:00"), 2)]
TRADES: list[Row] = [(ts("10:02:00"), 1), (ts("10:10:00"), 1), (ts("10:13:00.001"), 2)]


def test_trades_following_an_order_have_the_orders_time() -> None:
    """E-129: the trade's window reaches ten minutes before it, the order's time is in it."""
    rows = matches(ORDERS, TRADES, (CURRENT, TimeWindow(preceding=0, following=10 * MINUTE)))
    assert rows == [
        (ts("10:00:00"), 1, ts("10:02:00"), 1, ts("10:00:00")),
        (ts("10:00:00"), 1, ts("10:10:00"), 1, ts("10:00:00")),
    ]


def test_orders_preceding_a_trade_have_the_trades_time() -> None:
    rows = matches(ORDERS, TRADES, (TimeWindow(preceding=10 * MINUTE, following=0), CURRENT))
    assert [row[-1] for row in rows] == [ts("10:02:00"), ts("10:10:00")]


def test_unmatched_rows_have_the_greatest_time_of_their_window() -> None:
    """E-130: an order without trade keeps its own time; a preceding window adds to it."""
    following = (CURRENT, TimeWindow(preceding=0, following=10 * MINUTE))
    assert matches(ORDERS, TRADES, following, JoinKind.FULL)[2:] == [
        (ts("10:03:00"), 2, None, None, ts("10:03:00")),
        (None, None, ts("10:13:00.001"), 2, ts("10:13:00.001")),
    ]
    preceding = (TimeWindow(preceding=10 * MINUTE, following=0), CURRENT)
    assert matches(ORDERS, TRADES, preceding, JoinKind.LEFT)[2:] == [
        (ts("10:03:00"), 2, None, None, ts("10:13:00"))
    ]


def test_windows_of_both_sides_may_meet_at_a_time_of_neither() -> None:
    left: list[Row] = [(0, 1)]
    right: list[Row] = [(10, 1)]
    assert matches(left, right, (TimeWindow(5, 0), TimeWindow(0, 5))) == [(0, 1, 10, 1, 5)]
    assert matches(left, right, (TimeWindow(5, 0), TimeWindow(0, 4))) == []
    assert matches(left, right, (CURRENT, CURRENT)) == []


@given(
    st.lists(st.integers(0, 12), max_size=4),
    st.lists(st.integers(0, 12), max_size=4),
    st.tuples(*[st.integers(0, 3)] * 4),
)
def test_a_pair_matches_at_its_least_common_time(
    a: list[int], b: list[int], w: tuple[int, ...]
) -> None:
    windows = (TimeWindow(w[0], w[1]), TimeWindow(w[2], w[3]))
    left: list[Row] = [(r, 1) for r in a]
    right: list[Row] = [(r, 1) for r in b]
    found = matches(left, right, windows)
    expected: list[Row] = []
    for r in a:
        for s in b:
            common = [
                u for u in range(-10, 30) if r - w[1] <= u <= r + w[0] and s - w[3] <= u <= s + w[2]
            ]
            expected += [(r, 1, s, 1, min(common))] if common else []
    assert found == expected


def test_rows_windows_last_until_the_nth_later_row() -> None:
    times = times_in_window([0, 5, 5, 9], RowsWindow(2))
    assert [(t.first, t.last) for t in times] == [
        (0, 4), (5, 8), (5, float("inf")), (9, float("inf")),
    ]  # fmt: skip
    left: list[Row] = [(0, 1), (5, 1)]
    right: list[Row] = [(4, 1), (5, 1), (7, 1)]
    assert matches(left, right, (RowsWindow(1), CURRENT)) == [
        (0, 1, 4, 1, 4), (5, 1, 5, 1, 5), (5, 1, 7, 1, 7),
    ]  # fmt: skip


def test_an_unmatched_row_of_a_rows_window_leaves_with_it() -> None:
    left: list[Row] = [(0, 1), (5, 1), (5, 1)]
    right: list[Row] = [(9, 2)]
    parting = [row[-1] for row in matches(left, right, (RowsWindow(1), CURRENT), JoinKind.LEFT)]
    # The second row left as it came; the third is there when the input ends at 9.
    assert parting == [4, 5, 9]


def test_a_rowtime_past_the_year_9999_overflows() -> None:
    with pytest.raises(SqlError) as caught:
        matches([(MAX_TIMESTAMP, 1)], [], (TimeWindow(1, 0), CURRENT), JoinKind.LEFT)
    assert caught.value.code is Code.OVERFLOW


def test_varchars_match_without_padding() -> None:
    on = call(Op.EQUAL, BOOLEAN, ref(0, VARCHAR), ref(1, VARCHAR))
    a: list[Row] = [("a",), ("a ",)]
    assert list(join(a, a, (1, 1), JoinKind.INNER, on, ENV)) == [("a", "a"), ("a ", "a ")]


@pytest.mark.parametrize("stream", ["STREAM ", ""])
def test_where_does_not_fail_for_pairs_that_on_does_not_accept(stream: str) -> None:
    """A comparison with NULL is neither true nor false; the 0 of its partner divides nothing."""
    ddl = "".join(
        f"CREATE STREAM {name} (rowtime TIMESTAMP(3) NOT NULL ASCENDING, n INTEGER, m INTEGER) "
        "WITH HISTORY INTERVAL '24' HOUR;"
        for name in "AB"
    )
    sql = (
        f"SELECT {stream}A.rowtime, B.m FROM A JOIN B ON A.rowtime = B.rowtime AND A.n < B.n "
        "WHERE 10 / B.m > A.m"
    )
    ten = "2015-02-15 10:00:00"
    events = Rows("A", ((ten, 1, 1), (ten, None, 1))), Rows("B", ((ten, None, 0), (ten, 2, 3)))
    assert rows(sql, *events, ddl=ddl) == [(ten, 3)]
