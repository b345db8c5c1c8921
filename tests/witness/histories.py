"""Histories of streams: what arrives, what of it is late, what is known of later rows (S-103)."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, TypeAlias

from tests.witness.plans import Fact, Stream

#: The last instant of the calendar, in milliseconds after 2015-02-15 10:00:00, which is time 0.
LAST_INSTANT: Final = (
    datetime(9999, 12, 31, 23, 59, 59, 999_000) - datetime(2015, 2, 15, 10)
) // timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class Arrives:
    """A row of a stream; ``number`` None: the stream has none."""

    stream: str
    time: int
    key: int | None
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Bounded:
    """A bound of a stream."""

    stream: str
    time: int
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Ends:
    """The end of a stream."""

    stream: str


Event: TypeAlias = Arrives | Bounded | Ends


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of later rows: none is below ``time``, nor its number below ``number``.

    None: nothing is known.  ``ended``: there are none.
    """

    time: int | None = None
    number: int | None = None
    ended: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """The rows that an event brings, and what is known after it."""

    rows: tuple[Fact, ...]
    known: Known


def steps_of(stream: Stream, history: Iterable[Event]) -> list[Step]:
    """What a stream brings at each event of a history; a late row is none."""
    told: int | None = None
    number: int | None = None
    ended = False
    times: list[int] = []
    steps: list[Step] = []
    for event in history:
        rows: tuple[Fact, ...] = ()
        match event:
            case Arrives(name, time, key, own) if name == stream.name:
                bound = _greatest(told, implied(stream, times))
                late = bound is not None and time < bound
                if own is not None and number is not None:
                    late = late or own < number
                if not late:
                    times.append(time)
                    number = own
                    rows = (Fact(time, (key,) if own is None else (key, own)),)
            case Bounded(name, time, strict) if name == stream.name:
                told = _greatest(told, time + strict)
            case Ends(name) if name == stream.name:
                ended = True
            case _:
                pass
        first = _greatest(told, implied(stream, times))
        over = ended or (first is not None and first > LAST_INSTANT)
        steps.append(Step(rows, Known(first, number, over)))
    return steps


def implied(stream: Stream, times: list[int]) -> int | None:
    """The bound that the accepted rows imply."""
    match stream.order:
        case "ascending":
            return max(times, default=None)
        case "strict":
            return max(times) + 1 if times else None
        case "t-sorted":
            return max(times) - stream.slack if times else None
        case "k-sorted":
            greatest = sorted(times, reverse=True)
            return greatest[stream.slack] if len(times) > stream.slack else None
        case "punctuated":
            return None


def _greatest(a: int | None, b: int | None) -> int | None:
    return b if a is None else a if b is None else max(a, b)
