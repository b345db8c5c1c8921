"""SESSION over a stream: the rows of a session are emitted when it is complete (S-902).

A train is a batch of rows with the bounds of all later rows.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import chain, count

from algebra.monotonicity.progress import Bound, Bounds, ExpressionProgress
from algebra.types import MAX_TIMESTAMP
from reference.incremental.group_sort.aggregate import Identity
from reference.incremental.operator import State
from reference.incremental.train import Shape, Train
from reference.relation import Relation, Row
from reference.scalar.expression import Meaning
from reference.snapshot import stateful
from reference.values import integer


@stateful
@dataclass(slots=True)
class OpenSession:
    """The first and the last time of a session so far, and its rows, each with its time.

    Rows of equal time are in the order of their arrival.
    """

    first: int
    last: int
    rows: list[tuple[int, Row]] = field(default_factory=list[tuple[int, Row]])


@stateful
class Session:
    """Emits each row with the start and the end of its session, when the session is complete.

    The distance of two successive rows of a session is less than ``gap``, in milliseconds.  The
    session ends one gap after its last row.

    - ``width`` is the number of the input's columns.
    - ``key_on`` returns the key of a row and ``time_on`` its time.
    - ``progress`` computes the bound of the time.
    - ``keyed``: sessions have keys.
    - ``edge`` is called with each new end of a session; it raises OVERFLOW if the end is not a
      TIMESTAMP.

    The rowtime of an output row is the end of its session; the other columns have no bounds.

    Defines: S-902.f, S-902.i, S-902.j, S-902.k, S-902.n
    """

    def __init__(
        self,
        shape: Shape,
        width: int,
        key_on: Callable[[Row], Identity],
        time_on: Meaning,
        progress: ExpressionProgress,
        gap: int,
        keyed: bool,
        edge: Callable[[int], object],
    ) -> None:
        self.shape = shape
        self._width = width
        self._key_on = key_on
        self._time_on = time_on
        self._progress = progress
        self._gap = gap
        self._keyed = keyed
        self._edge = edge
        self._open: dict[Identity, list[OpenSession]] = {}
        #: The present and earlier ends of sessions, each with its key: a session that grows gets a
        #: new end.
        self._ends: list[tuple[int, int, Identity]] = []
        self._number = count()

    def take(self, train: Train, _port: int = 0) -> Train:
        """The rows of the sessions that are now complete, in the order of the sessions' ends."""
        for row in train.rows:
            time = self._time_on(row)
            if time is not None:
                self._add(self._key_on(row), integer(time), row)
        bound = self._bound(train.bounds)
        # The session of a row at or after the bound ends at least one gap after the bound.  If that
        # is not a TIMESTAMP, no later row can be emitted.
        ended = train.bounds.ended or (bound is not None and bound + self._gap > MAX_TIMESTAMP)
        out = [row for each in self._completed(bound, ended=ended) for row in self._rows_of(each)]
        columns: list[Bound | None] = [None] * self.shape.values
        if bound is not None and not ended:
            columns[self.shape.time] = Bound(self._first_later_end(bound))
        return Train(out, Bounds(tuple(columns), ended))

    def _bound(self, bounds: Bounds) -> int | None:
        """The bound of the time; None if it is not known."""
        limit = self._progress.bound(bounds)
        return None if limit is None else integer(limit.value)

    def _add(self, key: Identity, time: int, row: Row) -> None:
        """Add a row to its session; the row may join sessions into one, or begin a new one."""
        found = OpenSession(time, time, [(time, row)])
        apart: list[OpenSession] = []
        for each in self._open.get(key, ()):
            if each.first - time < self._gap and time - each.last < self._gap:
                first, last = min(found.first, each.first), max(found.last, each.last)
                found = OpenSession(first, last, [*each.rows, *found.rows])
            else:
                apart.append(each)
        self._open[key] = [*apart, found]
        end = found.last + self._gap
        self._edge(end)
        heappush(self._ends, (end, next(self._number), key))

    def _completed(self, bound: int | None, *, ended: bool) -> Iterator[OpenSession]:
        """Remove and return the sessions whose end is at or before ``bound``; all if ``ended``."""
        while self._ends and (ended or (bound is not None and self._ends[0][0] <= bound)):
            end, _, key = heappop(self._ends)
            own = self._open.get(key, [])
            for each in [each for each in own if each.last + self._gap == end]:
                own.remove(each)
                yield each
            if not own:
                self._open.pop(key, None)

    def _first_end(self) -> int | None:
        """The least end of an open session; None if there is none."""
        while self._ends:
            end, _, key = self._ends[0]
            if any(each.last + self._gap == end for each in self._open.get(key, ())):
                return end
            heappop(self._ends)
        return None

    def _first_later_end(self, bound: int) -> int:
        """The least end that an open or a later session can have.

        A later row is at or after the bound, so a session that begins with it ends at or after
        ``later``, one gap after the bound.  With keys, a row at the bound can have a new key, and
        then its session ends at ``later``.

        Without keys, sessions do not overlap.  Let F be the open session that ends first, at
        ``first``.  F also starts first.  If F starts before ``later``, no session can end before F:
        a later row up to the last row of F is less than a gap away from a row of F, and so belongs
        to F; a session that begins with a row after the last row of F ends after F.
        """
        first, later = self._first_end(), bound + self._gap
        if first is None:
            return later
        every = chain.from_iterable(self._open.values())
        # If any session starts before `later`, so does the first one.
        if not self._keyed and any(each.first < later for each in every):
            return first
        return min(first, later)

    def _rows_of(self, session: OpenSession) -> Relation:
        """The output rows of a complete session, by their times: the columns, then its two ends."""
        edges = (session.first, session.last + self._gap)
        ordered = sorted(session.rows, key=lambda each: each[0])
        return [(*row[: self._width], *edges) for _, row in ordered]

    def state(self) -> State:
        """The rows of the open sessions."""
        sessions = list(chain.from_iterable(self._open.values()))
        return State(
            sum(len(each.rows) for each in sessions),
            retained=lambda: [row for each in sessions for _, row in each.rows],
        )
