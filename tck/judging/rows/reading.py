"""Read rows by the types of their columns, so that they can be compared and shown in reports."""

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from tck.corpus.case import Cell, CellRow
from tck.corpus.steps.literals import cell_literal, literal
from tck.corpus.values import Family, TypedValue, UnreadableError, same_value
from tck.judging.rows.widening import read_declared
from tck.protocol import ColumnInfo, Wire, WireRow


class ReadValue(NamedTuple):
    """A value of a row, read by the type of its column; ``cell`` is the value as it was written.

    ``typed`` is None if the type has no such value; then the value is not equal to any other.  Two
    values with the same ``key`` are equal.  Floating values may be equal with different keys.
    """

    cell: Cell | Wire
    type: str
    typed: TypedValue | None = None
    key: Hashable = None

    @property
    def text(self) -> str:
        """The value as a literal, with a note if it is not a value of its type."""
        if self.typed is not None:
            return literal(self.typed, self.type)
        return f"{cell_literal(self.cell)} (no {self.type or 'column'})"


ReadRow: TypeAlias = tuple[ReadValue, ...]


@dataclass(slots=True)
class RowReader:
    """Reads rows by ``types``, the types of a result; equal cells of a column are read once.

    ``declared`` are the types that the backend declares; the cells are written in the form of these
    types.  ``day`` is the date of timestamps without a date; None: each must have a date.
    """

    types: Sequence[str]
    declared: Sequence[str]
    day: str | None = None
    #: By column: the values that have been read, by the class and value of the cell.
    _known: list[dict[Hashable, ReadValue]] = field(init=False)

    def __post_init__(self) -> None:
        self._known = [{} for _ in self.types]

    def read(self, row: CellRow | WireRow) -> ReadRow:
        """The values of a row; a value after the last column has the type ""."""
        values = [
            known.get((cell.__class__, cell)) or self._value(place, cell)
            for place, (known, cell) in enumerate(zip(self._known, row, strict=False))
        ]
        return (*values, *[ReadValue(cell, "") for cell in row[len(values) :]])

    def _value(self, place: int, cell: Cell | Wire) -> ReadValue:
        """Read a cell of the column at ``place``, and store the value in `_known`."""
        type = self.types[place]
        declared = self.declared[place] if place < len(self.declared) else type
        try:
            typed = read_declared(cell, declared, type, self.day)
        except UnreadableError:
            value = ReadValue(cell, type)
        else:
            value = ReadValue(cell, type, typed, _key(typed))
        self._known[place][cell.__class__, cell] = value
        return value


def read_rows(
    rows: Iterable[CellRow | WireRow],
    columns: Sequence[ColumnInfo],
    day: str | None = None,
    declared: Sequence[ColumnInfo] | None = None,
) -> tuple[ReadRow, ...]:
    """Rows, read by the types of their columns, as `RowReader` does.

    ``declared`` None: the rows are written in the form of the same types.
    """
    types = [column.type for column in columns]
    theirs = types if declared is None else [column.type for column in declared]
    reader = RowReader(types, theirs, day)
    return tuple(map(reader.read, rows))


def same_row(left: ReadRow, right: ReadRow) -> bool:
    """Whether two rows have the same number of columns, and the same value in each."""
    return len(left) == len(right) and all(map(same_read_value, left, right))


def same_read_value(left: ReadValue, right: ReadValue) -> bool:
    """Whether both are values of their column's type, and the same one."""
    if left.typed is None or right.typed is None:
        return False
    return same_value(left.typed, right.typed)


def row_text(row: ReadRow) -> str:
    """A row in a sentence of a report: ``('2015-02-15 10:00:00', 10, NULL)``."""
    return f"({', '.join(value.text for value in row)})"


def _key(typed: TypedValue) -> Hashable:
    """The key of a value (`ReadValue`).

    In a column whose type the kit does not know, values of different classes, such as 1 and True,
    are not equal.  So their keys have the class.
    """
    value = typed.value
    if isinstance(value, float) and math.isnan(value):
        return "NaN"  # unlike a NaN, this text equals itself
    return (type(value), value) if typed.family is Family.OTHER else value
