"""GROUP BY over a stream: a group is emitted once, when its monotonic key has passed (S-503)."""

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

#: What stands for the keys of a group: equal for rows of one group.
Identity: TypeAlias = tuple[object, ...]


@stateful
@dataclass(slots=True)
class Group:
    """An open group: its keys, the number of groups opened before it, and its accumulators.

    ``time`` is the greatest rowtime of its rows.

    Defines: S-503.h
    """

    keys: Row
    arrival: int
    accumulators: tuple[Accumulator, ...]
    time: float = NOTHING_KNOWN

    def add(self, rows: Relation, time: float) -> None:
        """Add rows, the greatest rowtime of which is ``time``."""
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

    ``places`` are the places of its keys among all ``width`` keys; ``progress`` has the place of
    each key that makes progress. ``hidden``: the output's rowtime is implicit, so the times of open
    groups count.
    """

    width: int
    places: frozenset[int]
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
        """The keys as this set shows them: NULL for a key that is not in the set."""
        if len(self.places) == self.width:
            return keys
        return tuple([key if place in self.places else None for place, key in enumerate(keys)])

    def group(self, identity: Identity, keys: Row, arrival: Iterator[int]) -> Group:
        """The group of these keys, opened if it does not exist."""
        found = self.groups.get(identity)
        if found is None:
            found = self._begun(keys, next(arrival))
            self.groups[identity] = found
            if self.hidden:
                heappush(self._times, (NOTHING_KNOWN, found.arrival, identity))
            for runs, (place, _) in zip(self.runs, self.progress, strict=True):
                runs.put(keys[place], identity)
        return found

    def _begun(self, keys: Row, arrival: int) -> Group:
        return Group(keys, arrival, tuple([new() for new in self.measures]))

    def fresh_part(self) -> Group:
        """A group without rows, for what a snapshot has of one."""
        return self._begun((), 0)

    def least_time(self, least: Callable[[Group], float] = lambda group: group.time) -> float:
        """The least rowtime that the row of an open group may have; ENDED without open groups.

        ``least`` gives that of one group, ENDED for a group that will emit no row; it only grows,
        so that the heap is corrected from the top.
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
        """The complete groups, taken out: by their monotonic key, then as they opened.

        A group is complete when any of its monotonic keys has passed (S-405).

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
        if not done:
            return done
        return in_turn(done, *self.progress[0])


def in_turn(groups: list[Group], place: int, progress: ExpressionProgress) -> list[Group]:
    """Groups by the key at ``place``, in its direction, and then in the order in which they opened.

    Defines: S-503.f
    """
    ordered: Runs[Group] = Runs(progress.descending)
    for group in sorted(groups, key=lambda group: group.arrival):
        ordered.put(group.keys[place], group)
    return [group for run in ordered.all() for group in run]


@stateful
class Aggregate:
    """The operator GROUP BY: one row for each group, when the group is complete.

    ``keys_on`` gives the values of all keys, ``same`` the identity by which rows belong to one
    group. ``limits`` are the bounds of the output's columns, None where not requested. The output's
    rowtime is a key of every grouping set, or else implicit: that of the group's last row.

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
        bounded_columns: Sequence[bool],
    ) -> None:
        self.shape = shape
        self._input = input
        self._keys_on = keys_on
        self._same = same
        self._sets = sets
        self._limits = limits
        self._descending = bounded_columns
        self._queue = EmissionQueue(shape)
        self._arrival = count()
        places = [{place for place, _ in each.progress} for each in sets]
        common = (each for each in sets[0].progress if all(each[0] in own for own in places))
        self._common = next(common, None)

    def take(self, train: Train, _port: int = 0) -> Train:
        """The rows of complete groups that no row with a smaller rowtime can follow."""
        if train.rows:
            self._gather(train.rows)
        for group in self._completed(train.bounds):
            row = group.row()
            self._queue.put((*row, stamp(group.time)) if self.shape.hidden else row)
        bounds = self._bounds(train.bounds)
        return Train(
            self._queue.release(self.shape.clock(bounds)), self._lowered_to_pending(bounds)
        )

    def _completed(self, bounds: Bounds) -> list[Group]:
        """The complete groups of all sets, by a monotonic key that all of them have (S-503)."""
        done = [group for each in self._sets for group in each.completed(bounds)]
        if len(self._sets) == 1 or self._common is None:
            return done
        return in_turn(done, *self._common)

    def _gather(self, rows: Relation) -> None:
        """Add each row to its groups."""
        keyed: dict[Row, list[Row]] = defaultdict(list)
        for keys, row in zip(map(self._keys_on, rows), rows, strict=True):
            keyed[keys].append(row)
        for keys, members in keyed.items():
            time = max(map(self._input.time_of, members)) if self.shape.hidden else NOTHING_KNOWN
            for each in self._sets:
                shown = each.shown(keys)
                each.group(self._same(shown), shown, self._arrival).add(members, time)

    def _bounds(self, bounds: Bounds) -> Bounds:
        """The bounds over open groups and groups yet to open.

        None of them has a key that has passed. The implicit rowtime of an open group is at least
        that of its rows so far, that of a new group at least the input's bound.

        Defines: S-503.i
        """
        if bounds.ended:
            return Bounds((None,) * self.shape.values, ended=True)
        limits = [None if each is None else each(bounds) for each in self._limits]
        if self.shape.hidden:
            least = min(self._input.clock(bounds), *(each.least_time() for each in self._sets))
            limits.append(None if least == NOTHING_KNOWN else Bound(int(least)))
        return Bounds(tuple(limits))

    def _lowered_to_pending(self, bounds: Bounds) -> Bounds:
        """The bounds lowered to the pending rows; the end comes after them."""
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
        """The open groups with what they retain, and the pending rows of complete ones."""
        groups = [group for each in self._sets for group in each.groups.values()]
        retained = [each.retained() for group in groups for each in group.accumulators]
        keys = [group.keys for group in groups]
        rows = sum(map(len, retained))
        return State(rows, len(groups), lambda: chain(keys, *retained)) + self._queue.state()


def stamp(time: float) -> Value:
    """A rowtime as the value of an implicit rowtime."""
    return None if time == NOTHING_KNOWN else int(time)
