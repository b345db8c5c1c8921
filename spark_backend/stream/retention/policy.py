"""When an engine runs queries in order to retain fewer rows."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """Numbers of retained rows above which a query that may evict rows pays off.

    ``exact_bound`` is for a query for the exact bound of the output, ``compaction`` for the search
    for a later horizon, ``eviction`` for a query that decides for each row of a stream.
    ``in_memory`` is the number of rows up to which a file is read into memory when a few more rows
    arrive.
    """

    exact_bound: int = 10_000
    compaction: int = 1_000
    eviction: int = 1_000
    in_memory: int = 10_000


#: The default policy of an engine.
POLICY: Final = RetentionPolicy()


@dataclass(slots=True)
class Doubling:
    """Detects that a number of rows has doubled since the last time when rows were evicted.

    So the cost of a query that evicts rows is in proportion to the rows that have arrived.
    ``left`` is the number of rows that remained after the last eviction.  It is known only when the
    micro-batch is over, and is then noted by `settle`.
    """

    left: int = 0
    #: Whether rows are evicted in the present micro-batch.
    _is_done: bool = False

    def is_due(self, rows: int, least: int) -> bool:
        """Whether there are more than ``least`` rows, and twice the last remaining number."""
        return rows > max(least, 2 * self.left)

    def note_eviction(self) -> None:
        """Note that rows are evicted in this micro-batch."""
        self._is_done = True

    def settle(self, rows: int) -> None:
        """Note how many rows remain after the micro-batch, if rows were evicted in it."""
        if self._is_done:
            self.left, self._is_done = rows, False
