"""The multiset of rows that an operator retains: distinct rows with their numbers."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from reference.incremental.changes.operator import WeightedRows
from reference.relation import Row, identity_of
from reference.snapshot import stateful


@stateful
@dataclass(slots=True, eq=False)
class Bag:
    """A multiset of rows in the order of their first arrival; NULL is equal to NULL.

    While the changes of one event are applied, a number may be negative.
    """

    #: By its identity, the first of equal rows, and the number of these rows.
    _rows: dict[tuple[object, ...], tuple[Row, int]] = field(
        default_factory=dict[tuple[object, ...], tuple[Row, int]]
    )

    def apply(
        self, weighted: WeightedRows, same: Callable[[Row], tuple[object, ...]] = identity_of
    ) -> None:
        """Add each weight to the number of its row; a row whose number becomes 0 is evicted.

        ``same`` computes the identity of a row, which is the same for equal rows (`identity_of`, or
        a faster function of `reference.relation.identity_by`).
        """
        for row, weight in weighted:
            self.add(row, weight, same(row))

    def add(self, row: Row, weight: int, key: tuple[object, ...]) -> None:
        """Add ``weight`` to the number of a row whose identity is ``key``."""
        first_row, number = self._rows.get(key, (row, 0))
        if number + weight:
            self._rows[key] = (first_row, number + weight)
        else:
            self._rows.pop(key, None)

    def __iter__(self) -> Iterator[tuple[Row, int]]:
        """Each distinct row, with the number of rows equal to it."""
        return iter(self._rows.values())

    def __len__(self) -> int:
        """The number of distinct rows."""
        return len(self._rows)

    def rows(self) -> list[Row]:
        """The rows, equal ones one after the other."""
        return [row for row, number in self._rows.values() for _ in range(number)]
