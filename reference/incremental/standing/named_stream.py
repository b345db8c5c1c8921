"""A named stream that standing statements feed: its producers, merged by rowtime (S-603, S-605)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count

from reference.incremental.operator import State
from reference.incremental.train import ENDED, NOTHING_KNOWN
from reference.relation import Row
from reference.snapshot import stateful


@stateful
@dataclass(frozen=True, slots=True)
class Sent:
    """A row of a producer; ``place`` among all rows fed to the stream; None: a statement's."""

    row: Row
    place: int | None = None


@stateful
@dataclass(slots=True)
class Producer:
    """A producer of the stream: its pending rows, and its bound."""

    clock: float = NOTHING_KNOWN
    pending: list[tuple[float, int, Sent]] = field(default_factory=list[tuple[float, int, Sent]])


@stateful
class Producers:
    """The producers of one stream, by name.

    A row is forwarded when every *other* open producer has sent a row or bound at least as high. A
    producer that has closed, or whose bound is the end, holds up nothing; neither does one that is
    not open yet.

    Defines: S-603.a, S-603.d
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._open = {name: Producer() for name in names}
        self._closed: list[Producer] = []  # those whose rows others hold up
        self._arrival = count()

    def open(self, name: str, clock: float) -> None:
        """Let ``name`` be a producer that sends no row below ``clock``."""
        self._open[name] = Producer(clock)

    def has(self, name: str) -> bool:
        """Whether ``name`` is a producer that has not closed."""
        return name in self._open

    def close(self, name: str) -> list[Sent]:
        """The rows that are forwarded because ``name`` has closed; its own may still wait."""
        closed = self._open.pop(name)
        closed.clock = ENDED
        self._closed.append(closed)
        return self._forwarded()

    def send(self, name: str, rows: Sequence[tuple[float, Sent]], clock: float) -> list[Sent]:
        """The rows that are forwarded because ``name`` sends rows, each with its rowtime.

        A new ``name`` opens. ``clock`` is the bound of its later rows.
        """
        producer = self._open.setdefault(name, Producer())
        producer.clock = max(producer.clock, clock)
        for time, row in rows:
            heappush(producer.pending, (time, next(self._arrival), row))
        return self._forwarded()

    def _forwarded(self) -> list[Sent]:
        """The rows that nobody holds up any more, by rowtime, ties as they were sent."""
        clocks = [each.clock for each in self._open.values()]
        least, second, *_ = sorted([*clocks, ENDED, ENDED])
        emitted: list[tuple[float, int, Sent]] = []
        for each in self._open.values():
            # The least bound of the others: only the slowest producer does not wait for itself.
            limit = second if each.clock == least else least
            if each.pending and each.pending[0][0] <= limit:  # of many producers few are at it
                emitted += _taken(each, limit)
        for each in self._closed:
            emitted += _taken(each, least)
        self._closed = [one for one in self._closed if one.pending]
        return [sent for _, _, sent in sorted(emitted)]

    def pending(self, name: str) -> int:
        """The pending rows of one producer."""
        return len(self._open[name].pending) if name in self._open else 0

    def slowest(self, name: str) -> str | None:
        """The other producer with the least bound; None: there is no other."""
        others = ((each.clock, other) for other, each in self._open.items() if other != name)
        return min(others, default=(0.0, None))[1]

    @property
    def clock(self) -> float:
        """The least bound of the open producers: ENDED if all are at the end; unknown without one.

        Defines: S-603.b, S-603.e
        """
        return min((each.clock for each in self._open.values()), default=NOTHING_KNOWN)

    def state(self) -> State:
        """The pending rows."""
        every = (*self._open.values(), *self._closed)
        pending = [sent.row for each in every for _, _, sent in each.pending]
        return State(len(pending), retained=lambda: pending)


def _taken(producer: Producer, limit: float) -> Iterator[tuple[float, int, Sent]]:
    """The pending rows of ``producer`` up to ``limit``, which are pending no more."""
    while producer.pending and producer.pending[0][0] <= limit:
        yield heappop(producer.pending)
