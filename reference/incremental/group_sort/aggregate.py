"""GROUP BY over a stream: a group is emitted once, when it is complete (S-503).

A train is a batch of rows with the bounds of all later rows.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import chain, count
from typing import TypeAlias

from algebra.expression import Value
from algebra.monotonicity.progress import Bound, Bounds, ExpressionProgress
from reference.incremental.emission_queue import EmissionQueue
from reference.incremental.group_sort.accumulators import Accumulator, NewAccumulator
from reference.incremental.operator import State
from reference.incremental.runs import Runs
from reference.incremental.train import ENDED, NOTHING_KNOWN, Shape, Train
from reference.relation import Relation, Row
from reference.snapshot import stateful

#: A hashable value that is equal for two rows if and only if they belong to the same group.
Identity: TypeAlias = tuple[object, ...]


@stateful
@dataclass(slots=True)
class Group:
    """An open group: its keys, the number of groups opened before it, and its accumulators.

    ``arrival`` is that number.  ``time`` is the greatest rowtime of its rows.

    Defines: S-503.h
    """

    keys: Row
    arrival: int
    accumulators: tuple[Accumulator, ...]
    time: float = NOTHING_KNOWN

    def add(self, rows: Relation, time: float) -> None:
        """Add rows; ``time`` is their greatest rowtime."""
        self.time = max(self.time, time)
        for each in self.accumulators:
            each.add(rows)

    def row(self) -> Row:
        """The output row: keys, then measures."""
        return (*self.keys, *(each.result() for each in self.accumulators))


@stateful
@dataclass(slots=True)
class GroupingSet:
    """The open groups of one grouping set, by their keys and by the keys that make progress.

    A key makes progress if a bound can pass its values.  ``left_out`` are the places of the keys
    that are not in the set.  ``progress`` has the place and the progress of each key that makes
    progress, and ``runs`` has the groups by the values of each such key.  ``hidden``: the output's
    rowtime is implicit, so the rowtimes of open groups are needed; ``_times`` is a heap of them.
    An entry of the heap can be out of date.
    """

    left_out: frozenset[int]
    progress: Sequence[tuple[int, ExpressionProgress]]
    measures: Sequence[NewAccumulator]
    hidden: bool
    groups: dict[Identity, Group] = field(default_factory=dict[Identity, Group])
    runs: Sequence[Runs[Identity]] = field(init=False)
    _times: list[tuple[float, int, Identity]] = field(
        default_factory=list[tuple[float, int, Identity]]
    )

    def __post_init__(self) -> None:
        self.runs = [Runs(each.descending) for _, each in self.progress]

    def shown(self, keys: Row) -> Row:
        """The keys in the output of this set: NULL for a key that is not in the set."""
        return tuple([None if place in self.left_out else key for place, key in enumerate(keys)])

    def group(self, identity: Identity, keys: Row, arrival: Iterator[int]) -> Group:
        """The open group of these keys; a new one with the next ``arrival`` if there is none."""
        found = self.groups.get(identity)
        if found is None:
            found = self._new_group(keys, next(arrival))
            self.groups[identity] = found
            if self.hidden:
                heappush(self._times, (NOTHING_KNOWN, found.arrival, identity))
            for runs, (place, _) in zip(self.runs, self.progress, strict=True):
                runs.put(keys[place], identity)
        return found

    def _new_group(self, keys: Row, arrival: int) -> Group:
        """A group without rows, which is not among ``groups`` yet."""
        return Group(keys, arrival, tuple([new() for new in self.measures]))

    def fresh_part(self) -> Group:
        """An empty group, which a snapshot fills."""
        return self._new_group((), 0)

    def least_time(self, least: Callable[[Group], float] = lambda group: group.time) -> float:
        """The least rowtime with which an open group can be emitted; ENDED without open groups.

        ``least`` returns this rowtime for one group; ENDED if the group will not be emitted.  The
        result of ``least`` for a group never decreases, so only the top of the heap is corrected.
        """
        times = self._times
        while times:
            time, arrival, identity = times[0]
            group = self.groups.get(identity)
            now = ENDED if group is None or group.arrival != arrival else least(group)
            if now == time:
                return time
            heappop(times)
            if now != ENDED:
                heappush(times, (now, arrival, identity))
        return ENDED

    def completed(self, bounds: Bounds) -> list[Group]:
        """Remove and return the complete groups.

        They are in the order of their first monotonic key, then in the order of opening.  A group
        is complete when a bound has passed any of its monotonic keys (S-405).

        Defines: S-503.b
        """
        if bounds.ended:
            done = list(self.groups.values())
            self.groups.clear()
        else:
            passed = [
                identity
                for runs, (_, progress) in zip(self.runs, self.progress, strict=True)
                for run in runs.passed(progress.bound(bounds))
                for identity in run
            ]
            done = [self.groups.pop(each) for each in passed if each in self.groups]
        # Without a monotonic key, groups are only complete at the end, in the order of opening.
        return in_turn(done, *self.progress[0]) if self.progress else done


def in_turn(groups: list[Group], place: int, progress: ExpressionProgress) -> list[Group]:
    """The groups sorted by the key at ``place``, in its direction, then by the order of opening.

    Defines: S-503.f
    """
    ordered: Runs[Group] = Runs(progress.descending)
    for group in sorted(groups, key=lambda group: group.arrival):
        ordered.put(group.keys[place], group)
    return [group for run in ordered.all() for group in run]


@stateful
class Aggregate:
    """The operator GROUP BY: one row for each group, when the group is complete.

    ``shape`` and ``input`` describe the rows of the output and of the input.  ``keys_on`` computes
    the keys of an input row, and ``same`` computes from keys the identity of their group.
    ``limits`` computes the bound of each output column from the bounds of the input, and is None
    for a column whose bound is not requested.  ``descending`` is true for each output column that
    descends.  The output's rowtime is a key of all grouping sets; or it is implicit, and is then
    the rowtime of the group's last row.

    Defines: S-503.d
    """

    def __init__(
        self,
        shape: Shape,
        input: Shape,
        keys_on: Callable[[Row], Row],
        same: Callable[[Row], Identity],
        sets: Sequence[GroupingSet],
        limits: Sequence[Callable[[Bounds], Bound | None] | None],
        descending: Sequence[bool],
    ) -> None:
        self.shape = shape
        self._input = input
        self._keys_on = keys_on
        self._same = same
        self._sets = sets
        self._limits = limits
        self._descending = descending
        self._queue = EmissionQueue(shape)
        self._arrival = count()
        places = [{place for place, _ in each.progress} for each in sets]
        common = (each for each in sets[0].progress if all(each[0] in own for own in places))
        #: The place and the progress of a monotonic key that all sets have; None: there is none.
        self._common = next(common, None)

    def take(self, train: Train, _port: int = 0) -> Train:
        """The rows of complete groups, as soon as no row with a smaller rowtime can be added."""
        if train.rows:
            self._gather(train.rows)
        for group in self._completed(train.bounds):
            row = group.row()
            self._queue.put((*row, stamp(group.time)) if self.shape.hidden else row)
        bounds = self._bounds(train.bounds)
        return Train(
            self._queue.release(self.shape.time_bound(bounds)), self._lowered_to_pending(bounds)
        )

    def _completed(self, bounds: Bounds) -> list[Group]:
        """The complete groups of all sets, sorted by a monotonic key that all sets have (S-503)."""
        done = [group for each in self._sets for group in each.completed(bounds)]
        if len(self._sets) == 1 or self._common is None:  # a set's own groups are in turn already
            return done
        return in_turn(done, *self._common)

    def _gather(self, rows: Relation) -> None:
        """Add each row to its groups."""
        keyed: dict[Row, list[Row]] = defaultdict(list)
        for keys, row in zip(map(self._keys_on, rows), rows, strict=True):
            keyed[keys].append(row)
        for keys, members in keyed.items():
            time = max(map(self._input.time_of, members))
            for each in self._sets:
                shown = each.shown(keys)
                each.group(self._same(shown), shown, self._arrival).add(members, time)

    def _bounds(self, bounds: Bounds) -> Bounds:
        """The bounds that all open and future groups satisfy.

        Their keys have not been passed.  The implicit rowtime of an open group is at least that of
        its rows so far; that of a future group is at least the input's bound.

        Defines: S-503.i
        """
        if bounds.ended:
            return Bounds((None,) * self.shape.values, ended=True)
        limits = [None if each is None else each(bounds) for each in self._limits]
        if self.shape.hidden:
            least = min(self._input.time_bound(bounds), *(each.least_time() for each in self._sets))
            limits.append(None if least == NOTHING_KNOWN else Bound(int(least)))
        return Bounds(tuple(limits))

    def _lowered_to_pending(self, bounds: Bounds) -> Bounds:
        """``bounds``, weakened so that they hold for the pending rows, too."""
        if self._queue.empty:
            return bounds
        columns = [
            limit if column == self.shape.time else self._queue.lowered(column, limit, descending)
            for column, (limit, descending) in enumerate(
                zip(bounds.columns, self._descending, strict=True)
            )
        ]
        return Bounds(tuple(columns), bounds.ended)

    def state(self) -> State:
        """The open groups with their retained rows, and the pending rows of complete groups."""
        groups = [group for each in self._sets for group in each.groups.values()]
        retained = [each.retained() for group in groups for each in group.accumulators]
        keys = [group.keys for group in groups]
        rows = sum(map(len, retained))
        return State(rows, len(groups), lambda: chain(keys, *retained)) + self._queue.state()


def stamp(time: float) -> Value:
    """A rowtime as a value of the implicit rowtime column; NULL if it is not known."""
    return None if time == NOTHING_KNOWN else int(time)
