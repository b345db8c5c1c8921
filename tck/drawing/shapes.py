"""The SVG paths of lines in a picture, and the widths of texts; all lengths are in pixels."""

import re
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Final

#: The width of a character as a multiple of the font's size, in the widest of the usual fonts.
_WIDTHS: Final = {" ": 0.33, ",": 0.33, ".": 0.33, ":": 0.35, "(": 0.4, ")": 0.4, "-": 0.37}
#: A date, a time of day or both, as SQL writes them.
_TIME: Final = re.compile(r"((?:\d{4}-\d\d-\d\d )?\d\d:\d\d(?::\d\d(?:\.\d+)?)?|\d{4}-\d\d-\d\d)")
#: The radius of the corners of a line.
_CORNER: Final = 7.0


def n(length: float) -> str:
    """A length as text with at most one decimal.

    >>> n(3.04), n(12.25)
    ('3', '12.2')
    """
    return f"{length:.1f}".removesuffix(".0")


def elbow(start: tuple[float, float], end: tuple[float, float], drop: float) -> str:
    """A path from an event down by ``drop``, across, and down to a row emitted at that event."""
    (x0, y0), (x1, y1) = start, end
    width = x1 - x0  # negative: the line goes to the left
    if abs(width) < 1:
        return f"M{n(x0)} {n(y0)}V{n(y1)}"
    r = min(_CORNER, abs(width) / 2, drop)
    turn = r if width > 0 else -r
    across = y0 + drop
    return (
        f"M{n(x0)} {n(y0)}V{n(across - r)}Q{n(x0)} {n(across)} {n(x0 + turn)} {n(across)}"
        f"H{n(x1 - turn)}Q{n(x1)} {n(across)} {n(x1)} {n(across + r)}V{n(y1)}"
    )


def tie(start: tuple[float, float], end: tuple[float, float]) -> str:
    """A curve from an input row to an emitted row that was computed from it."""
    (x0, y0), (x1, y1) = start, end
    middle = (y0 + y1) / 2
    return f"M{n(x0)} {n(y0)}C{n(x0)} {n(middle)} {n(x1)} {n(middle)} {n(x1)} {n(y1)}"


def wide(text: str, size: float) -> float:
    """An upper bound of the width of a text in any usual font of ``size`` pixels.

    >>> round(wide("10:17", 10), 1)
    29.5
    """
    return size * _relative_width(text)


@lru_cache(10_000)
def _relative_width(text: str) -> float:
    """The width of a text as a multiple of the font's size."""
    return sum(_WIDTHS.get(each, 0.72 if each.isupper() or each == "_" else 0.65) for each in text)


def cut(text: str, room: float, size: float = 13) -> str:
    """The text, `shortened` if it is wider than ``room`` in a font of ``size`` pixels."""
    return shortened(text, room, partial(wide, size=size))


def least(text: str, size: float = 13) -> float:
    """The width of a text that is cut as much as possible: its times remain."""
    return wide(cut(text, 0, size), size)


def shortened(text: str, room: float, measure: Callable[[str], float]) -> str:
    """The text with an ellipsis in place of its last characters that do not fit into ``room``.

    Dates and times stay whole, so that two that differ never look the same; a text that has
    many may therefore remain wider than ``room``.

    >>> shortened("a long text, 10:17:00, 4", 16, len)
    'a long…10:17:00…'
    """
    if measure(text) <= room:
        return text
    pieces = _TIME.split(text)
    for place in range(len(pieces) - 1, -1, -2):
        others = sum(map(measure, pieces)) - measure(pieces[place])
        pieces[place] = _beginning(pieces[place], room - others, measure)
    return "".join(pieces)


def _beginning(text: str, room: float, measure: Callable[[str], float]) -> str:
    """As much of the beginning of a text as fits with an ellipsis; a text that fits, or a comma."""
    if measure(text) <= room or len(text) < len("…, "):
        return text
    kept = text
    while kept and measure(kept) + measure("…") > room:
        kept = kept[:-1]
    return f"{kept.rstrip()}…"
