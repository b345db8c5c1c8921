"""Rows that are deleted again: the rows of a stream WITH CHANGES, and the changes of an answer."""

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from algebra.catalog import Table
from spark_backend.types import Row

_R = TypeVar("_R", bound=Hashable)


@dataclass(slots=True)
class ValidRows:
    """The rows of a stream WITH CHANGES that are valid now, in this process (S-1005)."""

    table: Table
    rows: list[Row] = field(default_factory=list[Row])

    def insert(self, row: Row) -> None:
        """Add a row; with a KEY it replaces the row that has its key."""
        place = self._place(row) if self.table.primary_key else None
        if place is None:
            self.rows.append(row)
        else:
            self.rows[place] = row

    def delete(self, row: Row) -> bool:
        """Remove the row with the key, or one equal row; return whether there was one."""
        place = self._place(row)
        if place is not None:
            del self.rows[place]
        return place is not None

    def _place(self, row: Row) -> int | None:
        key = self._key(row)
        return next((i for i, each in enumerate(self.rows) if self._key(each) == key), None)

    def _key(self, row: Row) -> tuple[Hashable, ...]:
        places = self.table.primary_key or range(len(row))
        return tuple(comparable(row[place]) for place in places)


def comparable(value: Hashable) -> Hashable:
    """The value; a stand-in for NaN, because NaNs are equal where rows are compared."""
    return "NaN" if isinstance(value, float) and math.isnan(value) else value


def differences(now: Sequence[_R], before: Sequence[_R]) -> list[tuple[_R, int]]:
    """The rows lost (-1) and gained (1) from one full result to the next, the losses first."""
    gained, lost = Counter(now), Counter(before)
    return [
        *((row, -1) for row in (lost - gained).elements()),
        *((row, 1) for row in (gained - lost).elements()),
    ]
