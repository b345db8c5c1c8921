"""The fast forms of windows say what the definitions say row by row (S-203, S-505, S-506)."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algebra.expression import AggregateFunction, Op, SortKey, Value, WindowCall, WindowFunction
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
from algebra.types import BIGINT, BOOLEAN, DATE, DOUBLE, INTEGER, TIMESTAMP, Type, decimal, interval
from grammar.tree import TimeUnit
from reference.fast import sliding
from reference.fast.sort_keys import in_order
from reference.relational import windows
from reference.relational.frames import Partition
from reference.relational.windows import call_value
from tests.reference.building import ENV, call, literal, ref

DAY = literal(86_400_000, interval(TimeUnit.DAY))
MONTH = literal(1, interval(TimeUnit.MONTH))
#: Types of a sort key, its values, and distances along it.
KEYS: dict[str, tuple[Type, st.SearchStrategy[Value], tuple[Value, ...], Type]] = {
    "integer": (INTEGER, st.integers(-5, 5), (0, 1, 3), INTEGER),
    "double": (
        DOUBLE,
        st.sampled_from([-0.0, 0.0, 0.1, 1.5, float("nan"), float("inf")]),
        (0, 2),
        INTEGER,
    ),
    "decimal": (
        decimal(5, 2),
        st.integers(-300, 300).map(lambda n: Decimal(n).scaleb(-2)),
        (Decimal("0.05"),),
        decimal(5, 2),
    ),
    "date and hours": (DATE, st.integers(-3, 3), (86_400_000, 3_600_000), interval(TimeUnit.HOUR)),
    "timestamp and months": (
        TIMESTAMP,
        st.integers(0, 100).map(lambda n: n * 86_400_000),
        (1, 2),
        interval(TimeUnit.MONTH),
    ),
}


@st.composite
def partitions(draw: st.DrawFn) -> tuple[Partition, list[FrameBound]]:
    """A sorted partition of (key, number, double, chosen), and bounds that its frames may have."""
    type, values, distances, distance_type = KEYS[draw(st.sampled_from(sorted(KEYS)))]
    nulls = draw(st.booleans())
    key = SortKey(ref(0, type), draw(st.booleans()), draw(st.booleans()))
    rows = draw(
        st.lists(
            st.tuples(
                st.none() | values if nulls else values,
                st.none() | st.integers(-9, 9),
                st.none() | st.floats(),
                st.sampled_from([True, False, None]),
            ),
            max_size=12,
        )
    )
    ordered = in_order((((row[0],), row) for row in rows), (key,))
    bounds: list[FrameBound] = [Unbounded()]
    bounds += [RowOffset(n) for n in (-2, -1, 0, 1, 3)]
    bounds += [GroupOffset(n) for n in (-2, -1, 0, 1, 3)]
    bounds += [
        RangeOffset(literal(d, distance_type), preceding)
        for d in distances
        for preceding in (True, False)
    ]
    partition = Partition(
        tuple(row for _, row in ordered), tuple(order for order, _ in ordered), (key,)
    )
    return partition, bounds


@given(partitions(), st.data())
def test_frames_of_a_partition_are_those_of_its_rows(
    given: tuple[Partition, list[FrameBound]], data: st.DataObject
) -> None:
    partition, bounds = given
    start, end = data.draw(st.sampled_from(bounds)), data.draw(st.sampled_from(bounds))
    frame = Frame(start, end, data.draw(st.sampled_from(Exclude)))
    found = sliding.frames(partition, frame, sliding.peers_of(partition.orders))
    assert [list(each) for each in found] == [
        list(partition.frame(place, frame)) for place in range(len(partition.rows))
    ]


CALLS = [
    WindowCall(AggregateFunction.COUNT, (), BIGINT),
    *(
        WindowCall(function, (ref(place, type),), result)
        for function in (
            AggregateFunction.COUNT,
            AggregateFunction.SUM,
            AggregateFunction.AVG,
            AggregateFunction.MIN,
            AggregateFunction.MAX,
        )
        for place, type, result in ((1, INTEGER, INTEGER), (2, DOUBLE, DOUBLE))
    ),
    *(
        WindowCall(function, (), BIGINT)
        for function in (
            WindowFunction.ROW_NUMBER,
            WindowFunction.RANK,
            WindowFunction.DENSE_RANK,
            WindowFunction.PERCENT_RANK,
            WindowFunction.CUME_DIST,
        )
    ),
]


@pytest.mark.parametrize("filtered", [False, True])
@pytest.mark.parametrize("window_call", CALLS, ids=lambda c: f"{c.function}{len(c.arguments)}")
@given(given=partitions(), data=st.data())
def test_values_that_slide_are_those_of_each_frame(
    window_call: WindowCall,
    filtered: bool,
    given: tuple[Partition, list[FrameBound]],
    data: st.DataObject,
) -> None:
    partition, bounds = given
    if filtered and isinstance(window_call.function, AggregateFunction):
        window_call = replace(window_call, filter=call(Op.IS_TRUE, BOOLEAN, ref(3, BOOLEAN)))
    frame = Frame(data.draw(st.sampled_from(bounds)), data.draw(st.sampled_from(bounds)))
    peers = sliding.peers_of(partition.orders)
    frames = sliding.frames(partition, frame, peers)
    found = sliding.values(window_call, partition, frames, peers, ENV)
    expected = [call_value(window_call, partition, at, f, ENV) for at, f in enumerate(frames)]
    assert found is None or same(found, expected)


@given(given=partitions(), data=st.data())
def test_an_aggregate_that_does_not_slide_has_the_value_of_each_frame(
    given: tuple[Partition, list[FrameBound]], data: st.DataObject
) -> None:
    """Several rows may have one frame, and so one value."""
    partition, bounds = given
    frame = Frame(data.draw(st.sampled_from(bounds)), data.draw(st.sampled_from(bounds)))
    median = WindowCall(AggregateFunction.MEDIAN, (ref(1, INTEGER),), DOUBLE)
    first = WindowCall(WindowFunction.LAG, (ref(1, INTEGER),), INTEGER)
    group = WindowGroup((), partition.keys, frame, (median, first))
    rows, orders = partition.rows, partition.orders
    found = sliding.window_columns(rows, orders, group, ENV)
    expected = windows.window_columns(rows, orders, group, ENV)
    assert all(same(*columns) for columns in zip(found, expected, strict=True))


def same(found: Sequence[Value], expected: Sequence[Value]) -> bool:
    """Equal to the bit, NaN and the zeros too."""
    return list(map(repr, found)) == list(map(repr, expected))


def test_frames_that_slide_have_sums_that_slide() -> None:
    """Without this the law above could hold because nothing ever slides."""
    rows = tuple((n, n, 0.1, True) for n in range(5))
    partition = Partition(rows, tuple((n,) for n in range(5)), (SortKey(ref(0), False, False),))
    peers = sliding.peers_of(partition.orders)
    frames = sliding.frames(partition, Frame(RowOffset(-1), RowOffset(0)), peers)
    for window_call in CALLS:
        assert sliding.values(window_call, partition, frames, peers, ENV) is not None
