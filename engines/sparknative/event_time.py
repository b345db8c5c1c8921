"""Event time as Spark follows it: which columns a watermark belongs to, and windows over them.

Spark knows the watermark of a column, and of the struct that ``window(…)`` makes of it.  A value
computed of them, ``rowtime + INTERVAL '1' HOUR`` or ``window(…).end``, has no watermark, and groups
by it never end.  Here every such value is remembered as a distance from a column that has one, so
that GROUP BY can name that column, or a ``window`` over it, and SELECT the value.
"""

from dataclasses import dataclass, replace
from typing import Final

from algebra.types import UNIT_MILLIS
from grammar.tree import TimeUnit

#: Microseconds in a millisecond: the former are what Spark's TIMESTAMP counts.
MILLI: Final = 1000
#: 1970-01-01 was a Thursday, three days after the Monday that its week began on.
MONDAY: Final = -3 * UNIT_MILLIS[TimeUnit.DAY] * MILLI


@dataclass(frozen=True, slots=True)
class EventTime:
    """A value ``shift`` microseconds after the event time ``text``.

    ``text`` is a column with a watermark.  If it is a window, a struct, its event time is its last
    microsecond, as Spark's ``window_time`` has it.
    """

    text: str
    shift: int = 0
    is_window: bool = False

    @property
    def value(self) -> str:
        """The text of the value."""
        if self.is_window:
            return moved(f"{self.text}.end", self.shift - 1)
        return moved(self.text, self.shift)

    def later(self, micros: int) -> "EventTime":
        """The value so much later."""
        return replace(self, shift=self.shift + micros)


@dataclass(frozen=True, slots=True)
class Bucket:
    """A key of GROUP BY that is a time of a window: ``group`` is the text to group by.

    ``value`` is the key's own text.  ``event`` is the same value by the window; None: the window
    does not show it.  ``size`` is the length of the windows in microseconds, 0 if the key is the
    event time itself.
    """

    group: str
    value: str
    event: EventTime | None
    size: int

    def later(self, micros: int) -> "Bucket":
        """The key plus a constant."""
        event = None if self.event is None else self.event.later(micros)
        return replace(self, value=moved(self.value, micros), event=event)

    def is_same_time(self, other: "Bucket") -> bool:
        """Whether equal values are the same time of equal windows: both starts, or both ends."""
        if self.event is None or other.event is None or not self.event.is_window:
            return False
        same = self.size == other.size and self.event.shift == other.event.shift
        return same and other.event.is_window


def itself(at: EventTime) -> Bucket:
    """The key that is an event time, plus a constant."""
    return Bucket(at.text, at.value, at, 0)


def window(at: EventTime, size: int, slide: int, align: int, *, end: bool = False) -> Bucket:
    """The start, or the end, of the windows ``[align + n * slide, … + size)`` that ``at`` is in.

    All lengths are in microseconds.
    """
    # Spark's windows are over the column itself, which is ``shift`` before the value.
    start = (align - at.shift) % slide
    lengths = [size] if slide == size and not start else [size, slide]
    lengths += [start] if start else []
    group = f"window({', '.join([at.text, *(_length(each) for each in lengths)])})"
    last = EventTime(group, is_window=True)
    if end:
        return Bucket(group, f"{group}.end", last.later(1), size).later(at.shift)
    return Bucket(group, f"{group}.start", last.later(1 - size), size).later(at.shift)


def session(at: EventTime, gap: int, *, end: bool = False) -> Bucket:
    """The start, or the end, of the sessions of ``at``, which are ``gap`` microseconds apart.

    Spark joins rows that are exactly one gap apart, and these are apart here.  So its gap is a
    millisecond shorter, the least distance of two rowtimes, and its sessions end that much earlier.
    """
    group = f"session_window({at.text}, {_length(gap - MILLI)})"
    if end:
        last = EventTime(group, is_window=True).later(1 + MILLI + at.shift)
        return Bucket(group, moved(f"{group}.end", MILLI + at.shift), last, gap)
    return Bucket(group, moved(f"{group}.start", at.shift), None, gap)


def moved(text: str, micros: int) -> str:
    """A time, later by a number of microseconds.

    >>> moved("t0.`ROWTIME`", -1000)
    "(t0.`ROWTIME` - INTERVAL '0.001' SECOND)"
    """
    if not micros:
        return text
    whole, rest = divmod(abs(micros), 1_000_000)
    seconds = f"{whole}.{rest:06}".rstrip("0").rstrip(".") if rest else f"{whole}"
    return f"({text} {'-' if micros < 0 else '+'} INTERVAL '{seconds}' SECOND)"


def _length(micros: int) -> str:
    """A length as ``window`` takes it, in the greatest unit that it is a multiple of."""
    for unit in (TimeUnit.DAY, TimeUnit.HOUR, TimeUnit.MINUTE, TimeUnit.SECOND):
        number, rest = divmod(micros, UNIT_MILLIS[unit] * MILLI)
        if not rest:
            return f"'{number} {unit.lower()}{'' if number == 1 else 's'}'"
    return f"'{micros} microseconds'"
