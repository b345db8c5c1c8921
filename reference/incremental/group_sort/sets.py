"""UNION, INTERSECT and EXCEPT of streams: groups of equal rows, emitted on completion (S-502).

A train is a batch of rows with the bounds of all later rows.  A port is the number of an input.
"""

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import count
from math import inf

from algebra.monotonicity.progress import Bound, Bounds, passed, weaker
from reference.incremental.emission_queue import EmissionQueue
from reference.incremental.group_sort.aggregate import Group, GroupingSet, Identity, stamp
from reference.incremental.lazy_min_heap import LazyMinHeap
from reference.incremental.merge import least
from reference.incremental.operator import State
from reference.incremental.train import ENDED, NOTHING_KNOWN, Shape, Train, nothing
from reference.relation import Row
from reference.snapshot import stateful
from reference.values import integer


@stateful
class RequiredInputs(Enum):
    """The inputs that must contain a row of a group before the group can be emitted."""

    NONE = "UNION"
    EVERY = "INTERSECT"
    FIRST = "EXCEPT"


@stateful
@dataclass(slots=True, eq=False)
class _Open:
    """A group that may still be emitted, until it is ``expired``.

    ``excluded`` decides whether the group can no longer be emitted.
    """

    group: Group
    excluded: Callable[[Group], bool]
    complete: bool = False

    @property
    def expired(self) -> bool:
        """Whether the group is complete, or can no longer be emitted."""
        return self.complete or self.excluded(self.group)


@stateful
class SetOperation:
    """Emits each group of equal rows, once or several times, when the group is complete.

    A group is complete when the least of the inputs' bounds has passed it.  The output's bounds are
    those of the required inputs, weakened so that they hold for the open groups, too.

    - ``inputs`` is the number of inputs.
    - ``same`` computes the identity of a row, which is the same for equal rows.
    - ``groups`` has the open groups, and counts the rows of each by one measure for each input.
    - ``multiplicity`` maps these numbers, which may be infinite, to the number of output rows.
    - ``bounded`` has the places of the columns that have bounds, each with whether it descends.  If
      the rowtime is implicit (``shape.hidden``), its place is one more of them: ``shape.width``,
      which then equals ``shape.time``.

    Defines: S-502.d, S-502.j, S-502.k
    """

    def __init__(
        self,
        shape: Shape,
        inputs: int,
        same: Callable[[Row], Identity],
        groups: GroupingSet,
        multiplicity: Callable[[Sequence[float]], float],
        required_inputs: RequiredInputs,
        bounded: Sequence[tuple[int, bool]],
    ) -> None:
        self.shape = shape
        self._reported = [nothing(shape)] * inputs
        self._same = same
        self._groups = groups
        self._multiplicity = multiplicity
        self._required_inputs = required_inputs
        self._bounded = bounded
        # The implicit rowtime is not a key.  It grows with each row of a group, so its bound does
        # not complete groups, and `_lowered_to_open` treats it separately.
        self._columns = [each for each in bounded if each[0] < shape.width]
        self._heaps = {column: LazyMinHeap(descending) for column, descending in self._columns}
        self._open: dict[int, _Open] = {}
        self._queue = EmissionQueue(shape)
        self._arrival = count()

    def take(self, train: Train, port: int = 0) -> Train:
        """The rows of complete groups, as soon as no row with a smaller rowtime can be added."""
        self._reported[port] = train.bounds
        for row in train.rows:
            keys = row[: self.shape.width]
            group = self._groups.group(self._same(keys), keys, self._arrival)
            if group.arrival not in self._open:
                self._begin(group)
            group.accumulators[port].add([row])
            group.time = max(group.time, self.shape.time_of(row))
        for group in self._groups.completed(self._least(self._reported)):
            self._open.pop(group.arrival).complete = True
            numbers = [integer(each.result()) for each in group.accumulators]
            # A row with an implicit rowtime has this value after its columns.
            row = (*group.keys, stamp(group.time)) if self.shape.hidden else group.keys
            for _ in range(int(self._multiplicity(numbers))):
                self._queue.put(row)
        bounds = self._lowered_to_open(self._of_new_groups())
        return Train(
            self._queue.release(self.shape.time_bound(bounds)), self._lowered_to_pending(bounds)
        )

    def _begin(self, group: Group) -> None:
        """Track a new group, which may be emitted while it is open."""
        opened = self._open[group.arrival] = _Open(group, self._excluded)
        for column, heap in self._heaps.items():
            heap.add(group.keys[column], opened)

    def fresh_part(self) -> _Open:
        """An empty group, which a snapshot fills."""
        return _Open(self._groups.fresh_part(), self._excluded)

    def _excluded(self, group: Group) -> bool:
        """Whether the group cannot be emitted, whatever rows the required inputs add.

        Defines: S-502.i, S-502.n, S-502.o
        """
        open_inputs = {port for port in self._required() if not self._has_passed(group, port)}
        return not self._greatest_multiplicity(group, open_inputs)

    def _earliest(self, group: Group) -> float:
        """The least rowtime that a group can have when it is emitted; ENDED if it never is.

        It is at least the bound of each input from which the group still needs a row.

        Defines: S-502.h
        """
        if self._excluded(group):
            return ENDED
        required = set(self._required())
        awaited = (
            self.shape.time_bound(self._reported[port])
            for port in required
            if not self._greatest_multiplicity(group, required - {port})
        )
        # NOTHING_KNOWN is below all times; without it, `max` could have one argument only.
        return max(group.time, *awaited, NOTHING_KNOWN)

    def _greatest_multiplicity(self, group: Group, more: Container[int]) -> float:
        """How often a group is emitted if the inputs ``more`` add infinitely many rows to it."""
        numbers = (integer(each.result()) for each in group.accumulators)
        return self._multiplicity([inf if i in more else n for i, n in enumerate(numbers)])

    def _required(self) -> Sequence[int]:
        """The numbers of the required inputs (`RequiredInputs`)."""
        match self._required_inputs:
            case RequiredInputs.NONE:
                return ()
            case RequiredInputs.EVERY:
                return range(len(self._reported))
            case RequiredInputs.FIRST:
                return (0,)

    def _has_passed(self, group: Group, port: int) -> bool:
        """Whether the bounds of input ``port`` have passed the group: it adds no row to it."""
        reported = self._reported[port]
        return reported.ended or any(
            passed(group.keys[i], reported.columns[i], descending)
            for i, descending in self._columns
        )

    # --- what is known --------------------------------------------------------------------------

    def _of_new_groups(self) -> Bounds:
        """The bounds of the rows of groups that open later.

        Defines: S-502.g, S-502.m
        """
        required = [self._reported[port] for port in self._required()]
        return self._greatest(required) if required else self._least(self._reported)

    def _least(self, inputs: Sequence[Bounds]) -> Bounds:
        """The bounds of rows that may arrive in any of these inputs."""
        return least(inputs, self.shape, self._bounded)

    def _greatest(self, inputs: Sequence[Bounds]) -> Bounds:
        """The bounds of rows that must arrive in each of these inputs.

        A group has the greatest rowtime of its rows, so its implicit rowtime is also at or after
        the bound of each input.
        """
        columns: list[Bound | None] = [None] * self.shape.values
        if any(each.ended for each in inputs):
            return Bounds(tuple(columns), ended=True)
        for column, descending in self._bounded:
            for each in inputs:
                columns[column] = _stronger(columns[column], each.columns[column], descending)
        return Bounds(tuple(columns))

    def _lowered_to_open(self, bounds: Bounds) -> Bounds:
        """``bounds``, weakened so that they hold for the open groups, too.

        An implicit rowtime of an open group can only grow.
        """
        columns = list(bounds.columns)
        is_open = False
        for column, descending in self._columns:
            first = self._heaps[column].first()
            if first is not None:
                is_open = True
                of_open = first if first.value is not None else None
                limit = columns[column]
                columns[column] = of_open if bounds.ended else weaker(limit, of_open, descending)
        # The bound of the implicit rowtime is the least that a new or an open group can have.
        if self.shape.hidden and (is_open or not bounds.ended):
            time_bound = min(self.shape.time_bound(bounds), self._groups.least_time(self._earliest))
            columns[self.shape.time] = (
                None if time_bound == NOTHING_KNOWN else Bound(int(time_bound))
            )
        return Bounds(tuple(columns), bounds.ended and not is_open)

    def _lowered_to_pending(self, bounds: Bounds) -> Bounds:
        """``bounds``, weakened so that they hold for the pending rows, too.

        The bound of the rowtime stays: a row is pending only until this bound releases it.
        """
        columns = list(bounds.columns)
        for column, descending in self._columns:
            if column != self.shape.time:
                columns[column] = self._queue.lowered(column, columns[column], descending)
        return Bounds(tuple(columns), bounds.ended)

    def state(self) -> State:
        """The open groups, and the pending rows of complete ones."""
        groups = self._groups.groups.values()
        retained = State(groups=len(groups), retained=lambda: [each.keys for each in groups])
        return retained + self._queue.state()


def _stronger(a: Bound | None, b: Bound | None, descending: bool) -> Bound | None:
    """The stronger of two bounds of the same rows; None is weaker than any bound."""
    # If the weaker bound is ``a``, the stronger one is ``b``.
    return b if weaker(a, b, descending) is a else a
