"""The records of a timeline: the events of a run, the rows emitted at each, and the bounds."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal, TypeAlias

from tck.corpus.values import Family, TypedValue, wire_value

_EPOCH: Final = datetime(1970, 1, 1)
#: The first and the last time that SQL has, in milliseconds.
FIRST_TIME: Final = (datetime.min - _EPOCH) // timedelta(milliseconds=1)
LAST_TIME: Final = (datetime.max - _EPOCH) // timedelta(milliseconds=1)

#: An input row that passed ingress: the name of its stream, and its place there from 0.
Key: TypeAlias = tuple[str, int]

#: The fault of a row if a run is compared with its expectation.  ``missing``: the row should have
#: been emitted; ``extra``: it should not have been emitted; empty: there is no fault.
Fault: TypeAlias = Literal["", "missing", "extra"]


@dataclass(frozen=True, slots=True)
class ArrivedRow:
    """A row that arrived at an input.

    ``time`` is its rowtime in milliseconds; None: the input has no rowtime column, or the value in
    it is not a TIMESTAMP.  ``text`` shows its other values.  ``key`` None: the row was dropped at
    ingress, and ``dropped`` is the reason.
    """

    input: str
    time: int | None
    text: str
    key: Key | None
    dropped: str = ""


@dataclass(frozen=True, slots=True)
class ProducerBound:
    """A bound that a producer set on an input, in milliseconds; None: the input's end."""

    input: str
    time: int | None
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Wait:
    """The time for which an operator buffered a row: the places of the first and last `Entry`."""

    since: int
    until: int


@dataclass(frozen=True, slots=True)
class EmittedRow:
    """A row that the query emitted, the ``number``-th from 0.

    ``time`` is its rowtime in milliseconds; None: the result has no rowtime.  ``parts`` are the
    input rows from which it is made.  ``windows`` are its windows as half-open intervals, and
    ``frames`` are its RANGE frames as closed intervals, in milliseconds.  ``waits`` are the times
    for which operators buffered it, in order.  ``reason`` explains the row in lines of text, or is
    empty.
    """

    number: int
    time: int | None
    text: str
    parts: tuple[Key, ...] = ()
    windows: tuple[tuple[int, int], ...] = ()
    frames: tuple[tuple[int, int], ...] = ()
    waits: tuple[Wait, ...] = ()
    reason: str = ""
    fault: Fault = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """An event with its effects: rows that arrived, bounds that producers set, rows emitted.

    ``input_bounds`` and ``output_bound`` are the bounds after it, in milliseconds.  They are
    -infinity before the first bound, and +infinity after the end.  ``refused`` is the reason why a
    producer's bound has no effect, and ``failure`` is the error that ended the run; empty: there is
    none.
    """

    text: str
    arrived: tuple[ArrivedRow, ...]
    bounds: tuple[ProducerBound, ...]
    emitted: tuple[EmittedRow, ...]
    input_bounds: Mapping[str, float]
    output_bound: float
    refused: str = ""
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Timeline:
    """A run: its query, its entries in the order of events, and texts for its labels.

    ``inputs`` maps the name of each input that has rows or a bound to its columns as text;
    ``columns`` are those of the result.  ``day`` is the date of all times, which are written
    without it; empty: the times are on several days.
    """

    title: str
    sql: str
    inputs: Mapping[str, str]
    columns: str
    day: str
    entries: tuple[Entry, ...]

    @property
    def failure(self) -> str:
        """The error at run time as users see it; empty: the query did not fail."""
        return self.entries[-1].failure if self.entries else ""

    def time_text(self, time: float) -> str:
        """A time in milliseconds as SQL writes it, without its date if that is `day`."""
        return time_text(time, self.day)


def time_text(time: float, day: str) -> str:
    """A time in milliseconds as SQL writes it, without its date if the date is ``day``.

    The text of +infinity is ``end``, and that of -infinity is a dash.
    """
    if math.isinf(time):
        return "end" if time > 0 else "–"  # noqa: RUF001 - a dash where no bound is known
    moment = _EPOCH + timedelta(milliseconds=int(time))
    text = wire_value(TypedValue(Family.TIMESTAMP, moment), "TIMESTAMP(3)")
    return str(text).removeprefix(f"{day} ")
