"""A timeline as a picture: its lines, bars, signs and texts with their places."""

from dataclasses import dataclass
from typing import Final

#: The width of a picture, and its height where that is enough; all lengths are in pixels.
WIDTH: Final = 1600
HEIGHT: Final = 900
#: Below this width a picture is stacked: texts stand above their lines, not at the left and right.
_STACKED: Final = 700
#: The number of events beyond which the axis is repeated below, and pages keep it in view.
LONG: Final = 30


@dataclass(frozen=True, slots=True)
class Form:
    """How much room a picture has; ``headed``: it shows the title, the day and the query.

    A narrow picture, as on a phone, is stacked: each text stands above the line that it belongs to.
    """

    width: int = WIDTH
    height: int = HEIGHT
    headed: bool = True

    @property
    def is_stacked(self) -> bool:
        """Whether texts stand above their lines."""
        return self.width < _STACKED


@dataclass(frozen=True, slots=True)
class Label:
    """A text whose ``anchor`` end is at a place; ``look`` are its CSS classes."""

    x: float
    y: float
    text: str
    look: str = ""
    anchor: str = "start"


@dataclass(frozen=True, slots=True)
class Mark:
    """A sign: its outline around (0, 0), and the place of that point.

    ``key`` identifies the input row that it shows, empty for other signs; ``title`` is the tooltip.
    ``path`` is the outline as an SVG path, and ``look`` are its CSS classes.
    """

    x: float
    y: float
    path: str
    look: str
    key: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class Curve:
    """A line: an SVG path and its CSS classes."""

    path: str
    look: str


@dataclass(frozen=True, slots=True)
class Bar:
    """A window or a frame as a bar, whose left upper corner is at (``x``, ``y``).

    ``begins`` is whether its start is in the picture, or is before all times that it shows.
    """

    x: float
    y: float
    width: float
    begins: bool = True


@dataclass(frozen=True, slots=True)
class DrawnRow:
    """The drawing of an emitted row; ``keys`` are the input rows it is made of, blank-separated.

    ``waits`` are the bars of the times for which operators held it, and lie below all else.
    ``reason`` explains why the row was emitted when it was.
    """

    y: float
    height: float
    keys: str
    reason: str
    waits: tuple[Curve, ...]
    bars: tuple[Bar, ...]
    curves: tuple[Curve, ...]
    marks: tuple[Mark, ...]
    labels: tuple[Label, ...]
    ties: tuple[Curve, ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """A whole drawing; an earlier field is drawn below a later one.

    ``plot`` is the rectangle of the time axis: left, top, width, height.  ``done`` is the outline
    of the times below the output's bound.  ``ends`` are the y at which the lines of each event end.
    ``axis`` are the labels of the columns and of the time axis, from ``axis_top`` down to the plot;
    pages keep them in view if the picture is long.
    """

    width: float
    height: float
    title: str
    description: str
    plot: tuple[float, float, float, float]
    done: str
    rules: tuple[Curve, ...]
    bounds: tuple[Curve, ...]
    marks: tuple[Mark, ...]
    labels: tuple[Label, ...]
    rows: tuple[DrawnRow, ...]
    ends: tuple[float, ...]
    axis: tuple[Label, ...]
    axis_top: float

    @property
    def is_long(self) -> bool:
        """Whether it has more events than a screen shows."""
        return len(self.ends) > LONG
