"""Lines as a picture in SVG: a panel for each thing that grows."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from xml.sax.saxutils import escape

_WIDTH, _HEIGHT, _EDGE = 360, 200, 46
#: The room on the right, for the names of the lines.
_NAMES: Final = 100
#: From one name to the next, at the least.
_LINE: Final = 12
_COLORS: Final = ("#1f6feb", "#b35900", "#1a7f37", "#7b4b94", "#666666")


@dataclass(frozen=True, slots=True)
class Line:
    """A named line through points, from left to right."""

    name: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Panel:
    """Lines under a title; a scale that is not logarithmic begins at 0."""

    title: str
    lines: Sequence[Line]
    log_x: bool = True
    log_y: bool = True


def picture(panels: Sequence[Panel]) -> str:
    """The SVG, three panels side by side."""
    body = [
        f'<g transform="translate({place % 3 * _WIDTH} {place // 3 * _HEIGHT})">'
        + "".join(_drawn(panel))
        + "</g>"
        for place, panel in enumerate(panels)
    ]
    width, height = min(3, len(panels)) * _WIDTH, math.ceil(len(panels) / 3) * _HEIGHT
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        f' font-family="sans-serif" font-size="10">\n'
        f'<rect width="{width}" height="{height}" fill="white"/>\n' + "\n".join(body) + "\n</svg>\n"
    )


def _drawn(panel: Panel) -> Iterator[str]:
    """Axes with their marks, and the lines, the name of each on the right of its end."""
    points = [point for line in panel.lines for point in line.points]
    x_marks, across = _scale([x for x, _ in points], panel.log_x)
    y_marks, up = _scale([y for _, y in points], panel.log_y)
    left, right, top, bottom = _EDGE, _WIDTH - _NAMES, _EDGE, _HEIGHT - _EDGE

    def at(x: float, y: float) -> tuple[float, float]:
        return left + across(x) * (right - left), bottom - up(y) * (bottom - top)

    yield f'<text x="{left}" y="{top - 26}" font-weight="bold">{escape(panel.title)}</text>'
    for mark in x_marks:
        x, y = at(mark, y_marks[0])
        yield f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{x:.1f}" y2="{top}" stroke="#ddd"/>'
        yield f'<text x="{x:.1f}" y="{y + 14:.1f}" text-anchor="middle">{_short(mark)}</text>'
    for mark in y_marks:
        x, y = at(x_marks[0], mark)
        yield f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#ddd"/>'
        yield f'<text x="{x - 4:.1f}" y="{y + 3:.1f}" text-anchor="end">{_short(mark)}</text>'
    ends: list[tuple[float, str, str]] = []
    for color, line in zip(_COLORS, panel.lines, strict=False):
        places = [at(*point) for point in line.points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        yield f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"/>'
        yield from (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{color}"/>' for x, y in places)
        ends.append((places[-1][1], color, line.name))
    above = -math.inf
    for end, color, name in sorted(ends):
        above = max(end, above + _LINE)
        at_end = f'x="{right + 8}" y="{above + 3:.1f}" fill="{color}"'
        yield f"<text {at_end}>{escape(name)}</text>"


def _short(mark: float) -> str:
    """A number as a mark: ``0.5``, ``20``, ``1k``, ``1M``."""
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if mark >= size:
            return f"{mark / size:.9g}{letter}"
    return f"{mark:.9g}"


def _scale(values: Sequence[float], log: bool) -> tuple[Sequence[float], Callable[[float], float]]:
    """The marks around values, and where a value is from the first mark, 0, to the last, 1."""
    most = max(values)
    if log:
        low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(most))
        high = max(high, low + 1)
        marks = [10**power for power in range(low, high + 1)]
        return marks, lambda value: (math.log10(value) - low) / (high - low)
    step = next(s for s in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100) if most / s <= 6)
    steps = int(most / step) + 1
    return [i * step for i in range(steps + 1)], lambda value: value / (steps * step)
