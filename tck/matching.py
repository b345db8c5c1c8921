"""Rows expected against rows that came: which are the same, which are missing, which are extra."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tck.case import Cell, CellRow
from tck.protocol import ColumnInfo, Wire, WireRow
from tck.values import Reading, UnreadableError, read, same, wire


@dataclass(frozen=True, slots=True)
class Shown:
    """A value of a row, read by its column's type, and as a person sees it.

    ``reading`` is None where the value is none of the type: then it is the same as no other.
    """

    reading: Reading | None
    text: str


ReadRow: TypeAlias = tuple[Shown, ...]


@dataclass(frozen=True, slots=True)
class Matching:
    """Rows paired one to one.

    ``pairs`` are places (expected, actual) in the order of the expected; ``missing`` and ``extra``
    are the places of those without a partner.
    """

    pairs: tuple[tuple[int, int], ...]
    missing: tuple[int, ...]
    extra: tuple[int, ...]


def read_row(row: CellRow | WireRow, columns: Sequence[ColumnInfo], day: str | None) -> ReadRow:
    """A row by its columns; values beyond the columns are not of any type."""
    types = [column.type for column in columns]
    return tuple(
        _shown(cell, types[i], day) if i < len(types) else Shown(None, str(cell))
        for i, cell in enumerate(row)
    )


def same_row(left: ReadRow, right: ReadRow) -> bool:
    """Whether two rows are as wide, and the same in each column."""
    return len(left) == len(right) and all(
        a.reading is not None and b.reading is not None and same(a.reading, b.reading)
        for a, b in zip(left, right, strict=True)
    )


def match_rows(expected: Sequence[ReadRow], actual: Sequence[ReadRow]) -> Matching:
    """The rows paired as bags, each with the first free partner."""
    free = list(range(len(actual)))
    pairs: list[tuple[int, int]] = []
    missing: list[int] = []
    for place, row in enumerate(expected):
        partner = next((other for other in free if same_row(row, actual[other])), None)
        if partner is None:
            missing.append(place)
        else:
            free.remove(partner)
            pairs.append((place, partner))
    return Matching(tuple(pairs), tuple(missing), tuple(free))


def match_places(expected: Sequence[ReadRow], actual: Sequence[ReadRow]) -> int | None:
    """The first place where two lists of rows differ, None where they are the same."""
    for place in range(max(len(expected), len(actual))):
        inside = place < len(expected) and place < len(actual)
        if not (inside and same_row(expected[place], actual[place])):
            return place
    return None


def _shown(cell: Cell | Wire, type: str, day: str | None) -> Shown:
    try:
        reading = read(cell, type, day)
    except UnreadableError:
        return Shown(None, f"{cell!r}?")
    return Shown(reading, show(wire(reading, type)))


def show(value: Wire) -> str:
    """A value as a person sees it in a table: texts as they are, the others as in SQL."""
    match value:
        case None:
            return "NULL"
        case bool():
            return str(value).upper()
        case _:
            return str(value)
