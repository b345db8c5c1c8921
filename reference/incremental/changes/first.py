"""ORDER BY with a limit over weighted rows: the first rows are sorted, the others in a heap.

A weighted row is a change: it inserts the row if the weight is positive, and deletes it if not.
"""

from bisect import bisect_left, insort
from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from operator import itemgetter
from typing import TYPE_CHECKING, Final, TypeAlias

from reference.incremental.changes.operator import WeightedRows
from reference.relation import Relation, Row, identity_of
from reference.relational.changelog import difference, single
from reference.snapshot import stateful

if TYPE_CHECKING:
    from _typeshed import SupportsRichComparison as SupportsOrder

    #: A row after its sort key and its number of arrival, so that entries sort by these two.
    _Entry: TypeAlias = tuple[SupportsOrder, int, Row]

_ORDER: Final = itemgetter(0)
#: The number of deleted rows that may stay in a heap of any size.
_FEW: Final = 32


@stateful
class First:
    """The operator ORDER BY … OFFSET … FETCH (S-507).

    ``span`` returns the offset and the limit; the limit is None if there is none.  ``order``
    returns the sort key of a row; ties are in their order of arrival, which S-310.c allows.

    The first rows, up to offset plus limit, are in a sorted list.  The rows after them are
    retained, too, because they move up when an earlier row is deleted.  They are in a heap, so that
    a change costs the logarithm of their number.
    """

    def __init__(
        self,
        order: Callable[[Row], "SupportsOrder"],
        span: Callable[[], tuple[int, int | None]],
        with_ties: bool,
    ) -> None:
        self._order, self._with_ties = order, with_ties
        self._read_span = span
        self._known_span: tuple[int, int | None] | None = None
        self._first: list[_Entry] = []  # sorted
        self._rest: list[_Entry] = []  # a heap
        # The number of rows by identity, and of all, that are deleted and still in the heap.
        self._deleted: dict[tuple[object, ...], int] = {}
        self._deleted_count = 0
        self._arrivals = 0

    def step(self, inputs: Sequence[WeightedRows]) -> WeightedRows:
        """The changes of the output: the rows that have come into FETCH's range, or left it."""
        (changed,) = inputs
        offset, _ = self._span
        before = self._first.copy()
        deletes = any(weight != 1 for _, weight in changed)
        for row, weight in single(changed) if deletes else changed:
            if weight > 0:
                self._insert(row)
            else:
                self._delete(row)
        self._move_across()
        if self._first == before:
            return ()
        return difference(_rows(self._first[offset:]), _rows(before[offset:]))

    @property
    def _span(self) -> tuple[int, int | None]:
        """The offset and the limit, which never change."""
        if self._known_span is None:
            self._known_span = self._read_span()
        return self._known_span

    def _insert(self, row: Row) -> None:
        """Insert a row among the first ones if it is before the last of them, else in the heap."""
        self._arrivals += 1
        entry = (self._order(row), self._arrivals, row)
        if self._first and entry < self._first[-1]:
            insort(self._first, entry)
        else:
            heappush(self._rest, entry)

    def _delete(self, row: Row) -> None:
        """Delete the first row that is equal to this one; in the heap, it is only counted."""
        order, same = self._order(row), identity_of(row)
        place = bisect_left(self._first, order, key=_ORDER)
        while place < len(self._first) and self._first[place][0] == order:
            if identity_of(self._first[place][2]) == same:
                del self._first[place]
                return
            place += 1
        self._deleted[same] = self._deleted.get(same, 0) + 1
        self._deleted_count += 1
        if self._deleted_count > len(self._rest) // 2 + _FEW:
            self._rest = [each for each in sorted(self._rest) if not self._was_deleted(each)]

    def _was_deleted(self, entry: "_Entry") -> bool:
        """Return whether an entry that leaves the heap was deleted; if so, stop counting it.

        Of equal rows the first ones are deleted, and they leave the heap first.
        """
        if not self._deleted_count:
            return False
        same = identity_of(entry[2])
        number = self._deleted.pop(same, 0)
        if number > 1:
            self._deleted[same] = number - 1
        self._deleted_count -= number > 0
        return number > 0

    def _move_across(self) -> None:
        """Move rows between the heap and the first ones, until those are as many as needed."""
        offset, limit = self._span
        first, end = self._first, None if limit is None else offset + limit
        while end is not None and len(first) > end and not self._is_tie(first[-1], end):
            heappush(self._rest, first.pop())
        while self._rest and (end is None or len(first) < end or self._is_tie(self._rest[0], end)):
            entry = heappop(self._rest)
            if not self._was_deleted(entry):
                first.append(entry)

    def _is_tie(self, entry: "_Entry", end: int) -> bool:
        """Whether a row belongs to the first rows because it ties with number ``end`` of them.

        False without WITH TIES, and if the limit is 0, because then no row is the last one.
        """
        if not self._with_ties or not self._span[1]:
            return False
        return entry[0] == self._first[end - 1][0]

    @property
    def retained(self) -> int:
        """The number of rows, without those that are deleted and still in the heap."""
        return len(self._first) + len(self._rest) - self._deleted_count


def _rows(entries: "Sequence[_Entry]") -> Relation:
    """The rows of ``entries``."""
    return [row for _, _, row in entries]
