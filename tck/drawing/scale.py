"""Compute the time axis of a timeline: its range, and the places and labels of its ticks."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tck.drawing.timeline import FIRST_TIME, LAST_TIME, Timeline, time_text

_SECOND: Final = 1000
_MINUTE: Final = 60 * _SECOND
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR
#: The distances that ticks may have, in milliseconds.
STEPS: Final = (
    *(1, 2, 5, 10, 20, 50, 100, 200, 500),
    *(each * _SECOND for each in (1, 2, 5, 10, 15, 30)),
    *(each * _MINUTE for each in (1, 2, 5, 10, 15, 30)),
    *(each * _HOUR for each in (1, 2, 3, 6, 12)),
    *(each * _DAY for each in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)),
    *(each * _DAY for each in (10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000)),
)
#: The margin before the first time and after the last, as a part of the whole.
_ROOM: Final = 0.04


@dataclass(frozen=True, slots=True)
class Scale:
    """A time axis: its first and its last time, in milliseconds."""

    first: float
    last: float

    def part(self, time: float) -> float:
        """The place of a time on the axis, from 0 to 1; a time outside the axis is at its edge.

        >>> Scale(0, 10).part(5), Scale(0, 10).part(math.inf)
        (0.5, 1.0)
        """
        if math.isinf(time):
            return 1.0 if time > 0 else 0.0
        return min(max((time - self.first) / (self.last - self.first), 0.0), 1.0)

    def ticks(self, most: int, day: str) -> Iterator[tuple[int, str]]:
        """The times of the ticks, ascending, each with its label.

        The ticks are multiples of one of the `STEPS`, in the years 1 to 9999.  The step is the
        least for which there are about ``most`` ticks or fewer.  A label does not have the date if
        the date is ``day``.
        """
        step = next((s for s in STEPS if (self.last - self.first) / s <= most), STEPS[-1])
        time = math.ceil(max(self.first, FIRST_TIME) / step) * step
        while time <= min(self.last, LAST_TIME):
            yield time, tick_label(time, step, day)
            time += step


def tick_label(time: int, step: int, day: str) -> str:
    """The label of a tick; ``step`` is the distance between ticks.

    From a step of a minute on it has no seconds, and from a step of a day on it is a date alone.
    The label does not have the date if the date is ``day``.
    """
    if step >= _DAY:
        return time_text(time, "")[:10]
    text = time_text(time, day)
    if step < _MINUTE:
        return text
    has_date = " " in text
    return text[: len("2015-02-15 10:17")] if has_date else text[: len("10:17")]


def scale(timeline: Timeline) -> Scale:
    """The time axis for the rowtimes, windows and bounds of a timeline, with a margin.

    A bound that is far outside the range of the rows and windows does not extend the axis, and is
    drawn at its edge.  *Far* means later by more than the range, or earlier by more than an eighth
    of the range.
    """
    near: list[float] = []  # the times of rows and windows
    bounds: list[float] = []
    for each in timeline.entries:
        near += [dot.time for dot in each.arrived if dot.time is not None]
        near += [out.time for out in each.emitted if out.time is not None]
        near += [end for out in each.emitted for window in out.windows for end in window]
        bounds += [flag.time for flag in each.bounds if flag.time is not None]
        bounds += [
            time for time in (each.output_bound, *each.input_bounds.values()) if math.isfinite(time)
        ]
    if not near:  # no rows and windows: the axis is around the first bound, or else around 1970
        near = bounds[:1] or [0.0]
    first, last = min(near), max(near)
    span = max(last - first, _SECOND)
    within = [time for time in bounds if first - span / 8 <= time <= last + span]
    first, last = min([first, *within]), max([last, *within])
    room = max(last - first, _SECOND) * _ROOM
    return Scale(first - room, last + room)
