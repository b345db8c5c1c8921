"""When an engine spends queries on retaining fewer rows."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """How many rows must be retained for a query that may evict some to pay off.

    ``exact_bound``: a query for the exact bound of the output.  ``compaction``: the search for a
    later horizon.  ``eviction``: judging the rows of a stream one by one, where no rowtime decides.
    ``in_memory``: up to so many rows are taken out of a file when a few more come.
    """

    exact_bound: int = 10_000
    compaction: int = 1_000
    eviction: int = 1_000
    in_memory: int = 10_000


#: The policy of an engine that is given none.
POLICY: Final = RetentionPolicy()


@dataclass(slots=True)
class Doubling:
    """Whether a number of rows has doubled since the last time something was done about it.

    How many rows are then left is known when the micro-batch is over: see `settle`.
    """

    left: int = 0
    _is_done: bool = False

    def is_due(self, rows: int, least: int) -> bool:
        """Whether there are more rows than ``least``, and than twice those left the last time."""
        return rows > max(least, 2 * self.left)

    def done(self) -> None:
        """Note that something is done about the rows in this micro-batch."""
        self._is_done = True

    def settle(self, rows: int) -> None:
        """Note how many rows the micro-batch has left, if something was done about them."""
        if self._is_done:
            self.left, self._is_done = rows, False
