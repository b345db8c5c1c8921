"""The plots of growth as one SVG: a panel for each thing that grows, on logarithmic scales."""

import math
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias
from xml.sax.saxutils import escape

#: What grows, what runs, and the points of its line.
Drawn: TypeAlias = tuple[str, str, Sequence[tuple[float, float]]]

_WIDTH, _HEIGHT, _EDGE = 300, 200, 46
_COLORS: Final = ("#1f6feb", "#b35900", "#1a7f37")


def plotted(lines: Sequence[Drawn]) -> str:
    """The SVG: microseconds a row upwards, what grows to the right."""
    panels: dict[str, list[Drawn]] = {}
    for each in lines:
        panels.setdefault(each[0], []).append(each)
    body = [
        f'<g transform="translate({place % 3 * _WIDTH} {place // 3 * _HEIGHT})">'
        + "".join(_panel(title, drawn))
        + "</g>"
        for place, (title, drawn) in enumerate(panels.items())
    ]
    width, height = 3 * _WIDTH, math.ceil(len(panels) / 3) * _HEIGHT
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        f' font-family="sans-serif" font-size="10">\n'
        f'<rect width="{width}" height="{height}" fill="white"/>\n' + "\n".join(body) + "\n</svg>\n"
    )


def _panel(title: str, drawn: Sequence[Drawn]) -> Iterator[str]:
    """One panel: axes with a mark at each power of ten, and the lines."""
    points = [point for _, _, line in drawn for point in line]
    left, right = _powers([x for x, _ in points])
    low, high = _powers([y for _, y in points])

    def at(x: float, y: float) -> tuple[float, float]:
        across = (math.log10(x) - left) / (right - left) * (_WIDTH - 2 * _EDGE)
        up = (math.log10(y) - low) / (high - low) * (_HEIGHT - 2 * _EDGE)
        return _EDGE + across, _HEIGHT - _EDGE - up

    head = f"µs a row by {escape(title)}"
    yield f'<text x="{_EDGE}" y="{_EDGE - 26}" font-weight="bold">{head}</text>'
    for power in range(left, right + 1):
        x, y = at(10**power, 10**low)
        yield f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{x:.1f}" y2="{_EDGE}" stroke="#ddd"/>'
        yield f'<text x="{x:.1f}" y="{y + 14:.1f}" text-anchor="middle">{10**power:,}</text>'
    for power in range(low, high + 1):
        x, y = at(10**left, 10**power)
        yield f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{_WIDTH - _EDGE}" y2="{y:.1f}" stroke="#ddd"/>'
        yield f'<text x="{x - 4:.1f}" y="{y + 3:.1f}" text-anchor="end">{10**power:,}</text>'
    for color, below, (_, name, line) in zip(_COLORS, (-6, 14, -6), drawn, strict=False):
        places = [at(*point) for point in line]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        yield f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"/>'
        yield from (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{color}"/>' for x, y in places)
        x, y = places[-1]
        label = f'x="{x:.1f}" y="{y + below:.1f}" text-anchor="end" fill="{color}"'
        yield f"<text {label}>{escape(name)}</text>"


def _powers(values: Sequence[float]) -> tuple[int, int]:
    """The powers of ten around values that are positive."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)
