"""A partition of a window: its rows in the window's order, while frames still need them.

A row's place is its number in this order, from 0.  A `Place` (`window_order`) is something else:
the position of a sort key's value in the order.
"""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Generic, Protocol, TypeAlias, TypeVar

from algebra.expression import Value
from reference.incremental.over.window_order import NEVER, Place, Timer
from reference.relation import Row
from reference.snapshot import stateful

_T = TypeVar("_T")

#: A part of a frame: a half-open range of places, `[start, stop)`.
FramePart: TypeAlias = tuple[int, int]


@stateful
@dataclass(slots=True, eq=False)
class Pending:
    """An input row that is not emitted yet, with the values that each group of calls computed.

    ``time`` is its rowtime, and ``arrival`` its number in order of arrival.  ``open`` counts the
    groups of calls that have not determined it yet.
    """

    row: Row
    time: float
    arrival: int
    values: list[Row]
    open: int
    emitted: bool = False


@stateful
@dataclass(slots=True, eq=False)
class Member:
    """A row of a partition.

    ``orders`` has the `Place` of each sort key, ``value`` is the value of the first sort key (None
    without ORDER BY). ``group`` is the number of the row's group of peers, counted from 0.
    """

    pending: Pending
    orders: tuple[Place, ...]
    value: Value
    group: int = 0


@stateful
class Tail(Generic[_T]):
    """A list whose first entries can be evicted; the others keep their places, counted from 0.

    The entries from ``first`` up to, but not including, ``stop`` are retained.
    """

    __slots__ = ("_base", "_entries", "first", "stop")

    def __init__(self) -> None:
        self.first = 0
        self.stop = 0
        self._entries: list[_T] = []
        self._base = 0  # the place of the first of `_entries`

    def __getitem__(self, place: int) -> _T:
        assert place >= self.first, place
        return self._entries[place - self._base]

    def append(self, entry: _T) -> None:
        """Add an entry at place ``stop``."""
        self._entries.append(entry)
        self.stop += 1

    def evict(self, place: int) -> None:
        """Evict the entries before ``place``; memory is released once half of all are evicted."""
        self.first = max(self.first, place)
        evicted = self.first - self._base
        if evicted * 2 >= len(self._entries):
            del self._entries[:evicted]
            self._base = self.first

    def __len__(self) -> int:
        """The number of retained entries."""
        return self.stop - self.first


class Column(Protocol):
    """One call over one partition, evaluated row by row in the window's order."""

    def value(self, partition: "Partition", at: int, parts: list[FramePart], /) -> Value:
        """The call's value for the row at ``at``, whose frame is ``parts``."""
        ...

    def needs(self, partition: "Partition", /) -> int:
        """The place of the first row that the call still needs.

        This is called only if frames start with the partition (UNBOUNDED PRECEDING).
        """
        ...

    def retained(self) -> list[Row]:
        """The values that the call retains besides the partition's rows."""
        ...


@stateful
@dataclass(slots=True, eq=False)
class Partition:
    """The rows with equal values of PARTITION BY, in the window's order (S-505).

    ``unplaced`` is a heap of the rows that a later row may still precede; ``members`` have their
    final places. ``starts`` has the first places of the groups of peers, and ``last`` the sort keys
    of the last group.  The rows before ``next`` are determined. ``timer`` fires at the next bound
    at which a row gets its place, is determined, or is evicted. ``touched``: rows have arrived
    since the partition was last advanced.

    Defines: S-505.e
    """

    key: Row
    columns: list[Column]
    unplaced: list[tuple[tuple[Place, ...], int, Member]] = field(
        default_factory=list[tuple[tuple[Place, ...], int, Member]]
    )
    members: Tail[Member] = field(default_factory=Tail[Member])
    starts: Tail[int] = field(default_factory=Tail[int])
    last: tuple[Place, ...] = ()
    next: int = 0
    timer: Timer = NEVER
    touched: bool = False

    def enter(self, member: Member) -> None:
        """Add a row whose place is not final yet; ties are in order of arrival."""
        heappush(self.unplaced, (member.orders, member.pending.arrival, member))

    def place_first(self) -> None:
        """Make the first of the unplaced rows the next member."""
        orders, _, member = heappop(self.unplaced)
        if not self.starts.stop or orders != self.last:
            self.starts.append(self.members.stop)
            self.last = orders
        member.group = self.starts.stop - 1
        self.members.append(member)

    # --- peers among the members ------------------------------------------------------------------

    def start_of(self, group: int) -> int:
        """The first place of a group of peers; after the last group, the place after all rows."""
        if group <= 0:
            return 0
        return self.starts[group] if group < self.starts.stop else self.members.stop

    def peers(self, at: int) -> FramePart:
        """The places of the peers of the row at ``at``."""
        group = self.members[at].group
        return self.start_of(group), self.start_of(group + 1)

    # --- places by the first sort key ---------------------------------------------------

    def first_not_before(self, place: Place) -> int:
        """The number of the first member that does not sort before ``place``."""
        members = self.members
        places = range(members.first, members.stop)
        return members.first + bisect_left(places, place, key=lambda at: members[at].orders[0])

    def first_after(self, place: Place) -> int:
        """The number of the first member that sorts after ``place``."""
        members = self.members
        places = range(members.first, members.stop)
        return members.first + bisect_right(places, place, key=lambda at: members[at].orders[0])
