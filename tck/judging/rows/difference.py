"""Show two lists of rows side by side, as lines of text: expected left, actual right."""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from tck.judging.rows.matching import Matching
from tck.judging.rows.reading import ReadRow, ReadValue, same_read_value
from tck.protocol import ColumnInfo


@dataclass(frozen=True, slots=True)
class _Line:
    """The expected row (``left``), the actual row (``right``), and the marks before these rows.

    None: there is no row on that side.  ``alike``: the rows differ, but are shown side by side
    because they are similar.
    """

    left: ReadRow | tuple[str, ...] | None
    right: ReadRow | tuple[str, ...] | None
    marks: tuple[str, str] = (" ", " ")
    alike: bool = False

    @property
    def is_marked(self) -> bool:
        """Whether the line shows a difference."""
        return self.marks != (" ", " ")


#: At most this number of lines is shown.  Of a longer table, only the lines within `_CONTEXT` lines
#: of a marked line are shown.
_LINES: Final = 40
_CONTEXT: Final = 2
#: The number of extra rows among which the most similar one to a missing row is searched.
_CANDIDATES: Final = 40


def rows_beside(
    columns: Sequence[ColumnInfo],
    expected: Sequence[ReadRow],
    actual: Sequence[ReadRow],
    matching: Matching,
) -> tuple[str, ...]:
    """The lines of a table with the two rows of each pair on one line.

    ``-`` marks missing rows, and ``+`` extra rows.  A missing row is shown with the extra row that
    is most similar, with ``^`` under the columns that differ.  Further extra rows are at the end.
    """
    partner = dict(matching.pairs)
    similar = _most_alike(expected, actual, matching)
    lines: list[_Line] = []
    for place, row in enumerate(expected):
        if place in partner:
            lines.append(_Line(row, actual[partner[place]]))
        elif place in similar:
            lines.append(_Line(row, actual[similar[place]], ("-", "+"), alike=True))
        else:
            lines.append(_Line(row, None, ("-", " ")))
    used = set(similar.values())
    left_over = (place for place in matching.extra if place not in used)
    lines.extend(_Line(None, actual[place], (" ", "+")) for place in left_over)
    return _drawn([column.name for column in columns], lines)


def places_beside(
    columns: Sequence[ColumnInfo],
    expected: Sequence[ReadRow],
    actual: Sequence[ReadRow],
    marked: int,
) -> tuple[str, ...]:
    """The lines of a table with the n-th rows of both sides on one line.

    ``>`` marks the rows at the place ``marked``, counted from 0.
    """
    lines: list[_Line] = []
    for place, (left, right) in enumerate(zip_longest(expected, actual)):
        mark = ">" if place == marked else " "
        lines.append(_Line(left, right, (mark, mark)))
    return _drawn([column.name for column in columns], lines)


def lines_beside(
    expected: Sequence[str], actual: Sequence[str], wrong: Container[int] | None = None
) -> tuple[str, ...]:
    """The lines of a table with the n-th texts of both sides on one line.

    ``>`` marks the wrong texts.  ``wrong`` has their places, from 0; None: texts that differ are
    wrong.
    """
    lines: list[_Line] = []
    for place, (left, right) in enumerate(zip_longest(expected, actual)):
        mark = ">" if (left != right if wrong is None else place in wrong) else " "
        sides = (None if left is None else (left,), None if right is None else (right,))
        lines.append(_Line(*sides, (mark, mark)))
    return _drawn([], lines)


def _texts(side: ReadRow | tuple[str, ...] | None) -> tuple[str, ...] | None:
    """The texts of the values of a row; computed only for lines that are shown."""
    return None if side is None else tuple([v if isinstance(v, str) else v.text for v in side])


def _most_alike(
    expected: Sequence[ReadRow], actual: Sequence[ReadRow], matching: Matching
) -> dict[int, int]:
    """By missing row: the extra row with the fewest columns that differ.  Each is used once.

    After the first `_LINES` missing rows, a missing row just gets the next extra row.
    """
    free = list(matching.extra)
    similar: dict[int, int] = {}
    for place in matching.missing[: min(_LINES, len(free))]:
        best = min(
            free[:_CANDIDATES], key=lambda other: len(_differing(expected[place], actual[other]))
        )
        similar[place] = best
        free.remove(best)
    return similar | dict(zip(matching.missing[len(similar) :], free, strict=False))


def _differing(left: Sequence[ReadValue | str], right: Sequence[ReadValue | str]) -> set[int]:
    """The places of the columns in which two rows differ, or that only one of them has."""
    return {
        i for i, (ours, theirs) in enumerate(zip_longest(left, right)) if not _same(ours, theirs)
    }


def _same(left: ReadValue | str | None, right: ReadValue | str | None) -> bool:
    if isinstance(left, ReadValue) and isinstance(right, ReadValue):
        return same_read_value(left, right)
    return left == right


def _drawn(header: Sequence[str], lines: Sequence[_Line]) -> tuple[str, ...]:
    """Both sides as tables with aligned columns.

    ``header`` has the column names, or is empty.  Lines that are not shown become ``... 5 more``.
    """
    shown = {place: lines[place] for place in _shown_places(lines)}
    texts = {place: (_texts(line.left), _texts(line.right)) for place, line in shown.items()}
    sides = [side for both in texts.values() for side in both if side]
    rows = [*sides, tuple(header)]
    count = max(map(len, rows))  # rows can have different numbers of columns
    widths = [max(len(row[i]) if i < len(row) else 0 for row in rows) for i in range(count)]
    head = _aligned(header, widths)
    width = max(len(head), len("expected"), sum(widths) + 2 * max(0, len(widths) - 1))
    drawn = [f"  {'expected':{width}}    actual"]
    if header:
        drawn.append(f"  {head:{width}}    {head}")
    last = -1  # the place of the last line that was drawn
    for place, line in shown.items():
        if place > last + 1:
            drawn.append(f"  ... {place - last - 1} more")
        left, right = (
            "" if side is None else f"{mark} {_aligned(side, widths)}"
            for mark, side in zip(line.marks, texts[place], strict=True)
        )
        drawn.append(f"{left:{width + 2}}  {right}")
        differ = _differing(line.left or (), line.right or ()) if line.alike else set[int]()
        if 0 < len(differ) < len(widths):  # the columns that differ are underlined, unless all do
            under = _aligned(["^" * w if i in differ else "" for i, w in enumerate(widths)], widths)
            drawn.append(f"  {under:{width}}    {under}")
        last = place
    if last < len(lines) - 1:
        drawn.append(f"  ... {len(lines) - 1 - last} more")
    return tuple(line.rstrip() for line in drawn)


def _shown_places(lines: Sequence[_Line]) -> list[int]:
    """The places of the lines to show, ascending, at most `_LINES` of them.

    If there are more lines, the lines close to a marked line are shown.
    """
    if len(lines) <= _LINES:
        return list(range(len(lines)))
    near = {
        place
        for marked_place, line in enumerate(lines)
        if line.is_marked
        for place in range(marked_place - _CONTEXT, marked_place + _CONTEXT + 1)
        if 0 <= place < len(lines)
    }
    return sorted(near)[:_LINES]


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    """The texts of a row, each padded to the width of its column."""
    return "  ".join(f"{text:{width}}" for text, width in zip(row, widths, strict=False)).rstrip()
