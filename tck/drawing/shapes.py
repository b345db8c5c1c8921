"""Make the SVG paths of lines in a picture, and fit texts into widths; lengths are in pixels."""

import re
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Final

#: The widths of narrow characters as multiples of the font's size, in the widest usual font.
_WIDTHS: Final = {" ": 0.33, ",": 0.33, ".": 0.33, ":": 0.35, "(": 0.4, ")": 0.4, "-": 0.37}
#: The widths of an upper-case letter or "_", and of any other character, in the same unit.
_UPPER: Final = 0.72
_LOWER: Final = 0.65
#: A date, a time of day or both, as SQL writes them; its one group is the whole, for `re.split`.
_TIME: Final = re.compile(r"((?:\d{4}-\d\d-\d\d )?\d\d:\d\d(?::\d\d(?:\.\d+)?)?|\d{4}-\d\d-\d\d)")
#: The radius of the corners of a line.
_CORNER: Final = 7.0


def n(length: float) -> str:
    """A number as text with at most one decimal; the short name is for the texts of paths.

    >>> n(3.04), n(12.25)
    ('3', '12.2')
    """
    return f"{length:.1f}".removesuffix(".0")


def elbow(start: tuple[float, float], end: tuple[float, float], drop: float) -> str:
    """The path from an event to a row that it emits: down by ``drop``, across, and down.

    The corners are round.  If the row is straight below the event, the path is a line.
    """
    (x0, y0), (x1, y1) = start, end
    across_by = x1 - x0  # negative: the line goes to the left
    if abs(across_by) < 1:
        return f"M{n(x0)} {n(y0)}V{n(y1)}"
    r = min(_CORNER, abs(across_by) / 2, drop)  # the radius of the corners
    turn = r if across_by > 0 else -r
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


def text_width(text: str, size: float) -> float:
    """An upper bound of the width of a text in any usual font of ``size`` pixels.

    >>> round(text_width("10:17", 10), 1)
    29.5
    """
    return size * _relative_width(text)


@lru_cache(10_000)
def _relative_width(text: str) -> float:
    """The width of a text as a multiple of the font's size."""
    return sum(
        _WIDTHS.get(each, _UPPER if each.isupper() or each == "_" else _LOWER) for each in text
    )


def cut(text: str, room: float, size: float = 13) -> str:
    """The text, `shortened` if it is wider than ``room`` in a font of ``size`` pixels."""
    return shortened(text, room, partial(text_width, size=size))


def least_width(text: str, size: float = 13) -> float:
    """The width of a text after `cut` has removed as much as it can: dates and times remain."""
    return text_width(cut(text, 0, size), size)


def shortened(text: str, room: float, measure: Callable[[str], float]) -> str:
    """The text, cut off so that it fits into ``room``; an ellipsis marks each part left out.

    ``measure`` returns the width of a text.  Dates and times stay whole, so that two different
    times never look the same.  Because of this, a text with many times can stay wider than
    ``room``.  Other parts are cut off from the end of the text to its beginning.

    >>> shortened("a long text, 10:17:00, 4", 16, len)
    'a long…10:17:00…'
    """
    if measure(text) <= room:
        return text
    pieces = _TIME.split(text)  # at the odd places: dates and times; at the even: the texts between
    last = len(pieces) - 1  # an even place
    for place in range(last, -1, -2):
        others = sum(map(measure, pieces)) - measure(pieces[place])
        pieces[place] = _beginning(pieces[place], room - others, measure)
    return "".join(pieces)


def _beginning(text: str, room: float, measure: Callable[[str], float]) -> str:
    """The text if it fits, or else as much of its beginning as fits with an ellipsis.

    A text of one or two characters, such as a comma, is never cut off.
    """
    if measure(text) <= room or len(text) <= 2:
        return text
    beginning = text
    while beginning and measure(beginning) + measure("…") > room:
        beginning = beginning[:-1]
    return f"{beginning.rstrip()}…"
