"""Differences between two tables of rows as lines of text: expected on the left, actual beside."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Final, TypeAlias

from tck.judging.matching import Matching, ReadRow
from tck.protocol import ColumnInfo

#: A mark and the texts of a row; None: the line is empty on that side.
_Side: TypeAlias = tuple[str, tuple[str, ...]] | None

#: Up to so many lines are all shown; of more, those within `_CONTEXT` lines of a marked one.
_LINES: Final = 40
_CONTEXT: Final = 2


def rows_beside(
    columns: Sequence[ColumnInfo],
    expected: Sequence[ReadRow],
    actual: Sequence[ReadRow],
    matching: Matching,
) -> tuple[str, ...]:
    """Paired rows on one line each; ``-`` marks the missing rows, ``+`` the extra ones.

    The n-th missing row is on one line with the n-th extra row; further extra rows follow at the
    end.
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
    """The n-th rows of both sides on one line; ``>`` marks the line at place ``marked``, from 0."""
    lines: list[tuple[_Side, _Side]] = []
    for place, (left, right) in enumerate(zip_longest(expected, actual)):
        mark = ">" if place == marked else " "
        lines.append(
            ((mark, texts(left)) if left else None, (mark, texts(right)) if right else None)
        )
    return _drawn([column.name for column in columns], lines)


def lines_beside(expected: Sequence[str], actual: Sequence[str]) -> tuple[str, ...]:
    """The n-th lines of both sides on one line; ``>`` marks those that differ."""
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
    """The values of a row as reports show them."""
    return tuple(value.text for value in row)


def _drawn(header: Sequence[str], lines: Sequence[tuple[_Side, _Side]]) -> tuple[str, ...]:
    """Both sides as tables with aligned columns; runs of lines far from marks become a count."""
    drawn_places = _near_marks(lines)
    rows = [side[1] for place in drawn_places for side in lines[place] if side] + [tuple(header)]
    widths = [
        max(len(row[i]) if i < len(row) else 0 for row in rows) for i in range(max(map(len, rows)))
    ]
    head = _aligned(header, widths)
    width = max(len(head), len("expected"), sum(widths) + 2 * max(0, len(widths) - 1))
    drawn = [f"  {'expected':{width}}    actual"]
    if header:
        drawn.append(f"  {head:{width}}    {head}")
    last = -1
    for place in drawn_places:
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
    """The places of the lines to show, ascending, at most `_LINES` of them."""
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
