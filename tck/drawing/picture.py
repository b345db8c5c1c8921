"""The records of a picture: its lines, bars, signs and texts, with their places."""

from dataclasses import dataclass
from typing import Final

#: The usual width and height of a picture, in pixels; it is larger if its contents need more.
WIDTH: Final = 1600
HEIGHT: Final = 900
#: Below this width a picture is stacked: texts stand above their lines, not at the left and right.
_STACKED: Final = 700
#: With more events than this, the axis is repeated at the bottom, and pages keep it in view.
LONG: Final = 30


@dataclass(frozen=True, slots=True)
class Form:
    """The size of a picture; ``headed``: it shows the title, the day and the query.

    A narrow picture, as on a phone, is *stacked*: each text stands above its line.
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
    """A text at a place; ``look`` are its CSS classes.

    ``anchor`` is the part of the text that is at the place: ``start``, ``middle`` or ``end``.
    """

    x: float
    y: float
    text: str
    look: str = ""
    anchor: str = "start"


@dataclass(frozen=True, slots=True)
class Mark:
    """A sign at a place.

    ``path`` is its outline around (0, 0), as an SVG path, and ``look`` are its CSS classes.
    ``key`` identifies the input row that the sign stands for; empty for other signs.  ``title`` is
    the tooltip.
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

    ``begins``: the start of the window is in the picture.  If not, it is before the time axis.
    """

    x: float
    y: float
    width: float
    begins: bool = True


@dataclass(frozen=True, slots=True)
class DrawnRow:
    """The drawing of an emitted row.

    ``y`` and ``height`` are those of its line.  ``keys`` identify the input rows from which it is
    made (`Mark.key`), separated by blanks.  ``reason`` explains why the row was emitted at this
    event.  ``waits`` are bars for the times for which operators buffered it; they are below all
    other parts.  ``bars`` are its windows and frames.  ``curves`` are the other lines on its line
    and to it, ``marks`` its signs, and ``labels`` its texts.  ``ties`` are lines from the input
    rows.
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

    ``plot`` is the rectangle over which time is drawn: left, top, width, height.  ``done`` is the
    outline of the times below the output's bound.  ``rules`` are lines between events and at times;
    ``bounds`` are the lines of bounds.  ``ends`` has for each event the y at which its lines end.
    ``axis`` are the labels of the columns and of the time axis, which are between the y
    ``axis_top`` and the plot; pages keep them in view if the picture is long.
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
        """Whether the picture has more events than `LONG`, so that pages keep its axis in view."""
        return len(self.ends) > LONG
