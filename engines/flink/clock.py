"""A stream's watermark: how far its rows and bounds have brought it."""

from dataclasses import dataclass, field
from heapq import heappush, heappushpop

from algebra.catalog import Ordering
from algebra.types import TIMESTAMP
from algebra.wire import from_wire
from tck.protocol import Wire


def millis(time: Wire) -> int:
    """A TIMESTAMP on the wire as milliseconds since 1970."""
    value = from_wire(TIMESTAMP, time)
    assert isinstance(value, int), "a TIMESTAMP is a number of milliseconds"
    return value


@dataclass(slots=True)
class Clock:
    """The watermark of a stream: no later row has a rowtime at ``watermark`` or below.

    Flink's watermark is one millisecond below the bound of the kit.  It is None before the first.
    ``_greatest`` is a heap of the greatest rowtimes of a stream that is k-sorted: k + 1 at most.
    """

    ordering: Ordering
    watermark: int | None = None
    _greatest: list[int] = field(default_factory=list[int])

    def row(self, rowtime: int) -> int | None:
        """The new watermark after a row; None if it stays."""
        order = self.ordering
        if order.punctuated:
            return None
        if order.rows is None:
            return self.bound(rowtime - (order.slack or 0), strict=order.strict)
        # The bound of a stream that is k-sorted is the least of its k + 1 greatest rowtimes.
        if len(self._greatest) <= order.rows:
            heappush(self._greatest, rowtime)
            full = len(self._greatest) > order.rows
            return self.bound(self._greatest[0]) if full else None
        heappushpop(self._greatest, rowtime)
        return self.bound(self._greatest[0])

    def bound(self, at: int, *, strict: bool = False) -> int | None:
        """The new watermark after a bound; None if it stays."""
        watermark = at if strict else at - 1
        if self.watermark is not None and watermark <= self.watermark:
            return None
        self.watermark = watermark
        return watermark
