"""Whether two answers are the same."""

import math
from collections.abc import Sequence
from decimal import Decimal

from tests.differential.engines import Answered

_Row = tuple[Answered, ...]


def same_value(a: Answered, b: Answered) -> bool:
    """Exact values of one type if they are equal, floats within 1e-9 of each other."""
    if isinstance(a, float) and isinstance(b, float):
        return (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=1e-9, abs_tol=0)
    return type(a) is type(b) and a == b


def same_row(a: _Row, b: _Row) -> bool:
    """Whether all values are the same."""
    return all(map(same_value, a, b))


def same_rows(left: Sequence[_Row], right: Sequence[_Row], ordered: bool) -> bool:
    """Whether the rows are the same, with their repetitions; in the same order if ``ordered``."""
    if len(left) != len(right):
        return False
    if ordered:
        return all(map(same_row, left, right))
    remaining = sorted(right, key=_key)
    for row in sorted(left, key=_key):
        place = next((i for i, each in enumerate(remaining) if same_row(row, each)), None)
        if place is None:
            return False
        del remaining[place]
    return True


def _key(row: _Row) -> tuple[tuple[str, float, str], ...]:
    """An order in which rows that are the same stand near each other."""
    return tuple(
        (
            type(each).__name__,
            float(each) if isinstance(each, bool | int | float | Decimal) else 0.0,
            each if isinstance(each, str) else "",
        )
        for each in row
    )
