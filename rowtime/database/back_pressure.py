"""Back-pressure: lets writers wait while a buffer is full, so that no row is lost (S-609).

A buffer has the rows that a reader has not fetched, or the rows of a producer that wait for other
producers.
"""

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

#: The number of rows with which a buffer is full, unless the user chooses another number.
CAPACITY = 10_000
#: Seconds after which a waiting writer checks again: a cursor can disappear without `close`.
MOMENT = 0.05


@dataclass(frozen=True, slots=True)
class Obstacle:
    """A full buffer, for which a writer must wait; ``text`` describes it.

    ``alone``: only the waiting thread itself could make room, so waiting is useless. ``wait`` takes
    a number of seconds, and returns after this time, or earlier if there may be room.
    """

    text: str
    alone: bool
    wait: Callable[[float], object]


class BackPressure:
    """Finds the full buffer for which an event must wait.

    It records the thread of each producer, because a thread must not wait for itself: if a thread
    writes as two producers of a stream, the rows of one producer can wait for rows of the other.
    `obstacle` is called under the database's lock, and `Obstacle.wait` without it.
    """

    def __init__(self, engine: Engine, capacity: int) -> None:
        self._engine = engine
        self._capacity = capacity
        self._moved = threading.Condition()  # notified after each event
        #: The thread that has last written, by producer.
        self._senders: dict[int, threading.Thread] = {}

    def record_thread(self, number: int) -> None:
        """Record that the current thread writes as the producer ``number``."""
        self._senders[number] = threading.current_thread()

    def closed(self, number: int) -> None:
        """Forget a producer."""
        self._senders.pop(number, None)

    def event_happened(self) -> None:
        """Wake the writers that wait for an event."""
        with self._moved:
            self._moved.notify_all()

    def obstacle(self, source: NamedStream, number: int, event: Sent | Bounded) -> Obstacle | None:
        """The full buffer for which an event of the producer ``number`` must wait, if there is one.

        ``source`` is the stream into which the producer writes.
        """
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
        """Wait for the next event, but no longer than ``timeout`` seconds."""
        with self._moved:
            self._moved.wait(timeout)

    def full_reader(self, name: QualifiedName) -> Obstacle | None:
        """A full buffer to which rows of the stream or table ``name`` can add; None without one.

        Rows also add to the streams that they reach through statements, and can add to the trace.
        """
        full = [each for each in self._engine.readers if each.is_full]
        if not full:
            return None
        reached = set[QualifiedName]().union(
            *(self._engine.downstream(each) for each in (name, ALL_TRACE, SAVED_TRACE))
        )
        return next((_full(each) for each in full if self._engine.adds_to(each, reached)), None)


def _full(reader: Reader) -> Obstacle:
    """The obstacle that the full buffer of ``reader`` is."""
    text = f"a reader has not fetched {reader.buffered:,} rows"
    return Obstacle(text, reader.is_fetched_here, reader.await_room)


def wait_for_room(obstacle: Obstacle, deadline: float | None) -> None:
    """Wait a moment until there may be room.

    Raises `WriterBlockedError` after the deadline, or if only this thread could make room.
    ``deadline`` is a time of `time.monotonic`; None: there is no deadline.
    """
    if obstacle.alone:
        raise WriterBlockedError(f"{obstacle.text}, which this thread alone could change")
    left = None if deadline is None else deadline - time.monotonic()
    if left is not None and left <= 0:
        raise WriterBlockedError(f"{obstacle.text}; no row was written in time")
    obstacle.wait(MOMENT if left is None else min(left, MOMENT))
