"""A partition of a window: its rows in the window's order, as far as frames still need them."""

from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Final, Generic, Protocol, TypeAlias, TypeVar

from algebra.expression import Value
from reference.incremental.over.window_order import NEVER, Due, Place
from reference.relation import Row

_T = TypeVar("_T")

#: From so many freed entries on, a `Run` looks whether they are the greater part.
_FREED: Final = 32
#: A part of a frame: the places from the first one until, not including, the second.
Part: TypeAlias = tuple[int, int]


@dataclass(slots=True, eq=False)
class Pending:
    """A row of the input until it has left: what each group of calls says of it.

    ``open`` counts the groups that it is not determined in yet; ``left``: it is out.
    """

    row: Row
    time: float
    arrival: int
    values: list[Row]
    open: int
    left: bool = False


@dataclass(slots=True, eq=False)
class Member:
    """A row of a partition: ``orders`` are its places by the sort keys, ``value`` the first key's.

    ``group`` counts the groups of peers before its own.
    """

    pending: Pending
    orders: tuple[Place, ...]
    value: Value
    group: int = 0


class Run(Generic[_T]):
    """Entries by their places since the partition began; the first ones are freed."""

    __slots__ = ("_base", "_entries", "first", "stop")

    def __init__(self) -> None:
        self.first = 0
        self.stop = 0
        self._entries: list[_T | None] = []
        self._base = 0  # the place of the first of them

    def __getitem__(self, place: int) -> _T:
        entry = self._entries[place - self._base]
        assert entry is not None, place
        return entry

    def append(self, entry: _T) -> None:
        """One entry more."""
        self._entries.append(entry)
        self.stop += 1

    def free(self, place: int) -> None:
        """Forget the entries before ``place``."""
        while self.first < place and self.first < self.stop:
            self._entries[self.first - self._base] = None
            self.first += 1
        freed = self.first - self._base
        if freed >= _FREED and freed * 2 >= len(self._entries):
            del self._entries[:freed]
            self._base = self.first

    def __len__(self) -> int:
        """How many are there."""
        return self.stop - self.first


class Column(Protocol):
    """One call over the rows of one partition, determined one after the other."""

    def value(self, partition: "Partition", at: int, parts: list[Part]) -> Value:
        """The call's value for the row at place ``at``, whose frame is ``parts``."""
        ...

    def needs(self, partition: "Partition") -> int:
        """From which place on it needs rows, if the frame starts with the partition."""
        ...

    def kept(self) -> list[Row]:
        """What it keeps beside the rows."""
        ...


@dataclass(slots=True, eq=False)
class Partition:
    """The rows with equal values of PARTITION BY, in the window's order (S-505).

    ``unsettled`` rows may still have others come before them; ``members`` are in their place for
    good.  ``starts`` are the first places of groups of peers.  All before ``next`` are determined.
    ``low``, ``high`` and ``sure`` are where the frame of the last one had its ends.  ``wake``: the
    bound at which there is something to do.

    Defines: S-505.e
    """

    key: Row
    columns: list[Column]
    unsettled: list[tuple[tuple[Place, ...], int, Member]] = field(
        default_factory=list[tuple[tuple[Place, ...], int, Member]]
    )
    members: Run[Member] = field(default_factory=Run[Member])
    starts: Run[int] = field(default_factory=Run[int])
    last: tuple[Place, ...] = ()
    next: int = 0
    low: int = 0
    high: int = 0
    sure: int = 0
    wake: Due = NEVER
    touched: bool = False

    def enter(self, member: Member) -> None:
        """One row more, whose place is not settled yet; ties are in order of arrival."""
        heappush(self.unsettled, (member.orders, member.pending.arrival, member))

    def settle(self) -> None:
        """Give the first of the unsettled rows its place."""
        orders, _, member = heappop(self.unsettled)
        if not self.starts.stop or orders != self.last:
            self.starts.append(self.members.stop)
            self.last = orders
        member.group = self.starts.stop - 1
        self.members.append(member)

    # --- peers, by what is settled ----------------------------------------------------------------

    def start_of(self, group: int) -> int:
        """The first place of a group of peers; of one beyond all, the place after all rows."""
        if group <= 0:
            return 0
        return self.starts[group] if group < self.starts.stop else self.members.stop

    def peers(self, at: int) -> Part:
        """The places of the peers of the row at ``at``."""
        group = self.members[at].group
        return self.start_of(group), self.start_of(group + 1)

    # --- places along the line of the first key ---------------------------------------------------

    def not_before(self, place: Place, near: int) -> int:
        """The first of the rows that are there that does not lie before ``place``.

        The search starts ``near`` the answer, which moves with the rows, for the most part on.
        """
        members = self.members
        at = min(max(near, members.first), members.stop)
        while at < members.stop and members[at].orders[0] < place:
            at += 1
        while at > members.first and members[at - 1].orders[0] >= place:
            at -= 1
        return at

    def behind(self, place: Place, near: int) -> int:
        """The first of them that lies after ``place``."""
        members = self.members
        at = min(max(near, members.first), members.stop)
        while at < members.stop and members[at].orders[0] <= place:
            at += 1
        while at > members.first and members[at - 1].orders[0] > place:
            at -= 1
        return at
