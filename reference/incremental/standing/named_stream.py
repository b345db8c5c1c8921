"""A named stream that standing statements feed: its producers, merged by rowtime (S-603, S-605)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count

from reference.incremental.operator import State
from reference.incremental.train import ENDED, NOTHING_KNOWN
from reference.relation import Row


@dataclass(slots=True)
class Producer:
    """A producer of the stream: its pending rows, and its bound."""

    clock: float = NOTHING_KNOWN
    pending: list[tuple[float, int, Row]] = field(default_factory=list[tuple[float, int, Row]])


class Producers:
    """The producers of one stream, by name.

    A row is forwarded when every *other* open producer has sent a row or bound at least as high. A
    producer that has closed, its bound at the end, holds up nothing; neither does one that is not
    open yet.

    Defines: S-603.a, S-603.d
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._open = {name: Producer() for name in names}
        self._arrival = count()

    def send(self, name: str, rows: Sequence[tuple[float, Row]], clock: float) -> list[Row]:
        """The rows that are forwarded because ``name`` sends rows, each with its rowtime.

        A new ``name`` opens. ``clock`` is the bound of its later rows.
        """
        producer = self._open.setdefault(name, Producer())
        producer.clock = max(producer.clock, clock)
        for time, row in rows:
            heappush(producer.pending, (time, next(self._arrival), row))
        emitted = sorted(each for one in self._open.values() for each in self._emitted(one))
        return [row for _, _, row in emitted]

    def _emitted(self, producer: Producer) -> list[tuple[float, int, Row]]:
        """The rows of ``producer`` that no other producer can precede."""
        others = [each.clock for each in self._open.values() if each is not producer]
        limit = min(others, default=ENDED)
        emitted: list[tuple[float, int, Row]] = []
        while producer.pending and producer.pending[0][0] <= limit:
            emitted.append(heappop(producer.pending))
        return emitted

    @property
    def clock(self) -> float:
        """The bound of the stream; ENDED when all producers have closed.

        Defines: S-603.b, S-603.e
        """
        return min((each.clock for each in self._open.values()), default=NOTHING_KNOWN)

    def state(self) -> State:
        """The pending rows."""
        pending = [row for each in self._open.values() for _, _, row in each.pending]
        return State(len(pending), retained=lambda: pending)
