"""UNION, INTERSECT and EXCEPT of streams: equal rows are reported on completion (S-502)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import count

from algebra.monotonicity.progress import Bound, Bounds, passed, weaker
from reference.incremental.emission_queue import Outlet
from reference.incremental.group_sort.aggregate import Group, GroupingSet, Identity, stamp
from reference.incremental.lazy_min_heap import Foremost
from reference.incremental.merge import least
from reference.incremental.operator import State
from reference.incremental.train import ENDED, NOTHING_KNOWN, Shape, Train, nothing
from reference.relation import Row
from reference.values import integer


class Among(Enum):
    """Which inputs must have had a row for one to come out."""

    ANY = "one of them: UNION"
    EVERY = "all of them: INTERSECT"
    FIRST = "the first: EXCEPT"


@dataclass(slots=True, eq=False)
class _Open:
    """A group that is not complete; ``gone``: no row of it comes out any more."""

    group: Group
    barred: Callable[[Group], bool]
    complete: bool = False

    @property
    def gone(self) -> bool:
        """Whether it is complete, or an input that must have had a row of it cannot have one."""
        return self.complete or self.barred(self.group)


class SetOperation:
    """As many rows for each group of equal ones as the operation makes of their numbers.

    ``multiplicity`` is that number, by how many rows each input has had.  ``groups`` counts them
    (one measure for each input).  A group is complete by the least of the inputs' bounds; what
    comes out has those of the inputs ``among`` which a row must be, and of the groups that are
    open.  ``moving`` are the columns that have bounds, and whether they fall.

    Defines: S-502.d
    """

    def __init__(
        self,
        shape: Shape,
        inputs: int,
        same: Callable[[Row], Identity],
        groups: GroupingSet,
        multiplicity: Callable[[Sequence[int]], int],
        among: Among,
        moving: Sequence[tuple[int, bool]],
    ) -> None:
        self.shape = shape
        self._told = [nothing(shape)] * inputs
        self._same = same
        self._groups = groups
        self._multiplicity = multiplicity
        self._among = among
        self._moving = moving
        self._columns = [each for each in moving if each[0] < shape.width]
        self._foremost = {column: Foremost(descending) for column, descending in self._columns}
        self._open: dict[int, _Open] = {}
        self._outlet = Outlet(shape)
        self._arrival = count()

    def take(self, train: Train, port: int = 0) -> Train:
        """The rows of groups that are complete, and that none with a smaller time can follow."""
        self._told[port] = train.bounds
        for row in train.rows:
            keys = row[: self.shape.width]
            group = self._groups.group(self._same(keys), keys, self._arrival)
            if group.arrival not in self._open:
                self._begin(group)
            group.accumulators[port].add([row])
            group.time = max(group.time, self.shape.time_of(row))
        for group in self._groups.completed(self._least(self._told)):
            self._open.pop(group.arrival).complete = True
            numbers = [integer(each.result()) for each in group.accumulators]
            row = (*group.keys, stamp(group.time)) if self.shape.hidden else group.keys
            for _ in range(self._multiplicity(numbers)):
                self._outlet.put(row)
        bounds = self._of_open(self._of_new())
        return Train(self._outlet.release(self.shape.clock(bounds)), self._of_held(bounds))

    def _begin(self, group: Group) -> None:
        """A group more, which may come out while it is open."""
        opened = self._open[group.arrival] = _Open(group, self._barred)
        for column, foremost in self._foremost.items():
            foremost.add(group.keys[column], opened)

    def _barred(self, group: Group) -> bool:
        """Whether an input that must have had a row of a group has none, and none will come."""
        return any(
            not integer(group.accumulators[port].result())
            and (told.ended or self._beyond(group, told))
            for port, told in enumerate(self._needed())
        )

    def _earliest(self, group: Group) -> float:
        """The least time a group can have: at least the clock of an input that it waits for.

        Defines: S-502.h
        """
        if self._barred(group):
            return ENDED
        lacking = (
            self.shape.clock(told)
            for port, told in enumerate(self._needed())
            if not integer(group.accumulators[port].result())
        )
        return max(group.time, *lacking, NOTHING_KNOWN)

    def _needed(self) -> Sequence[Bounds]:
        """What is known of the inputs, from the first on, each of which must have had a row."""
        match self._among:
            case Among.ANY:
                return ()
            case Among.EVERY:
                return self._told
            case Among.FIRST:
                return self._told[:1]

    def _beyond(self, group: Group, told: Bounds) -> bool:
        """Whether an input of which this is known is beyond the rows of a group."""
        return any(
            passed(group.keys[i], told.columns[i], descending) for i, descending in self._columns
        )

    # --- what is known --------------------------------------------------------------------------

    def _of_new(self) -> Bounds:
        """What is known of the rows of groups that are yet to open.

        Defines: S-502.g
        """
        match self._among:
            case Among.ANY:
                return self._least(self._told)
            case Among.EVERY:
                return self._greatest()
            case Among.FIRST:
                return self._least(self._told[:1])

    def _least(self, inputs: Sequence[Bounds]) -> Bounds:
        """What is known of the rows that are still to come into any of these inputs."""
        return least(inputs, self.shape, self._moving)

    def _greatest(self) -> Bounds:
        """What is known of the rows that are still to come into all inputs."""
        columns: list[Bound | None] = [None] * self.shape.values
        if any(each.ended for each in self._told):
            return Bounds(tuple(columns), ended=True)
        for column, descending in self._moving:
            for each in self._told:
                columns[column] = _stronger(columns[column], each.columns[column], descending)
        return Bounds(tuple(columns))

    def _of_open(self, bounds: Bounds) -> Bounds:
        """The bounds lowered to those of groups that are open; a hidden clock only grows in one."""
        columns = list(bounds.columns)
        is_open = False
        for column, descending in self._columns:
            first = self._foremost[column].first()
            if first is not None:
                is_open = True
                of_open = first if first.value is not None else None
                limit = columns[column]
                columns[column] = of_open if bounds.ended else weaker(limit, of_open, descending)
        if self.shape.hidden and (is_open or not bounds.ended):
            clock = min(self.shape.clock(bounds), self._groups.least_time(self._earliest))
            columns[self.shape.time] = None if clock == NOTHING_KNOWN else Bound(int(clock))
        return Bounds(tuple(columns), bounds.ended and not is_open)

    def _of_held(self, bounds: Bounds) -> Bounds:
        """The bounds lowered to what waits on its way out."""
        columns = list(bounds.columns)
        for column, descending in self._columns:
            if column != self.shape.time:
                columns[column] = self._outlet.held(column, columns[column], descending)
        return Bounds(tuple(columns), bounds.ended)

    def state(self) -> State:
        """The groups that are open, and the rows of complete ones that wait."""
        groups = self._groups.groups.values()
        kept = State(groups=len(groups), held=lambda: [each.keys for each in groups])
        return kept + self._outlet.state()


def _stronger(a: Bound | None, b: Bound | None, descending: bool) -> Bound | None:
    """The bound of rows that both ``a`` and ``b`` are about: of two the one further on."""
    if a is None or b is None:
        return a or b
    return b if weaker(a, b, descending) is a else a
