"""When an engine spends queries on retaining fewer rows."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """Numbers of rows from which on a query that finds out which of them to retain pays off.

    ``exact_bound``: the exact bound of the output is asked for, which can evict more.
    ``compaction``: a later horizon of state compaction is looked for.  ``eviction``: the rows of a
    stream are judged one by one, where no rowtime decides.  ``in_memory``: so many rows in a file,
    or fewer, are taken out of it when a few more come.
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

    How many rows that left is known only when the micro-batch is over: see `settle`.
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
