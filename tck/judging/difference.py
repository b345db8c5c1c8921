"""Differences between tables of rows, drawn for people: expected beside actual."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Final, TypeAlias

from tck.judging.matching import Matching, ReadRow
from tck.protocol import ColumnInfo

#: A mark and a row, or nothing on that side.
_Side: TypeAlias = tuple[str, tuple[str, ...]] | None

_LINES: Final = 40
_CONTEXT: Final = 2


def rows_beside(
    columns: Sequence[ColumnInfo],
    expected: Sequence[ReadRow],
    actual: Sequence[ReadRow],
    matching: Matching,
) -> tuple[str, ...]:
    """Rows that match on one line; ``-`` marks those that are missing, ``+`` those not expected.

    What is missing stands beside what came instead, in the order of both.
    """
    partner = dict(matching.pairs)
    instead = iter(matching.extra)
    lines: list[tuple[_Side, _Side]] = []
    for place, row in enumerate(expected):
        if place in partner:
            lines.append(((" ", texts(row)), (" ", texts(actual[partner[place]]))))
        else:
            other = next(instead, None)
            right = None if other is None else ("+", texts(actual[other]))
            lines.append((("-", texts(row)), right))
    lines.extend((None, ("+", texts(actual[place]))) for place in instead)
    return _drawn([column.name for column in columns], lines)


def places_beside(
    columns: Sequence[ColumnInfo],
    expected: Sequence[ReadRow],
    actual: Sequence[ReadRow],
    marked: int,
) -> tuple[str, ...]:
    """Rows place by place; ``>`` marks the place that is meant."""
    lines: list[tuple[_Side, _Side]] = []
    for place, (left, right) in enumerate(zip_longest(expected, actual)):
        mark = ">" if place == marked else " "
        lines.append(
            ((mark, texts(left)) if left else None, (mark, texts(right)) if right else None)
        )
    return _drawn([column.name for column in columns], lines)


def lines_beside(expected: Sequence[str], actual: Sequence[str]) -> tuple[str, ...]:
    """Lines of text place by place; ``>`` marks those that differ."""
    lines: list[tuple[_Side, _Side]] = []
    for left, right in zip_longest(expected, actual):
        mark = " " if left == right else ">"
        lines.append(
            (
                (mark, (left,)) if left is not None else None,
                (mark, (right,)) if right is not None else None,
            )
        )
    return _drawn([], lines)


def texts(row: ReadRow) -> tuple[str, ...]:
    """The values of a row as a person sees them."""
    return tuple(shown.text for shown in row)


def _drawn(header: Sequence[str], lines: Sequence[tuple[_Side, _Side]]) -> tuple[str, ...]:
    """Both sides as tables with aligned columns, cut to what is near a mark."""
    kept = _near_marks(lines)
    rows = [side[1] for place in kept for side in lines[place] if side] + [tuple(header)]
    widths = [
        max(len(row[i]) if i < len(row) else 0 for row in rows) for i in range(max(map(len, rows)))
    ]
    head = _aligned(header, widths)
    width = max(len(head), len("expected"), sum(widths) + 2 * max(0, len(widths) - 1))
    drawn = [f"  {'expected':{width}}    actual"]
    if header:
        drawn.append(f"  {head:{width}}    {head}")
    last = -1
    for place in kept:
        if place > last + 1:
            drawn.append(f"  ... {place - last - 1} more")
        left, right = (
            f"{side[0]} {_aligned(side[1], widths)}" if side else "" for side in lines[place]
        )
        drawn.append(f"{left:{width + 2}}  {right}")
        last = place
    if last < len(lines) - 1:
        drawn.append(f"  ... {len(lines) - 1 - last} more")
    return tuple(line.rstrip() for line in drawn)


def _near_marks(lines: Sequence[tuple[_Side, _Side]]) -> list[int]:
    """The places of lines to show: all of a few, else the marked ones and their neighbours."""
    if len(lines) <= _LINES:
        return list(range(len(lines)))
    marked = [i for i, sides in enumerate(lines) if any(side and side[0] != " " for side in sides)]
    near = {
        place
        for mark in marked
        for place in range(mark - _CONTEXT, mark + _CONTEXT + 1)
        if 0 <= place < len(lines)
    }
    return sorted(near)[:_LINES]


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(f"{text:{width}}" for text, width in zip(row, widths, strict=False)).rstrip()
