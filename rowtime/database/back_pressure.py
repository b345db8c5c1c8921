"""Back-pressure: the full buffers for which a writer must wait, so that no row is lost (S-609)."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from algebra.catalog import QualifiedName
from rowtime.database.engine import Engine
from rowtime.database.events import Bounded, Sent
from rowtime.database.named_stream import NamedStream
from rowtime.database.outcomes import WriterBlockedError
from rowtime.database.reader import Reader
from rowtime.database.trace_log import ALL_TRACE, SAVED_TRACE

#: The number of rows in the buffer of a reader, or waiting for other producers, at which writers
#: wait.
CAPACITY = 10_000
#: Seconds after which a writer looks again, because a cursor may have disappeared without `close`.
MOMENT = 0.05


@dataclass(frozen=True, slots=True)
class Obstacle:
    """A full buffer, described by ``text``; ``alone``: only the waiting thread could make room.

    ``wait`` returns when there may be room, or after that many seconds.
    """

    text: str
    alone: bool
    wait: Callable[[float], object]


class BackPressure:
    """The buffers of an engine, and the threads that write.

    The threads are recorded because a thread must not wait for itself: if it writes as two
    producers of a stream, its rows of the one may wait for its rows of the other.  `obstacle` is
    asked under the database's lock, its `Obstacle.wait` is called outside of it.
    """

    def __init__(self, engine: Engine, capacity: int) -> None:
        self._engine = engine
        self._capacity = capacity
        self._moved = threading.Condition()  # notified after each event
        #: The thread that has last written, by producer.
        self._senders: dict[int, threading.Thread] = {}

    def record_thread(self, number: int) -> None:
        """Record that the current thread writes as that producer."""
        self._senders[number] = threading.current_thread()

    def closed(self, number: int) -> None:
        """Forget a producer."""
        self._senders.pop(number, None)

    def event_happened(self) -> None:
        """Wake the writers that wait for an event."""
        with self._moved:
            self._moved.notify_all()

    def obstacle(self, source: NamedStream, number: int, event: Sent | Bounded) -> Obstacle | None:
        """The full buffer for which an event must wait; None: there is none."""
        full = self.full_reader(source.source.name)
        if full is not None:
            return full
        if isinstance(event, Bounded) or source.pending(number) < self._capacity:
            return None
        slowest = source.slowest(number)
        alone = slowest is not None and self._senders.get(slowest) is threading.current_thread()
        name = ".".join(source.source.name)
        text = f"{source.pending(number):,} rows wait for another producer of {name}"
        return Obstacle(text, alone, self._await_event)

    def _await_event(self, timeout: float) -> None:
        """Wait for an event; one may have happened just now."""
        with self._moved:
            self._moved.wait(timeout)

    def full_reader(self, name: QualifiedName) -> Obstacle | None:
        """A reader with a full buffer to which rows of a stream or table can add; None: none."""
        full = [each for each in self._engine.readers if each.is_full]
        if not full:
            return None
        reached = set[QualifiedName]().union(
            *(self._engine.downstream(each) for each in (name, ALL_TRACE, SAVED_TRACE))
        )
        return next((_full(each) for each in full if self._engine.adds_to(each, reached)), None)


def _full(reader: Reader) -> Obstacle:
    text = f"a reader has not fetched {reader.buffered:,} rows"
    return Obstacle(text, reader.fetched_here, reader.await_room)


def wait_for_room(obstacle: Obstacle, deadline: float | None) -> None:
    """Wait a moment for room.  Raises `WriterBlockedError` if there is no room in time.

    ``deadline`` is in the time of `time.monotonic`; None: there is time without a limit.
    """
    if obstacle.alone:
        raise WriterBlockedError(f"{obstacle.text}, which this thread alone could change")
    left = None if deadline is None else deadline - time.monotonic()
    if left is not None and left <= 0:
        raise WriterBlockedError(f"{obstacle.text}; no row was written in time")
    obstacle.wait(MOMENT if left is None else min(left, MOMENT))
