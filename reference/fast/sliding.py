"""Fast OVER: one pass over a partition finds all frames, and aggregates slide along them.

To slide is to add the rows that enter the frame and to remove those that leave it.
"""

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import pairwise
from typing import Protocol, TypeAlias

from algebra.expression import AggregateFunction, SortKey, Value, WindowCall, WindowFunction
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
from grammar.source import SqlError, located
from reference.environment import Environment
from reference.relation import Relation, Row, identity_of
from reference.relational.frames import Partition, axis, moved
from reference.relational.windows import call_value
from reference.scalar.expression import row_of, truth_of
from reference.scalar.sums import RunningSum, new_sum
from reference.values import compare, is_nan

#: The places of the rows in a frame.
Places: TypeAlias = Sequence[int]


def window_columns(
    rows: Relation, orders: Relation, group: WindowGroup, env: Environment
) -> list[list[Value]]:
    """As `reference.relational.windows.window_columns`; one pass over the rows finds all frames."""
    partition = Partition(tuple(rows), tuple(orders), group.order)
    peers = peers_of(orders)
    all_frames = frames(partition, group.frame, peers)

    def column_of(call: WindowCall) -> list[Value]:
        """The value of ``call`` for each row."""
        is_aggregate = isinstance(call.function, AggregateFunction)
        try:
            found = values(call, partition, all_frames, peers, env)
        except SqlError as error:
            raise located(error, call.location) from None
        if found is not None:
            return found
        column: list[Value] = []
        for at, frame in enumerate(all_frames):
            # The value of an aggregate depends only on its frame.
            has_same = at > 0 and is_aggregate and frame == all_frames[at - 1]
            column.append(column[-1] if has_same else call_value(call, partition, at, frame, env))
        return column

    return [column_of(call) for call in group.calls]


@dataclass(frozen=True, slots=True)
class Peers:
    """The groups of peers of a partition, numbered from 0.

    ``group`` has the group of each row.  ``starts`` has the place of the first row of each group,
    and then the number of rows.
    """

    group: Sequence[int]
    starts: Sequence[int]

    def start(self, place: int) -> int:
        """The place of the first peer of the row at ``place``."""
        return self.starts[self.group[place]]

    def stop(self, place: int) -> int:
        """The place after the last peer of the row at ``place``."""
        return self.starts[self.group[place] + 1]


def peers_of(orders: Sequence[Row]) -> Peers:
    """The groups of rows with equal sort keys, of rows that are sorted by these keys."""
    identities = list(map(identity_of, orders))
    starts = [0] if identities else []
    starts += [place for place, (a, b) in enumerate(pairwise(identities), 1) if a != b]
    starts.append(len(identities))
    sizes = [stop - start for start, stop in pairwise(starts)]
    return Peers([each for each, size in enumerate(sizes) for _ in range(size)], starts)


# --- frames -------------------------------------------------------------------------------------


def frames(partition: Partition, frame: Frame, peers: Peers) -> list[Places]:
    """The frame of every row: ``partition.frame(place, frame)`` for every place."""
    count = len(partition.rows)
    starts = _starts(partition, frame.start, peers)
    stops = _stops(partition, frame.end, peers)
    if frame.exclude is not Exclude.NO_OTHERS or starts is None or stops is None:
        return [partition.frame(place, frame) for place in range(count)]
    return [
        range(max(start, 0), min(stop, count)) for start, stop in zip(starts, stops, strict=True)
    ]


def _starts(partition: Partition, bound: FrameBound, peers: Peers) -> Sequence[int] | None:
    """For each row the place of the first row at or after ``bound``; None without a fast form.

    The numbers of a `RowOffset` and of a `GroupOffset` are negative for PRECEDING, so they are
    added in both directions.  RANGE with the distance 0, or without ORDER BY, means the peers.
    """
    count = len(partition.rows)
    match bound:
        case Unbounded():
            return [0] * count
        case RowOffset(rows):
            return range(rows, count + rows)
        case GroupOffset(groups):
            return [peers.starts[_clamped(each + groups, peers)] for each in peers.group]
        case RangeOffset(distance) if distance.value == 0 or not partition.keys:
            return [peers.start(place) for place in range(count)]
        case RangeOffset():
            return _search_places(partition, bound, before=True)


def _stops(partition: Partition, bound: FrameBound, peers: Peers) -> Sequence[int] | None:
    """For each row the place after the last row at or before ``bound``; None without a fast form.

    The cases are those of `_starts`.
    """
    count = len(partition.rows)
    match bound:
        case Unbounded():
            return [count] * count
        case RowOffset(rows):
            return range(rows + 1, count + rows + 1)
        case GroupOffset(groups):
            return [peers.starts[_clamped(each + groups + 1, peers)] for each in peers.group]
        case RangeOffset(distance) if distance.value == 0 or not partition.keys:
            return [peers.stop(place) for place in range(count)]
        case RangeOffset():
            return _search_places(partition, bound, before=False)


def _clamped(group: int, peers: Peers) -> int:
    """``group``, but at least 0, the first group, and at most the number after the last group."""
    return max(0, min(group, len(peers.starts) - 1))


def _search_places(partition: Partition, bound: RangeOffset, before: bool) -> Sequence[int] | None:
    """For each row, the place in the partition at which its ``bound`` is; None without a fast form.

    The sort keys become points on a line (`axis`), on which they ascend even if the key descends.
    The bound of a row is the point that has the distance of ``bound`` from the row's own point
    (`moved`).  The place is before the rows that are exactly at this point if ``before``, else
    after them.  A partition with a key that is NULL or NaN has no fast form.
    """
    key = partition.keys[0]
    kind, distance = key.expression.type.kind, bound.distance
    if any(each[0] is None or is_nan(each[0]) for each in partition.orders):
        return None
    sign = -1 if bound.preceding != key.descending else 1
    line = [_position_of_key(axis(each[0], kind, distance), key) for each in partition.orders]
    targets = (
        _position_of_key(moved(each[0], kind, distance, sign), key) for each in partition.orders
    )
    if before:
        return [bisect_left(line, target) for target in targets]
    return [bisect_right(line, target) for target in targets]


def _position_of_key(value: Value, key: SortKey) -> int | float | Decimal:
    """``value``, negated if ``key`` descends, so that sorted values ascend."""
    assert isinstance(value, int | float | Decimal), value
    if not key.descending:
        return value
    return value.copy_negate() if isinstance(value, Decimal) else -value


# --- values -------------------------------------------------------------------------------------


def values(
    call: WindowCall,
    partition: Partition,
    all_frames: Sequence[Places],
    peers: Peers,
    env: Environment,
) -> list[Value] | None:
    """The value of one call for each row; None without a fast form."""
    count = len(partition.rows)
    match call.function:
        case WindowFunction.ROW_NUMBER:
            return list(range(1, count + 1))
        case WindowFunction.RANK:
            return [peers.start(place) + 1 for place in range(count)]
        case WindowFunction.DENSE_RANK:
            return [group + 1 for group in peers.group]
        case WindowFunction.CUME_DIST:
            return [peers.stop(place) / count for place in range(count)]
        case WindowFunction.PERCENT_RANK if count > 1:
            return [peers.start(place) / (count - 1) for place in range(count)]
        case _:
            slider = None if call.distinct else _slider(call)
            if slider is None or not _never_move_back(all_frames):
                return None
            return _slide(call, slider, partition, all_frames, env)


def _never_move_back(all_frames: Sequence[Places]) -> bool:
    """Whether all frames are ranges, and neither end moves back from one row to the next."""
    return all(isinstance(each, range) for each in all_frames) and all(
        a.start <= b.start and a.stop <= b.stop
        for a, b in pairwise(each for each in all_frames if isinstance(each, range))
    )


class Slider(Protocol):
    """An aggregate over a sliding range: rows are added at its end and removed at its start."""

    def add(self, value: Value, /) -> None:
        """Add a value at the end."""
        ...

    def remove(self, value: Value, /) -> None:
        """Remove ``value``, which is the value at the start."""
        ...

    def result(self) -> Value:
        """The aggregate over the values of the range."""
        ...


def _slider(call: WindowCall) -> Slider | None:
    """The aggregate of ``call`` over an empty range; None if it cannot slide."""
    match call.function:
        case AggregateFunction.COUNT:
            return Counter()
        case AggregateFunction.SUM:
            return Summer(new_sum(call.arguments[0].type, call.type)(), mean=False)
        case AggregateFunction.AVG:
            return Summer(new_sum(call.arguments[0].type, call.type)(), mean=True)
        case AggregateFunction.MIN:
            return Extreme(1)
        case AggregateFunction.MAX:
            return Extreme(-1)
        case _:
            return None


def _slide(
    call: WindowCall,
    slider: Slider,
    partition: Partition,
    all_frames: Sequence[Places],
    env: Environment,
) -> list[Value]:
    """The result of ``slider`` on the frame of each row, in the order of the rows.

    ``slider`` is the aggregate of ``call`` over no row.  The arguments of ``call`` are evaluated
    only on rows that are in a frame.
    """
    arguments_on = row_of(call.arguments, env)
    chosen = None if call.filter is None else truth_of(call.filter, env)
    inside: deque[tuple[int, Value]] = deque()  # the places and values in the slider
    following = 0  # the place of the next row that can enter
    results: list[Value] = []
    for each in all_frames:
        assert isinstance(each, range), each
        while inside and inside[0][0] < each.start:
            slider.remove(inside.popleft()[1])
        following = max(following, each.start)
        while following < each.stop:
            row = partition.rows[following]
            if chosen is None or chosen(row):
                arguments = arguments_on(row)
                if None not in arguments:
                    value = arguments[0] if arguments else True  # COUNT(*) has no argument
                    slider.add(value)
                    inside.append((following, value))
            following += 1
        results.append(slider.result())
    return results


@dataclass(slots=True)
class Counter:
    """COUNT."""

    count: int = 0

    def add(self, _value: Value) -> None:
        """Count a value."""
        self.count += 1

    def remove(self, _value: Value) -> None:
        """Uncount a value."""
        self.count -= 1

    def result(self) -> Value:
        """The number of values."""
        return self.count


@dataclass(slots=True)
class Summer:
    """SUM, or AVG (``mean``), rounded only in the result."""

    sum: RunningSum
    mean: bool

    def add(self, value: Value) -> None:
        """Add a value to the sum."""
        self.sum.add(value)

    def remove(self, value: Value) -> None:
        """Subtract a value from the sum."""
        self.sum.add(value, -1)

    def result(self) -> Value:
        """The sum, or the mean; NULL for an empty range."""
        return self.sum.result(self.mean)


@dataclass(slots=True)
class Extreme:
    """MIN (``sign`` 1) or MAX (-1) over a sliding range.

    ``candidates`` has the values that can still become the result, each with the number of all
    values that were added before it.  For MIN they ascend, for MAX they descend.
    """

    sign: int
    added: int = 0
    removed: int = 0
    candidates: deque[tuple[int, Value]] = field(default_factory=deque[tuple[int, Value]])

    def add(self, value: Value) -> None:
        """Add a value; for MIN, greater values before it can never be the result again."""
        while self.candidates and self.sign * compare(self.candidates[-1][1], value) > 0:
            self.candidates.pop()
        self.candidates.append((self.added, value))
        self.added += 1

    def remove(self, _value: Value) -> None:
        """Remove the first value."""
        self.removed += 1
        if self.candidates[0][0] < self.removed:
            self.candidates.popleft()

    def result(self) -> Value:
        """The first of the least values, for MAX of the greatest; NULL for an empty range."""
        return self.candidates[0][1] if self.candidates else None
