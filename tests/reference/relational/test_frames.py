"""GROUPS and EXCLUDE: frames by groups of peers, and rows taken out of frames."""

from collections.abc import Sequence
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algebra.expression import (
    AggregateFunction,
    Expression,
    SortKey,
    Value,
    WindowCall,
    WindowFunction,
)
from algebra.plan import (
    Exclude,
    Frame,
    FrameBound,
    GroupOffset,
    RangeOffset,
    RowOffset,
    Unbounded,
    WindowGroup,
)
from algebra.types import BIGINT, INTEGER, VARCHAR
from reference.relational.frames import Partition
from reference.relational.windows import window
from tests.reference.building import ENV, ascending, descending, literal, ref

W = WindowFunction
UP, DOWN = ascending(ref(0)), descending(ref(0))
START, END = Unbounded(), Unbounded()


def frames(values: Sequence[Value], key: SortKey, frame: Frame) -> list[list[int]]:
    """The places in each row's frame, of a column that is its own sort key; it is sorted."""
    rows = tuple((each,) for each in values)
    partition = Partition(rows, rows, (key,))
    return [list(partition.frame(at, frame)) for at in range(len(values))]


def groups(start: int | None, end: int | None) -> Frame:
    """A GROUPS frame; None is unbounded."""
    return Frame(
        START if start is None else GroupOffset(start), END if end is None else GroupOffset(end)
    )


GroupsCase: TypeAlias = tuple[SortKey, list[Value], Frame, list[list[int]]]
#: Groups of peers: {0}, {1, 2}, {3}, {4, 5}.
TIED: list[Value] = [1, 2, 2, 5, 9, 9]
FALLING: list[Value] = [None, None, 2, 2, 1]
GROUPS: list[GroupsCase] = [
    (UP, TIED, groups(0, 0), [[0], [1, 2], [1, 2], [3], [4, 5], [4, 5]]),
    (UP, TIED, groups(-1, 0),
     [[0], [0, 1, 2], [0, 1, 2], [1, 2, 3], [3, 4, 5], [3, 4, 5]]),
    (UP, TIED, groups(1, 1), [[1, 2], [3], [3], [4, 5], [], []]),
    (UP, TIED, groups(-1, -1), [[], [0], [0], [1, 2], [3], [3]]),
    (UP, TIED, groups(None, -2), [[], [], [], [0], [0, 1, 2], [0, 1, 2]]),
    (UP, TIED, groups(2, None), [[3, 4, 5], [4, 5], [4, 5], [], [], []]),
    (UP, TIED, groups(-9, 9), [[0, 1, 2, 3, 4, 5]] * 6),
    (UP, TIED, groups(1, -1), [[]] * 6),
    # the NULLs are one group
    (DOWN, FALLING, groups(-1, 0), [[0, 1], [0, 1], [0, 1, 2, 3], [0, 1, 2, 3], [2, 3, 4]]),
    (UP, [1, None, None], groups(0, 1), [[0, 1, 2], [1, 2], [1, 2]]),
    # ends of two kinds
    (UP, TIED, Frame(GroupOffset(-1), RowOffset(0)),
     [[0], [0, 1], [0, 1, 2], [1, 2, 3], [3, 4], [3, 4, 5]]),
    (UP, TIED, Frame(RangeOffset(literal(3), preceding=True), GroupOffset(1)),
     [[0, 1, 2], [0, 1, 2, 3], [0, 1, 2, 3], [1, 2, 3, 4, 5], [4, 5], [4, 5]]),
]  # fmt: skip


@pytest.mark.parametrize(("key", "values", "frame", "expected"), GROUPS)
def test_groups_frames(
    key: SortKey, values: list[Value], frame: Frame, expected: list[list[int]]
) -> None:
    assert frames(values, key, frame) == expected


def test_groups_are_of_peers_by_the_whole_key() -> None:
    orders: tuple[tuple[Value, ...], ...] = ((1, "a"), (1, "b"), (1, "b"), (2, "a"))
    two_keys = Partition(orders, orders, (UP, ascending(ref(1, VARCHAR))))
    assert [list(two_keys.frame(at, groups(-1, 0))) for at in range(4)] == [
        [0], [0, 1, 2], [0, 1, 2], [1, 2, 3],
    ]  # fmt: skip


def test_without_an_order_all_rows_are_one_group() -> None:
    partition = Partition(((1,), (2,)), ((), ()), ())
    assert list(partition.frame(0, groups(0, 0))) == [0, 1]
    assert list(partition.frame(0, groups(1, None))) == []


# --- EXCLUDE ------------------------------------------------------------------------------------

EXCLUDED: list[tuple[Exclude, Frame, list[list[int]]]] = [
    (Exclude.NO_OTHERS, Frame(START, END), [[0, 1, 2, 3]] * 4),
    (Exclude.CURRENT_ROW, Frame(START, END), [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]]),
    (Exclude.GROUP, Frame(START, END), [[1, 2, 3], [0, 3], [0, 3], [0, 1, 2]]),
    (Exclude.TIES, Frame(START, END), [[0, 1, 2, 3], [0, 1, 3], [0, 2, 3], [0, 1, 2, 3]]),
    # what is not in the frame does not come in
    (Exclude.TIES, Frame(RowOffset(1), RowOffset(2)), [[1, 2], [3], [3], []]),
    (Exclude.TIES, Frame(RowOffset(-1), RowOffset(-1)), [[], [0], [], [2]]),
    (Exclude.CURRENT_ROW, Frame(RowOffset(1), RowOffset(1)), [[1], [2], [3], []]),
    (Exclude.GROUP, Frame(GroupOffset(-1), GroupOffset(0)), [[], [0], [0], [1, 2]]),
]


@pytest.mark.parametrize(("exclude", "frame", "expected"), EXCLUDED)
def test_exclude(exclude: Exclude, frame: Frame, expected: list[list[int]]) -> None:
    assert frames([1, 2, 2, 3], UP, Frame(frame.start, frame.end, exclude)) == expected


bounds = st.one_of(
    st.just(Unbounded()),
    st.integers(-3, 3).map(RowOffset),
    st.integers(-3, 3).map(GroupOffset),
    st.builds(RangeOffset, st.integers(0, 3).map(literal), st.booleans()),
)
cells = st.lists(st.one_of(st.none(), st.integers(0, 4)), max_size=7)


@given(cells, st.booleans(), bounds, bounds, st.sampled_from(Exclude))
def test_exclude_is_a_difference_of_sets_in_the_frames_order(
    values: list[int | None],
    falling: bool,
    start: FrameBound,
    end: FrameBound,
    exclude: Exclude,
) -> None:
    numbers = sorted((v for v in values if v is not None), reverse=falling)
    nulls = [None] * values.count(None)
    keys: list[Value] = [*nulls, *numbers] if falling else [*numbers, *nulls]
    key = DOWN if falling else UP
    whole = frames(keys, key, Frame(start, end))
    for at, places in enumerate(frames(keys, key, Frame(start, end, exclude))):
        peers = {place for place, value in enumerate(keys) if value == keys[at]}
        out = {
            Exclude.NO_OTHERS: set[int](),
            Exclude.CURRENT_ROW: {at},
            Exclude.GROUP: peers,
            Exclude.TIES: peers - {at},
        }
        assert places == [each for each in whole[at] if each not in out[exclude]]


# --- functions of such frames -------------------------------------------------------------------


def over(
    function: WindowFunction | AggregateFunction,
    *arguments: Expression,
    frame: Frame,
    distinct: bool = False,
    ignore_nulls: bool = False,
) -> list[Value]:
    """The values of a function of the rows below, ordered by their first column."""
    rows: list[tuple[Value, ...]] = [(1, 10), (2, None), (2, 20), (3, 20), (4, None)]
    call = WindowCall(function, arguments, BIGINT, distinct=distinct, ignore_nulls=ignore_nulls)
    return [value for *_, value in window(rows, [WindowGroup((), (UP,), frame, (call,))], ENV)]


def test_aggregates_are_of_what_exclude_leaves() -> None:
    others = Frame(START, END, Exclude.CURRENT_ROW)
    value = ref(1)
    assert over(AggregateFunction.COUNT, frame=others) == [4] * 5
    assert over(AggregateFunction.SUM, value, frame=others) == [40, 50, 30, 30, 50]
    assert over(AggregateFunction.SUM, value, frame=others, distinct=True) == [20, 30, 30, 30, 30]
    alone = Frame(GroupOffset(0), GroupOffset(0), Exclude.GROUP)
    assert over(AggregateFunction.COUNT, frame=alone) == [0] * 5
    assert over(AggregateFunction.SUM, value, frame=alone) == [None] * 5


def test_first_last_and_nth_value_are_of_what_exclude_leaves() -> None:
    others = Frame(START, END, Exclude.GROUP)
    value = ref(1, INTEGER)
    assert over(W.FIRST_VALUE, value, frame=others) == [None, 10, 10, 10, 10]
    assert over(W.LAST_VALUE, value, frame=others) == [None, None, None, None, 20]
    assert over(W.NTH_VALUE, value, literal(2), frame=others) == [20, 20, 20, None, None]
    assert over(W.FIRST_VALUE, value, frame=others, ignore_nulls=True) == [20, 10, 10, 10, 10]
    assert over(W.LAST_VALUE, value, frame=others, ignore_nulls=True) == [20, 20, 20, 20, 20]


def test_ranks_and_neighbours_do_not_see_the_frame() -> None:
    nothing = Frame(RowOffset(1), RowOffset(0), Exclude.GROUP)
    assert over(W.RANK, frame=nothing) == [1, 2, 2, 4, 5]
    assert over(W.LAG, ref(0), frame=nothing) == [None, 1, 2, 2, 3]
