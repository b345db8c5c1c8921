"""Lines, and how much room words take, in a picture; all lengths are pixels."""

from typing import Final

#: What a character is wide, as a part of the size of its font, in the widest font that is usual.
_WIDTHS: Final = {" ": 0.33, ",": 0.33, ".": 0.33, ":": 0.35, "(": 0.4, ")": 0.4, "-": 0.37}
#: How far a line goes round a corner.
_CORNER: Final = 7.0


def n(length: float) -> str:
    """A length with at most one digit behind the point.

    >>> n(3.04), n(12.25)
    ('3', '12.2')
    """
    return f"{length:.1f}".removesuffix(".0")


def elbow(start: tuple[float, float], end: tuple[float, float], drop: float) -> str:
    """From an event down, along below its line, and down to a row that it sets free."""
    (x0, y0), (x1, y1) = start, end
    way = x1 - x0
    if abs(way) < 1:
        return f"M{n(x0)} {n(y0)}V{n(y1)}"
    r = min(_CORNER, abs(way) / 2, drop)
    turn = r if way > 0 else -r
    across = y0 + drop
    return (
        f"M{n(x0)} {n(y0)}V{n(across - r)}Q{n(x0)} {n(across)} {n(x0 + turn)} {n(across)}"
        f"H{n(x1 - turn)}Q{n(x1)} {n(across)} {n(x1)} {n(across + r)}V{n(y1)}"
    )


def tie(start: tuple[float, float], end: tuple[float, float]) -> str:
    """From a row to what it is a part of."""
    (x0, y0), (x1, y1) = start, end
    middle = (y0 + y1) / 2
    return f"M{n(x0)} {n(y0)}C{n(x0)} {n(middle)} {n(x1)} {n(middle)} {n(x1)} {n(y1)}"


def wide(text: str, size: float) -> float:
    """How much room a text takes at most, in a font of ``size`` pixels; the font is not known.

    >>> round(wide("10:17", 10), 1)
    29.5
    """
    return size * sum(
        _WIDTHS.get(each, 0.72 if each.isupper() or each == "_" else 0.65) for each in text
    )


def cut(text: str, room: float, size: float = 13) -> str:
    """The text, or as much of it as there is room for."""
    if wide(text, size) <= room:
        return text
    while text and wide(text, size) + size > room:
        text = text[:-1]
    return f"{text.rstrip()}…"
