"""The producers of a named stream, whose rows are merged by rowtime (S-603, S-605).

A producer is a standing statement (an INSERT of a streaming query), a program that has opened a
producer, or the session's own input.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count

from algebra.monotonicity.progress import Bounds
from reference.incremental.operator import State
from reference.incremental.train import ENDED, NOTHING_KNOWN
from reference.ingress import Ingress
from reference.relation import Row
from reference.snapshot import stateful
from reference.values import integer


@stateful
@dataclass(frozen=True, slots=True)
class Sent:
    """A row of a producer.

    ``place`` is the row's place among all rows that were fed to the stream from outside; None for a
    row of a statement.
    """

    row: Row
    place: int | None = None


@stateful
@dataclass(slots=True)
class Producer:
    """A producer of the stream: its bound, and its pending rows as a heap.

    An entry of ``pending`` is the rowtime, the number of rows that arrived before, and the row.
    """

    bound: float = NOTHING_KNOWN
    pending: list[tuple[float, int, Sent]] = field(default_factory=list[tuple[float, int, Sent]])


@stateful
class Producers:
    """The producers of one stream, by name.

    A row is forwarded when every *other* open producer has sent a row or a bound at or above the
    row's time. No row waits for a producer that has closed, that has ended, or that is not open
    yet.

    Defines: S-603.a, S-603.d
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._open = {name: Producer() for name in names}
        self._closed: list[Producer] = []  # producers with rows that wait for others
        self._arrival = count()

    def open(self, name: str, bound: float) -> None:
        """Open the producer ``name``, which sends no row below ``bound``."""
        self._open[name] = Producer(bound)

    def has(self, name: str) -> bool:
        """Whether ``name`` is a producer that has not closed."""
        return name in self._open

    def close(self, name: str) -> list[Sent]:
        """Close ``name``, and return the rows that no longer wait; its own rows may still wait."""
        closed = self._open.pop(name)
        closed.bound = ENDED
        self._closed.append(closed)
        return self._forward()

    def send(self, name: str, rows: Sequence[tuple[float, Sent]], bound: float) -> list[Sent]:
        """Take rows of ``name``, each with its rowtime, and return the rows that no longer wait.

        A new ``name`` opens. ``bound`` is the bound of its later rows.
        """
        producer = self._open.setdefault(name, Producer())
        producer.bound = max(producer.bound, bound)
        for time, row in rows:
            heappush(producer.pending, (time, next(self._arrival), row))
        return self._forward()

    def _forward(self) -> list[Sent]:
        """Remove and return the rows that no longer wait, by rowtime; ties as they were sent."""
        bounds = [each.bound for each in self._open.values()]
        # Two further bounds, so that there are two even without an open producer.
        least, second, *_ = sorted([*bounds, ENDED, ENDED])
        emitted: list[tuple[float, int, Sent]] = []
        for each in self._open.values():
            # The least bound of the others, because a producer does not wait for itself.
            limit = second if each.bound == least else least
            if each.pending and each.pending[0][0] <= limit:  # most have no such row
                emitted += _take_pending(each, limit)
        for each in self._closed:
            emitted += _take_pending(each, least)
        self._closed = [one for one in self._closed if one.pending]
        return [sent for _, _, sent in sorted(emitted)]

    def pending(self, name: str) -> int:
        """The number of pending rows of the producer ``name``; 0 if it is not open."""
        return len(self._open[name].pending) if name in self._open else 0

    def slowest(self, name: str) -> str | None:
        """The open producer other than ``name`` with the least bound; None if there is none."""
        others = ((each.bound, other) for other, each in self._open.items() if other != name)
        return min(others, default=(0.0, None))[1]

    @property
    def bound(self) -> float:
        """The least bound of the open producers: ENDED if all have ended.

        NOTHING_KNOWN if no producer is open, or if one has no bound.

        Defines: S-603.b, S-603.e
        """
        return min((each.bound for each in self._open.values()), default=NOTHING_KNOWN)

    def state(self) -> State:
        """The pending rows of all producers."""
        every = (*self._open.values(), *self._closed)
        pending = [sent.row for each in every for _, _, sent in each.pending]
        return State(len(pending), retained=lambda: pending)


def bound_of(ingress: Ingress) -> float:
    """The bound of the rows that ``ingress`` can accept later; ENDED if it accepts no more."""
    if ingress.ended:
        return ENDED
    return NOTHING_KNOWN if ingress.bound is None else ingress.bound


def time_of(row: Row, rowtime: int) -> float:
    """The rowtime of ``row``, which is at the place ``rowtime``.

    The least time for NULL, and if the place is negative (an implicit rowtime).  A row of the least
    time never waits for other producers.
    """
    value = None if rowtime < 0 else row[rowtime]
    return NOTHING_KNOWN if value is None else integer(value)


def bound_at(bounds: Bounds, rowtime: int) -> float:
    """The bound of the column at the place ``rowtime``; ``bounds`` must not have ended.

    NOTHING_KNOWN if there is no bound, or if the place is negative (an implicit rowtime).
    """
    limit = None if rowtime < 0 else bounds.columns[rowtime]
    return NOTHING_KNOWN if limit is None else float(integer(limit.value))


def _take_pending(producer: Producer, limit: float) -> Iterator[tuple[float, int, Sent]]:
    """Remove and yield the pending rows of ``producer`` with a rowtime up to ``limit``."""
    while producer.pending and producer.pending[0][0] <= limit:
        yield heappop(producer.pending)
