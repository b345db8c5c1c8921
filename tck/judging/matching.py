"""Rows expected against rows that came: which are the same, which are missing, which are extra."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tck.corpus.case import Cell, CellRow
from tck.corpus.values import Reading, UnreadableError, read, same, wire
from tck.judging.pairing import Pairing
from tck.protocol import ColumnInfo, Wire, WireRow


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
    """The rows paired as bags: as many as can be."""
    pairing = Pairing(alike(expected, actual))
    pairing.add_left(range(len(expected)))
    return matching_of(pairing, len(expected), len(actual))


def matching_of(pairing: Pairing, expected: int, actual: int) -> Matching:
    """The pairs, and what is left of so many rows on either side."""
    missing = tuple(i for i in range(expected) if i not in pairing.right_of)
    extra = tuple(i for i in range(actual) if i not in pairing.left_of)
    return Matching(pairing.pairs, missing, extra)


def alike(expected: Sequence[ReadRow], actual: Sequence[ReadRow]) -> list[list[int]]:
    """For each expected row the places of the actual rows that are the same, in their order."""
    by_exact_values: dict[Hashable, list[int]] = {}
    for place, row in enumerate(actual):
        by_exact_values.setdefault(_exact_values(row), []).append(place)
    return [
        [i for i in by_exact_values.get(_exact_values(row), ()) if same_row(row, actual[i])]
        for row in expected
    ]


def _exact_values(row: ReadRow) -> Hashable:
    """What two rows that are the same have in common: all but their floating values."""
    return tuple(
        None
        if shown.reading is None or isinstance(shown.reading.value, float)
        else (type(shown.reading.value), shown.reading.value)
        for shown in row
    )


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
