"""Lines over one axis as a picture, in SVG."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10
from typing import Final

from jinja2 import Environment, StrictUndefined

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP, _RIGHT = 560, 300, 60, 50, 20, 130
_COLOURS: Final = ("#1b6ca8", "#c8553d", "#3a7d44", "#7b4b94", "#666666")
_PICTURE: Final = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {{ width }} {{ height }}" role="img" \
font-family="sans-serif" font-size="12">
<title>{{ y_label }} by {{ x_label }}</title>
<rect width="100%" height="100%" fill="white"/>
{% for y, text in y_ticks %}
<path d="M{{ left }} {{ y }}H{{ right }}" stroke="#ddd"/>
<text x="{{ left - 6 }}" y="{{ y + 4 }}" text-anchor="end">{{ text }}</text>
{% endfor %}
{% for x, text in x_ticks %}
<text x="{{ x }}" y="{{ bottom + 18 }}" text-anchor="middle">{{ text }}</text>
{% endfor %}
<text x="{{ (left + right) / 2 }}" y="{{ height - 8 }}" text-anchor="middle">{{ x_label }}</text>
<text x="{{ left }}" y="12">{{ y_label }}</text>
{% for line in lines %}
<polyline points="{{ line.points }}" fill="none" stroke="{{ line.colour }}" stroke-width="2"/>
<text x="{{ right + 8 }}" y="{{ line.end + 4 }}" fill="{{ line.colour }}">{{ line.name }}</text>
{% endfor %}
</svg>
"""


@dataclass(frozen=True, slots=True)
class Line:
    """A named line through points, from left to right."""

    name: str
    points: Sequence[tuple[float, float]]


def plot(lines: Sequence[Line], x_label: str, y_label: str, *, log: bool) -> str:
    """The lines from 0 upwards; ``log``: each step to the right is ten times as much."""
    xs = sorted({x for line in lines for x, _ in line.points})
    most = max(y for line in lines for _, y in line.points)
    step = next(s for s in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100) if most / s <= 6)
    top = step * (int(most / step) + 1)
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM

    def across(x: float) -> float:
        low, high, at = (log10(e) for e in (xs[0], xs[-1], x)) if log else (xs[0], xs[-1], x)
        return round(_LEFT + (at - low) / (high - low) * (right - _LEFT), 1)

    def up(y: float) -> float:
        return round(bottom - y / top * (bottom - _TOP), 1)

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    return environment.from_string(_PICTURE).render(
        width=_WIDTH,
        height=_HEIGHT,
        left=_LEFT,
        right=right,
        bottom=bottom,
        x_label=x_label,
        y_label=y_label,
        x_ticks=[(across(x), f"{x:,}") for x in xs],
        y_ticks=[(up(i * step), f"{i * step:g}") for i in range(round(top / step) + 1)],
        lines=[
            {
                "name": line.name,
                "colour": colour,
                "points": " ".join(f"{across(x)},{up(y)}" for x, y in line.points),
                "end": up(line.points[-1][1]),
            }
            for line, colour in zip(lines, _COLOURS, strict=False)
        ],
    )
