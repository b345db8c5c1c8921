"""The producers of a named stream, merged by rowtime (S-603)."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count

from spark_backend.stream.limits import Row

#: Before anything is known of a producer, and after its end.
NOTHING: float = -math.inf
ENDED: float = math.inf


@dataclass(slots=True)
class Producers:
    """Rows on their way into a stream: each flows when no other open producer can send one before.

    ``bounds``: of each producer, the rowtime below which it sends no more.
    """

    names: Iterable[str]
    bounds: dict[str, float] = field(default_factory=dict[str, float])
    _waiting: list[tuple[float, int, str, Row]] = field(
        default_factory=list[tuple[float, int, str, Row]]
    )
    _arrivals: "count[int]" = field(default_factory=count)

    def __post_init__(self) -> None:
        """All that are known from the start hold the others up."""
        self.bounds = dict.fromkeys(self.names, NOTHING)

    def send(self, producer: str, rows: Sequence[tuple[float, Row]], bound: float) -> None:
        """Rows of a producer with their times, and its bound after them, which never falls."""
        for time, row in rows:
            heappush(self._waiting, (time, next(self._arrivals), producer, row))
        self.bounds[producer] = max(bound, self.bounds.get(producer, NOTHING))

    def flow(self) -> list[Row]:
        """The rows that flow now, by time, ties as they were sent."""
        out: list[Row] = []
        while self._waiting:
            time, _, producer, row = self._waiting[0]
            if any(bound < time for name, bound in self.bounds.items() if name != producer):
                break
            heappop(self._waiting)
            out.append(row)
        return out

    @property
    def clock(self) -> float:
        """The time below which no row will flow any more; `ENDED` when all have closed."""
        least = min(self.bounds.values(), default=NOTHING)
        return min(least, self._waiting[0][0]) if self._waiting else least
