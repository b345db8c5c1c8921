"""The time axis of a timeline: how far it reaches, and where its marks stand."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from rowtime.trace.timeline import Timeline, clock_text

_SECOND: Final = 1000
_MINUTE: Final = 60 * _SECOND
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR
#: The distances that marks may have, in milliseconds.
STEPS: Final = (
    *(1, 2, 5, 10, 20, 50, 100, 200, 500),
    *(each * _SECOND for each in (1, 2, 5, 10, 15, 30)),
    *(each * _MINUTE for each in (1, 2, 5, 10, 15, 30)),
    *(each * _HOUR for each in (1, 2, 3, 6, 12)),
    *(each * _DAY for each in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)),
    *(each * _DAY for each in (10_000, 100_000, 1_000_000, 10_000_000)),
)
#: The room before the first time and after the last, as a part of the whole.
_ROOM: Final = 0.04


@dataclass(frozen=True, slots=True)
class Scale:
    """A stretch of time in milliseconds."""

    first: float
    last: float

    def part(self, time: float) -> float:
        """Where a time stands, from 0 to 1; one outside stands at the edge.

        >>> Scale(0, 10).part(5), Scale(0, 10).part(math.inf)
        (0.5, 1.0)
        """
        if math.isinf(time):
            return 1.0 if time > 0 else 0.0
        return min(max((time - self.first) / (self.last - self.first), 0.0), 1.0)

    def ticks(self, most: int, day: str) -> Iterator[tuple[int, str]]:
        """At most so many round times, with their labels, which have no date if that is ``day``."""
        step = next((s for s in STEPS if (self.last - self.first) / s <= most), STEPS[-1])
        time = math.ceil(self.first / step) * step
        while time <= self.last:
            yield time, tick_label(time, step, day)
            time += step


def tick_label(time: int, step: int, day: str) -> str:
    """A round time: minutes or finer only where the distance of the marks needs them."""
    text = clock_text(time, day)
    if step >= _DAY:
        return datetime.fromtimestamp(time / 1000, UTC).strftime("%Y-%m-%d")
    if day and " " not in text and step >= _MINUTE:
        return text[:5]
    return text if " " not in text or step < _MINUTE else text[:16]


def scale(timeline: Timeline) -> Scale:
    """From the first to the last time that is spoken of, and a little more.

    A bound that would need more room than the rows and windows themselves stands at the edge; so
    does one long before them, such as that of a history.
    """
    near: list[float] = []
    far: list[float] = []
    for each in timeline.happenings:
        near += [dot.time for dot in each.dots if dot.time is not None]
        near += [out.time for out in each.outs if out.time is not None]
        near += [end for out in each.outs for window in out.windows for end in window]
        far += [flag.time for flag in each.flags if flag.time is not None]
        far += [time for time in (each.clock, *each.clocks.values()) if math.isfinite(time)]
    if not near:
        near = far[:1] or [0.0]
    first, last = min(near), max(near)
    reach = max(last - first, _SECOND)
    within = [time for time in far if first - reach / 8 <= time <= last + reach]
    first, last = min([first, *within]), max([last, *within])
    room = max(last - first, _SECOND) * _ROOM
    return Scale(first - room, last + room)
