"""Expected rows paired with emitted rows: which are equal, which are missing, which are extra."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tck.corpus.case import Cell, CellRow
from tck.corpus.values import TypedValue, UnreadableError, read_value, same_value, wire_value
from tck.judging.pairing import Pairing
from tck.protocol import ColumnInfo, Wire, WireRow


@dataclass(frozen=True, slots=True)
class ReadValue:
    """A value of a row, read by its column's type, and as reports show it.

    ``typed`` is None where the type has no such value: then it is equal to no other.
    """

    typed: TypedValue | None
    text: str


ReadRow: TypeAlias = tuple[ReadValue, ...]


@dataclass(frozen=True, slots=True)
class Matching:
    """Equal rows paired one to one.

    ``pairs`` are places (expected, actual) in the order of the expected rows; ``missing`` are the
    places of expected rows, ``extra`` those of actual rows, without a partner.
    """

    pairs: tuple[tuple[int, int], ...]
    missing: tuple[int, ...]
    extra: tuple[int, ...]


def read_row(row: CellRow | WireRow, columns: Sequence[ColumnInfo], day: str | None) -> ReadRow:
    """The values of a row, read by its columns; one beyond the last column has no type.

    ``day`` completes timestamps without a date; None: none may be without.
    """
    types = [column.type for column in columns]
    return tuple(
        _read(cell, types[i], day) if i < len(types) else ReadValue(None, str(cell))
        for i, cell in enumerate(row)
    )


def same_row(left: ReadRow, right: ReadRow) -> bool:
    """Whether two rows have the same number of columns, and the same value in each."""
    return len(left) == len(right) and all(
        a.typed is not None and b.typed is not None and same_value(a.typed, b.typed)
        for a, b in zip(left, right, strict=True)
    )


def match_rows(expected: Sequence[ReadRow], actual: Sequence[ReadRow]) -> Matching:
    """A greatest matching of equal rows, in any order: a comparison of bags."""
    pairing = Pairing(candidates(expected, actual))
    pairing.add_left(range(len(expected)))
    missing = tuple(i for i in range(len(expected)) if i not in pairing.right_of)
    extra = tuple(i for i in range(len(actual)) if i not in pairing.left_of)
    return Matching(pairing.pairs, missing, extra)


def candidates(expected: Sequence[ReadRow], actual: Sequence[ReadRow]) -> list[list[int]]:
    """For each expected row the places of the actual rows equal to it, ascending."""
    by_exact_values: dict[Hashable, list[int]] = {}
    for place, row in enumerate(actual):
        by_exact_values.setdefault(_exact_values(row), []).append(place)
    return [
        [i for i in by_exact_values.get(_exact_values(row), ()) if same_row(row, actual[i])]
        for row in expected
    ]


def _exact_values(row: ReadRow) -> Hashable:
    """A hash key that equal rows share: all values but floating ones, which compare roughly."""
    return tuple(
        None
        if each.typed is None or isinstance(each.typed.value, float)
        else (type(each.typed.value), each.typed.value)
        for each in row
    )


def first_difference_of_rows(expected: Sequence[ReadRow], actual: Sequence[ReadRow]) -> int | None:
    """The first place where two lists of rows differ; None: they are the same."""
    for place in range(max(len(expected), len(actual))):
        both = place < len(expected) and place < len(actual)
        if not (both and same_row(expected[place], actual[place])):
            return place
    return None


def _read(cell: Cell | Wire, type: str, day: str | None) -> ReadValue:
    try:
        typed = read_value(cell, type, day)
    except UnreadableError:
        return ReadValue(None, f"{cell!r}?")
    return ReadValue(typed, shown(wire_value(typed, type)))


def shown(value: Wire) -> str:
    """A wire value as reports show it: NULL, TRUE and FALSE as in SQL, the others as they are."""
    match value:
        case None:
            return "NULL"
        case bool():
            return str(value).upper()
        case _:
            return str(value)
