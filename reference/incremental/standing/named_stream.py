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
    """One that feeds the stream: its rows that wait, and the time below which it sends none."""

    clock: float = NOTHING_KNOWN
    waiting: list[tuple[float, int, Row]] = field(default_factory=list[tuple[float, int, Row]])


class Producers:
    """The producers of one stream, by name.

    A row flows when every *other* producer that is open has sent a row or bound at least as high.
    One that has closed, its clock at the end, holds up nothing; one that is not open yet, neither.

    Defines: S-603.a, S-603.d
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._open = {name: Producer() for name in names}
        self._arrival = count()

    def send(self, name: str, rows: Sequence[tuple[float, Row]], clock: float) -> list[Row]:
        """What flows because ``name``, which opens if need be, sends rows, each with its time.

        ``clock`` is the time below which it sends no more.
        """
        producer = self._open.setdefault(name, Producer())
        producer.clock = max(producer.clock, clock)
        for time, row in rows:
            heappush(producer.waiting, (time, next(self._arrival), row))
        free = sorted(each for one in self._open.values() for each in self._free(one))
        return [row for _, _, row in free]

    def _free(self, producer: Producer) -> list[tuple[float, int, Row]]:
        """The rows of one that no other can come before."""
        others = [each.clock for each in self._open.values() if each is not producer]
        limit = min(others, default=ENDED)
        free: list[tuple[float, int, Row]] = []
        while producer.waiting and producer.waiting[0][0] <= limit:
            free.append(heappop(producer.waiting))
        return free

    @property
    def clock(self) -> float:
        """The time below which nothing more flows; at the end when all have closed.

        Defines: S-603.b, S-603.e
        """
        return min((each.clock for each in self._open.values()), default=NOTHING_KNOWN)

    def state(self) -> State:
        """The rows that wait."""
        waiting = [row for each in self._open.values() for _, _, row in each.waiting]
        return State(len(waiting), held=lambda: waiting)
