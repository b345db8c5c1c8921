"""Readers of streaming queries: each has a buffer of emitted rows until they are fetched."""

import threading
import time
from collections import deque
from collections.abc import Callable
from itertools import islice
from typing import TYPE_CHECKING

from algebra.parts.mentions import reads_clock
from algebra.plan import Plan
from reference.relation import Relation, Row
from rowtime.database.flows.running_query import RunningQuery

if TYPE_CHECKING:
    from algebra.catalog import QualifiedName


class ReaderCancelledError(Exception):
    """The reader was cancelled before or during a fetch."""


class ReaderEndedError(Exception):
    """The query has ended and all of its rows were fetched; ``reason`` is the cause of the end."""

    def __init__(self, reason: Exception) -> None:
        super().__init__(str(reason))
        self.reason = reason


class Reader:
    """A running streaming query, and the buffer of its emitted rows.

    The thread that applies an event puts the emitted rows into the buffer.  The buffer is *full* if
    it has ``capacity`` rows or more: then events that can add to it wait (`await_room`).  Fetching
    takes only the reader's own lock, so readers never wait for one another.
    """

    def __init__(self, number: int, plan: Plan, flow: RunningQuery, capacity: int) -> None:
        self.number = number
        self.plan = plan
        self.flow = flow
        self.capacity = capacity
        self.sources: frozenset[QualifiedName] = frozenset()  # the names that the query reads
        self.ticks = reads_clock(plan)  # whether the query reads the session's clock
        self.bound: float = flow.bound  # no row that is emitted later is below it
        self.taken = 0  # rows of the query's inputs
        self.emitted = 0  # rows of the query, fetched or not
        self._rows: deque[Row] = deque()
        self._changed = threading.Condition()
        self._ended: Exception | None = None
        self._cancelled = False
        # The thread that was the last to fetch.  It must not wait for room in the buffer, because
        # no other thread would make room.  None: an event loop fetches, so any thread may wait.
        self._fetched_in: threading.Thread | None = threading.current_thread()
        self._listeners: list[Callable[[], None]] = []

    # --- the writer's side ----------------------------------------------------------------------

    def put(self, rows: Relation, bound: float) -> None:
        """Add emitted rows, and the query's bound after them; a smaller bound is ignored.

        Defines: S-609.e
        """
        with self._changed:
            self._rows += rows
            self.emitted += len(rows)
            self.bound = max(self.bound, bound)
            self._notify()

    def end(self, reason: Exception) -> None:
        """End the query; the emitted rows can still be fetched."""
        with self._changed:
            self._ended = self._ended or reason
            self._notify()

    @property
    def is_full(self) -> bool:
        """Whether writers must wait; false for a query that has ended or was cancelled."""
        return len(self._rows) >= self.capacity and not self._cancelled and self._ended is None

    @property
    def buffered(self) -> int:
        """The number of rows that were not fetched yet."""
        return len(self._rows)

    @property
    def is_fetched_here(self) -> bool:
        """Whether the current thread was the last to fetch; then it must not wait for room."""
        return self._fetched_in is threading.current_thread()

    def await_room(self, timeout: float) -> bool:
        """Wait for room, for at most ``timeout`` seconds; return whether there is room."""
        with self._changed:
            return self._changed.wait_for(lambda: not self.is_full, timeout)

    # --- the reader's side ----------------------------------------------------------------------

    def fetch(self, most: int, timeout: float) -> list[Row]:
        """Wait until the buffer has a row; remove and return its first rows, at most ``most``.

        Raises `TimeoutError` if there is no row after ``timeout`` seconds, `ReaderCancelledError`
        if the query was cancelled, and `ReaderEndedError` if it has ended and has no more rows.

        Defines: S-609.n
        """
        deadline = time.monotonic() + timeout
        with self._changed:
            self._fetched_in = threading.current_thread()
            while not self._rows or self._cancelled:
                self._raise_if_over()
                left = deadline - time.monotonic()
                if left <= 0:
                    raise TimeoutError("no row in time; the query is still running")
                self._changed.wait(left)
            was_full = len(self._rows) >= self.capacity
            rows = [self._rows.popleft() for _ in range(min(most, len(self._rows)))]
            if was_full:
                self._changed.notify_all()
            return rows

    def peek(self, most: int) -> tuple[list[Row], int]:
        """The first buffered rows, at most ``most``, and the number of all buffered rows.

        The rows stay in the buffer.
        """
        with self._changed:
            return list(islice(self._rows, most)), len(self._rows)

    def call_when_changed(self, notify: Callable[[], None]) -> bool:
        """True if a fetch would return or raise at once; else call ``notify`` at the next change.

        A change is a new row or bound, or the end of the query.  ``notify`` is called once.
        """
        with self._changed:
            self._fetched_in = None
            if self._rows or self._cancelled or self._ended is not None:
                return True
            self._listeners.append(notify)
            return False

    def call_no_more(self, notify: Callable[[], None]) -> None:
        """Undo `call_when_changed` with the same function."""
        with self._changed:
            self._listeners = [each for each in self._listeners if each is not notify]

    def cancel(self) -> None:
        """End the query, from any thread: a fetch raises `ReaderCancelledError`, then and later.

        Defines: S-609.o
        """
        with self._changed:
            self._cancelled = True
            self._rows.clear()
            self._notify()

    def leave_to_parent(self, reason: Exception) -> None:
        """End the query in the child of a fork, without its rows: the parent fetches them."""
        self._changed = threading.Condition()  # a thread of the parent may have held the old one
        self._rows.clear()
        self._listeners.clear()
        self.end(reason)

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self._cancelled

    def _raise_if_over(self) -> None:
        """Raise `ReaderCancelledError` or `ReaderEndedError` if the query does not continue."""
        if self._cancelled:
            raise ReaderCancelledError("the query was cancelled")
        if self._ended is not None:
            raise ReaderEndedError(self._ended)

    def _notify(self) -> None:
        """Wake the waiting threads, and call the listeners, each once."""
        self._changed.notify_all()
        listeners, self._listeners = self._listeners, []
        for notify in listeners:
            notify()
