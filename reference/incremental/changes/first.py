"""ORDER BY with a limit over weighted rows: all rows are retained in order, the first are shown."""

from bisect import bisect_left, insort
from collections.abc import Callable, Sequence
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from reference.incremental.changes.operator import WeightedRows
from reference.relation import Relation, Row, identity_of
from reference.relational.changelog import difference, single
from reference.snapshot import stateful

if TYPE_CHECKING:
    from _typeshed import SupportsRichComparison as SupportsOrder

_ORDER: Final = itemgetter(0)


@stateful
class First:
    """ORDER BY … OFFSET … FETCH (S-507): ``span`` returns offset and limit; None for no limit.

    ``order`` returns the sort key of a row; ties are in their order of arrival.  The rows after the
    first ones are retained, too, because they move up when an earlier row is deleted.
    """

    def __init__(
        self,
        order: Callable[[Row], "SupportsOrder"],
        span: Callable[[], tuple[int, int | None]],
        with_ties: bool,
    ) -> None:
        self._order, self._with_ties = order, with_ties
        self._read_span = span
        self._sorted: list[tuple[SupportsOrder, Row]] = []
        self._shown: Relation = ()

    def step(self, inputs: Sequence[WeightedRows]) -> WeightedRows:
        """The rows that have moved into the first rows, and out of them."""
        (changed,) = inputs
        deletes = any(weight != 1 for _, weight in changed)
        for row, weight in single(changed) if deletes else changed:
            if weight > 0:
                insort(self._sorted, (self._order(row), row), key=_ORDER)  # after ties
            else:
                del self._sorted[self._place(row)]
        now = [row for _, row in self._first()]
        before, self._shown = self._shown, now
        return difference(now, before) if now != before else ()

    @cached_property
    def _span(self) -> tuple[int, int | None]:
        """The offset and the limit, which never change."""
        return self._read_span()

    def _place(self, row: Row) -> int:
        """The place of the first row that is equal to this one."""
        place = bisect_left(self._sorted, self._order(row), key=_ORDER)
        same: tuple[object, ...] = identity_of(row)
        while identity_of(self._sorted[place][1]) != same:
            place += 1
        return place

    def _first(self) -> "Sequence[tuple[SupportsOrder, Row]]":
        offset, limit = self._span
        if limit is None:
            return self._sorted[offset:]
        end = offset + limit
        if self._with_ties and limit > 0 and end <= len(self._sorted):
            last, _ = self._sorted[end - 1]
            while end < len(self._sorted) and self._sorted[end][0] == last:
                end += 1
        return self._sorted[offset:end]

    @property
    def retained(self) -> int:
        """The rows."""
        return len(self._sorted)
