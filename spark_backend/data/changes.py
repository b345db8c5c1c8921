"""Inserts and deletes of rows: of a stream WITH CHANGES, and of the answer of a query.

In a buffer of changes each row has its weight, 1 or -1, after its columns.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Final, TypeVar

from algebra.catalog import Stream, Table, row_type_of
from algebra.types import INTEGER, Type
from algebra.wire import WireRow
from grammar.codes import Code
from spark_backend.data.ingress import Checks, Refusal, ingress_of, row_reader
from spark_backend.data.row_buffer import RowBuffer
from spark_backend.relation import types_of
from spark_backend.types import Row

_R = TypeVar("_R", bound=Hashable)

#: Why a delete is a bad row (S-1005.e).
NOT_THERE: Final = "there is no such row to delete"


def is_changing(relation: Table | Stream) -> bool:
    """Whether ``relation`` is a stream WITH CHANGES: events insert and delete its rows."""
    return isinstance(relation, Table) and relation.changing


class ValidRows:
    """The rows of a stream WITH CHANGES that are valid now, in this process (S-1005)."""

    def __init__(self, table: Table, rows: Iterable[Row]) -> None:
        self._table = table
        self._rows: dict[int, Row] = {}
        #: For each key, the numbers of its rows; without KEY, all columns are the key.
        self._numbers: dict[tuple[Hashable, ...], list[int]] = {}
        self._next = 0
        for each in rows:
            self.insert(each)

    @property
    def rows(self) -> Sequence[Row]:
        """The rows in the order of their arrival; a row that replaces another takes its place."""
        return list(self._rows.values())

    def insert(self, row: Row) -> None:
        """Add a row; with a KEY it replaces the row that has its key."""
        numbers = self._numbers.setdefault(self._key(row), [])
        if numbers and self._table.primary_key:
            self._rows[numbers[0]] = row
            return
        numbers.append(self._next)
        self._rows[self._next] = row
        self._next += 1

    def delete(self, row: Row) -> bool:
        """Remove one row: with a KEY, that with the key of ``row``; without, the first equal row.

        Return whether there was such a row.
        """
        key = self._key(row)
        numbers = self._numbers.get(key)
        if not numbers:
            return False
        del self._rows[numbers.pop(0)]
        if not numbers:
            del self._numbers[key]
        return True

    def _key(self, row: Row) -> tuple[Hashable, ...]:
        """The values of the KEY; without KEY, all values."""
        columns = self._table.primary_key or range(len(row))
        return tuple(comparable(row[column]) for column in columns)


def comparable(value: Hashable) -> Hashable:
    """``value``, but a text for NaN: equal rows can have NaN, and in Python NaN != NaN."""
    return "NaN" if isinstance(value, float) and math.isnan(value) else value


def differences(now: Sequence[_R], before: Sequence[_R]) -> list[tuple[_R, int]]:
    """The changes from the rows ``before`` to the rows ``now``: the lost rows, then the new ones.

    Each row has its weight: -1 if it is lost, and 1 if it is new.
    """
    gained, lost = Counter(now), Counter(before)
    return [
        *((row, -1) for row in (lost - gained).elements()),
        *((row, 1) for row in (gained - lost).elements()),
    ]


def weighted(types: Sequence[Type]) -> tuple[Type, ...]:
    """The column types of a buffer of changes: ``types``, and that of the weight."""
    return (*types, INTEGER.as_nullable(False))


def changes_reader(table: Table) -> Callable[[int, WireRow], Row]:
    """A function from a weight and a row on the wire to the row's internal values.

    If the table has a KEY, only the key of a delete is read, and its other columns are NULL
    (S-1005.d).  The function raises `BadRowError` for a wrong width or type.
    """
    key, types = table.primary_key, types_of(row_type_of(table))
    whole = row_reader(types)
    key_only = row_reader(
        [each if i in key else each.as_nullable() for i, each in enumerate(types)]
    )

    def read(weight: int, row: WireRow) -> Row:
        if weight > 0 or not key:
            return whole(row)
        return key_only(tuple(value if i in key else None for i, value in enumerate(row)))

    return read


def apply_changes(
    table: Table, before: Iterable[Row], changes: RowBuffer, checks: Checks
) -> tuple[Sequence[Row], RowBuffer, Sequence[Refusal]]:
    """Apply ``changes``, one by one, to the valid rows ``before``.

    Return the valid rows after the changes, the changes that are accepted, and the refusals of the
    other changes.  A change is refused if it deletes a row that is not there, or inserts a row that
    violates a constraint.  The place of a refusal is the index of its change in ``changes``.
    """
    valid, accepted = ValidRows(table, before), RowBuffer(changes.types)
    rows = [(change[:-1], change[-1] == 1) for change in changes.rows()]
    inserts = [place for place, (_, is_insert) in enumerate(rows) if is_insert]
    # No column is ordered (S-1005.f), so each row is judged by itself.
    _, bad = ingress_of(table).judge([rows[place][0] for place in inserts], checks)
    reasons = {inserts[each.place]: each.reason for each in bad}
    for place, (row, is_insert) in enumerate(rows):
        if is_insert and place not in reasons:
            valid.insert(row)
        elif not is_insert and not valid.delete(row):
            reasons[place] = NOT_THERE
        if place not in reasons:
            accepted.append((*row, 1 if is_insert else -1))
    refused = [Refusal(place, Code.BAD_ROW, reasons[place]) for place in sorted(reasons)]
    return valid.rows, accepted, refused
