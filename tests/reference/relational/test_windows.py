"""OVER: frames by their definition, and every window function (S-505, S-506)."""

from collections.abc import Sequence
from decimal import Decimal
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algebra.expression import (
    AggregateFunction,
    Expression,
    Literal,
    Op,
    SortKey,
    Value,
    WindowCall,
    WindowFunction,
)
from algebra.plan import (
    Frame,
    FrameBound,
    GroupOffset,
    RangeOffset,
    RowOffset,
    Unbounded,
    WindowGroup,
)
from algebra.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    TIMESTAMP,
    Type,
    decimal,
    interval,
)
from grammar.codes import Code
from grammar.source import SqlError
from grammar.tree import TimeUnit
from reference.relation import Row
from reference.relational.frames import Partition
from reference.relational.windows import window
from tests.reference.building import (
    ENV,
    ascending,
    call,
    descending,
    literal,
    ref,
    span_of,
    ts,
)

W = WindowFunction
PEERS = RangeOffset(literal(0), preceding=True)
RUNNING = Frame(Unbounded(), PEERS)
WHOLE = Frame(Unbounded(), Unbounded())


def sorted_partition(values: Sequence[Value], key: SortKey) -> Partition:
    """A partition of one column that is its own sort key; ``values`` are in order."""
    rows = tuple((each,) for each in values)
    return Partition(rows, rows, (key,))


def frames(
    values: Sequence[Value], key: SortKey, start: FrameBound, end: FrameBound
) -> list[list[Value]]:
    """The values in each row's frame."""
    partition = sorted_partition(values, key)
    places = range(len(values))
    return [[values[i] for i in partition.frame(at, Frame(start, end))] for at in places]


def back(distance: Literal) -> RangeOffset:
    return RangeOffset(distance, preceding=True)


def on(distance: Literal) -> RangeOffset:
    return RangeOffset(distance, preceding=False)


UP, DOWN = ascending(ref(0)), descending(ref(0))


FrameCase: TypeAlias = tuple[SortKey, list[Value], FrameBound, FrameBound, list[list[Value]]]
FRAMES: list[FrameCase] = [
    # ROWS
    (UP, [1, 2, 3], RowOffset(-1), RowOffset(0), [[1], [1, 2], [2, 3]]),
    (UP, [1, 2, 3], RowOffset(1), RowOffset(2), [[2, 3], [3], []]),
    (UP, [1, 2, 3], RowOffset(-2), RowOffset(-1), [[], [1], [1, 2]]),
    (UP, [1, 2, 3], RowOffset(1), RowOffset(0), [[], [], []]),
    (UP, [1, 2, 3], Unbounded(), Unbounded(), [[1, 2, 3]] * 3),
    # peers
    (UP, [1, 2, 2, 3], Unbounded(), PEERS, [[1], [1, 2, 2], [1, 2, 2], [1, 2, 2, 3]]),
    (UP, [1, 2, 2, 3], PEERS, Unbounded(), [[1, 2, 2, 3], [2, 2, 3], [2, 2, 3], [3]]),
    # mixed ends: the running frame of profile sqlstream
    (UP, [1, 2, 2], back(literal(1)), RowOffset(0), [[1], [1, 2], [1, 2, 2]]),
    (UP, [1, 2, 2], Unbounded(), RowOffset(0), [[1], [1, 2], [1, 2, 2]]),
    # RANGE, closed at both ends
    (UP, [1, 3, 4, 7], back(literal(3)), PEERS, [[1], [1, 3], [1, 3, 4], [4, 7]]),
    (UP, [1, 3, 4, 7], on(literal(1)), on(literal(3)), [[3, 4], [4], [7], []]),
    (UP, [1, 3, 4, 7], back(literal(3)), back(literal(1)), [[], [1], [1, 3], [4]]),
    (DOWN, [7, 4, 3, 1], back(literal(3)), PEERS, [[7], [7, 4], [4, 3], [4, 3, 1]]),
    (DOWN, [7, 4, 3, 1], PEERS, on(literal(3)), [[7, 4], [4, 3, 1], [3, 1], [1]]),
    # NULLs are peers of each other, and far from all else
    (UP, [1, 2, None, None], back(literal(1)), PEERS,
     [[1], [1, 2], [None, None], [None, None]]),
    (DOWN, [None, 2, 1], Unbounded(), PEERS, [[None], [None, 2], [None, 2, 1]]),
    (DOWN, [None, 2, 1], back(literal(9)), on(literal(9)), [[None], [2, 1], [2, 1]]),
    (UP, [1, None], PEERS, Unbounded(), [[1, None], [None]]),
    (UP, [1, None], Unbounded(), on(literal(9)), [[1], [1, None]]),
]  # fmt: skip


@pytest.mark.parametrize(("key", "values", "start", "end", "expected"), FRAMES)
def test_frames(
    key: SortKey,
    values: list[Value],
    start: FrameBound,
    end: FrameBound,
    expected: list[list[Value]],
) -> None:
    assert frames(values, key, start, end) == expected


def test_range_over_time_by_intervals_and_months() -> None:
    times = [ts(f"{each} 00:00:00") for each in ("2015-01-31", "2015-02-28", "2015-03-31")]
    key = ascending(ref(0, TIMESTAMP))
    month = span_of("1", TimeUnit.MONTH)
    # March 31 less a month is February 28, February 28 less a month January 28 (S-207).
    jan, feb, mar = times
    assert frames(times, key, back(month), PEERS) == [[jan], [jan, feb], [feb, mar]]
    days = span_of("28", TimeUnit.DAY)
    assert frames(times, key, back(days), PEERS) == [[jan], [jan, feb], [mar]]


def test_a_date_may_be_hours_away() -> None:
    key = ascending(ref(0, DATE))
    assert frames([1, 2, 3], key, back(span_of("24", TimeUnit.HOUR)), PEERS) == [
        [1],
        [1, 2],
        [2, 3],
    ]
    assert frames([1, 2, 3], key, back(span_of("23", TimeUnit.HOUR)), PEERS) == [[1], [2], [3]]


def test_a_frame_may_reach_before_the_year_1() -> None:
    first = ts("0001-01-01 00:00:00")
    key = ascending(ref(0, TIMESTAMP))
    year = span_of("100", TimeUnit.YEAR)
    assert frames([first, first + 1], key, back(year), PEERS) == [[first], [first, first + 1]]


def test_range_over_decimals_and_doubles_is_exact() -> None:
    tenths: list[Value] = [Decimal("0.1"), Decimal("0.3")]
    key = ascending(ref(0, decimal(2, 1)))
    step = Literal(Decimal("0.2"), decimal(2, 1))
    assert frames(tenths, key, back(step), PEERS) == [tenths[:1], tenths]
    doubles: list[Value] = [-float("inf"), 1.0, float("inf"), float("nan")]
    near = frames(doubles, ascending(ref(0, DOUBLE)), back(literal(1)), on(literal(1)))
    assert near == [[doubles[i]] for i in range(4)]


def test_all_peers_are_peers_by_the_whole_key_and_without_keys() -> None:
    orders: tuple[Row, ...] = ((1, 1), (1, 2), (1, 2))
    two_keys = Partition(orders, orders, (ascending(ref(0)), ascending(ref(1))))
    assert [two_keys.peers(at) for at in range(3)] == [range(1), range(1, 3), range(1, 3)]
    no_keys = Partition(orders, ((), (), ()), ())
    assert no_keys.frame(1, RUNNING) == range(3)


def in_frame(
    keys: Sequence[Value], at: int, other: int, start: FrameBound, end: FrameBound, falling: bool
) -> bool:
    """The definition: whether the row at ``other`` lies between the two ends, row by row."""

    def side(bound: FrameBound, start_side: bool) -> bool:
        match bound:
            case Unbounded():
                return True
            case RowOffset(rows):
                return other >= at + rows if start_side else other <= at + rows
            case RangeOffset(distance, preceding):
                a, b, d = keys[at], keys[other], distance.value
                assert isinstance(d, int)
                if a is None or b is None:
                    beyond = other > at if start_side else other < at
                    return (a is None and b is None) or beyond
                assert isinstance(a, int)
                assert isinstance(b, int)
                # How far the other row lies in the window's direction.
                ahead = (a - b) if falling else (b - a)
                limit = -d if preceding else d
                return ahead >= limit if start_side else ahead <= limit
            case GroupOffset(groups):
                # The keys are sorted: a group's number is that of the values up to there.
                mine, its = len(set(keys[: at + 1])), len(set(keys[: other + 1]))
                return its >= mine + groups if start_side else its <= mine + groups

    return side(start, True) and side(end, False)


bounds = st.one_of(
    st.just(Unbounded()),
    st.integers(-3, 3).map(RowOffset),
    st.integers(-3, 3).map(GroupOffset),
    st.builds(RangeOffset, st.integers(0, 3).map(literal), st.booleans()),
)


@given(st.lists(st.one_of(st.none(), st.integers(0, 6)), max_size=7), st.booleans(), bounds, bounds)
def test_a_frame_holds_the_rows_of_its_definition(
    values: list[int | None], falling: bool, start: FrameBound, end: FrameBound
) -> None:
    numbers = sorted((v for v in values if v is not None), reverse=falling)
    nulls = [None] * values.count(None)
    keys: list[Value] = [*nulls, *numbers] if falling else [*numbers, *nulls]
    partition = sorted_partition(keys, DOWN if falling else UP)
    for at in range(len(keys)):
        expected = [i for i in range(len(keys)) if in_frame(keys, at, i, start, end, falling)]
        assert list(partition.frame(at, Frame(start, end))) == expected


# --- functions ----------------------------------------------------------------------------------


def function(
    name: WindowFunction | AggregateFunction,
    *arguments: Expression,
    ignore_nulls: bool = False,
    filter: Expression | None = None,
    type: Type = BIGINT,
) -> WindowCall:
    return WindowCall(name, arguments, type, filter=filter, ignore_nulls=ignore_nulls)


def values_over(
    rows: Sequence[Row],
    *calls: WindowCall,
    frame: Frame = RUNNING,
    order: tuple[SortKey, ...] = (ascending(ref(0)),),
    partition: tuple[Expression, ...] = (),
) -> list[Row]:
    """What is appended to the rows."""
    width = len(rows[0])
    group = WindowGroup(partition, order, frame, calls)
    return [row[width:] for row in window(rows, [group], ENV)]


TIED: list[Row] = [(3,), (1,), (2,), (2,)]


def test_ranks_count_the_rows_and_the_groups_of_peers_before() -> None:
    calls = (function(W.ROW_NUMBER), function(W.RANK), function(W.DENSE_RANK))
    assert values_over(TIED, *calls) == [(4, 4, 3), (1, 1, 1), (2, 2, 2), (3, 2, 2)]


def test_relative_ranks() -> None:
    calls = (function(W.PERCENT_RANK, type=DOUBLE), function(W.CUME_DIST, type=DOUBLE))
    assert values_over(TIED, *calls) == [(1.0, 1.0), (0.0, 0.25), (1 / 3, 0.75), (1 / 3, 0.75)]
    assert values_over([(7,)], *calls) == [(0.0, 1.0)]


def test_ntile_fills_the_first_buckets_first() -> None:
    rows: list[Row] = [(i,) for i in range(7)]
    assert [v for (v,) in values_over(rows, function(W.NTILE, literal(3)))] == [1, 1, 1, 2, 2, 3, 3]
    assert [v for (v,) in values_over(rows, function(W.NTILE, literal(9)))] == [*range(1, 8)]
    with pytest.raises(SqlError) as caught:
        values_over(rows, function(W.NTILE, literal(0)))
    assert caught.value.code is Code.INVALID_ARGUMENT


GAPPED: list[Row] = [(1, None), (2, 20), (3, None), (4, 40)]


def test_first_last_and_nth_value_are_of_the_frame() -> None:
    calls = [function(name, ref(1)) for name in (W.FIRST_VALUE, W.LAST_VALUE)]
    calls.append(function(W.NTH_VALUE, ref(1), literal(2)))
    frame = Frame(RowOffset(-1), RowOffset(0))
    assert values_over(GAPPED, *calls, frame=frame) == [
        (None, None, None), (None, 20, 20), (20, None, None), (None, 40, 40),
    ]  # fmt: skip
    ignoring = [
        function(W.FIRST_VALUE, ref(1), ignore_nulls=True),
        function(W.LAST_VALUE, ref(1), ignore_nulls=True),
        function(W.NTH_VALUE, ref(1), literal(2), ignore_nulls=True),
    ]
    assert values_over(GAPPED, *ignoring, frame=WHOLE) == [(20, 40, 40)] * 4
    empty = Frame(RowOffset(1), RowOffset(0))
    assert values_over(GAPPED, *calls, frame=empty) == [(None, None, None)] * 4
    with pytest.raises(SqlError):
        values_over(GAPPED, function(W.NTH_VALUE, ref(1), literal(0)))


def test_lag_and_lead_go_by_the_partition_not_the_frame() -> None:
    calls = (
        function(W.LAG, ref(1)),
        function(W.LEAD, ref(1), literal(2)),
        function(W.LAG, ref(1), literal(2), ref(0)),
        function(W.LAG, ref(1), literal(0)),
        function(W.LAG, ref(1), literal(1), ignore_nulls=True),
        function(W.LEAD, ref(1), literal(1), literal(-1), ignore_nulls=True),
    )
    assert values_over(GAPPED, *calls, frame=Frame(RowOffset(0), RowOffset(0))) == [
        (None, None, 1, None, None, 20),
        (None, 40, 2, 20, None, 40),
        (20, None, None, None, 20, 40),
        (None, None, 20, 40, 20, -1),
    ]
    assert values_over(GAPPED[:1], function(W.LAG, ref(1), literal(None, INTEGER))) == [(None,)]
    with pytest.raises(SqlError) as caught:
        values_over(GAPPED, function(W.LEAD, ref(1), literal(-1)))
    assert caught.value.code is Code.INVALID_ARGUMENT


@given(
    st.lists(st.one_of(st.none(), st.integers(0, 9)), min_size=1, max_size=8),
    st.integers(1, 3),
    st.booleans(),
)
def test_neighbours_count_the_rows_or_the_values_that_are_not_null(
    values: list[int | None], offset: int, ignore_nulls: bool
) -> None:
    rows: list[Row] = list(enumerate(values))

    def nth(others: list[int | None]) -> int | None:
        counted = [each for each in others if each is not None or not ignore_nulls]
        return counted[offset - 1] if offset <= len(counted) else -1

    calls = [
        function(name, ref(1), literal(offset), literal(-1), ignore_nulls=ignore_nulls)
        for name in (W.LAG, W.LEAD)
    ]
    assert values_over(rows, *calls) == [
        (nth(values[:at][::-1]), nth(values[at + 1 :])) for at in range(len(values))
    ]


def test_partitions_do_not_see_each_other_and_rows_stay_in_place() -> None:
    rows: list[Row] = [("x", 5), ("y", 1), ("x", 2), (None, 3), (None, 4)]
    total = function(AggregateFunction.SUM, ref(1))
    over = values_over(rows, total, order=(), partition=(ref(0),))
    assert over == [(7,), (1,), (7,), (7,), (7,)]


def test_ties_count_as_arriving_in_order() -> None:
    rows: list[Row] = [(1, 10), (0, 20), (1, 30)]
    numbers = values_over(
        rows,
        function(W.ROW_NUMBER),
        function(AggregateFunction.SUM, ref(1)),
        frame=Frame(Unbounded(), RowOffset(0)),
    )
    assert numbers == [(2, 30), (1, 20), (3, 60)]


def test_aggregates_over_frames_know_filter_and_distinct() -> None:
    rows: list[Row] = [(1,), (2,), (2,), (3,)]
    above_1 = call(Op.GREATER, BOOLEAN, ref(0), literal(1))
    counted = function(AggregateFunction.COUNT, filter=above_1)
    distinct = WindowCall(AggregateFunction.COUNT, (ref(0),), BIGINT, distinct=True)
    assert values_over(rows, counted, distinct) == [(0, 1), (2, 2), (2, 2), (3, 3)]


def test_the_last_hour_of_orders_is_closed_at_both_ends() -> None:
    """E-96: at 10:00 the hour holds the row of 9:00."""
    times = ("09:00:00", "09:30:00", "10:00:00", "10:00:00.001")
    rows: list[Row] = [(ts(each), 1) for each in times]
    hour = Frame(back(span_of("1", TimeUnit.HOUR)), PEERS)
    total = function(AggregateFunction.COUNT)
    order = (ascending(ref(0, TIMESTAMP)),)
    assert values_over(rows, total, frame=hour, order=order) == [(1,), (2,), (3,), (3,)]


def test_groups_of_windows_append_in_order() -> None:
    first = WindowGroup((), (ascending(ref(0)),), RUNNING, (function(W.ROW_NUMBER),))
    second = WindowGroup((), (descending(ref(0)),), RUNNING, (function(W.ROW_NUMBER),))
    assert window([(1,), (2,)], [first, second], ENV) == [(1, 1, 2), (2, 2, 1)]
    assert window([], [first, second], ENV) == []


def test_interval_keys_move_by_intervals() -> None:
    key = ascending(ref(0, interval(TimeUnit.MONTH)))
    assert frames([1, 2, 4], key, back(span_of("1", TimeUnit.MONTH)), PEERS) == [[1], [1, 2], [4]]
