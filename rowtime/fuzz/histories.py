"""Random histories: rows, bounds and ends of two streams, in steps."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from rowtime.fuzz.schema import STREAMS, TABLE, Schema
from tck.protocol import Bound, End, Event, Load, Rows, Wire

#: The time of the first row, at the earliest.
START: Final = datetime(2015, 2, 15, 10)

#: How far an event is after the one before it, in milliseconds: ties first, then the boundaries of
#: windows of ten seconds and a minute, and a late row.
_DISTANCES: Final = (0, 10_000, 30_000, 60_000, 1, 9_999, 59_999, 60_001, 120_000, -10_000, -1)
#: More events make failures rarer rather than likelier, and slower to shrink.
_MOST_EVENTS: Final = 12


@dataclass(frozen=True, slots=True)
class History:
    """The contents of the table, and the events of each step; the last ends all inputs."""

    table: Load
    steps: tuple[tuple[Event, ...], ...]


@st.composite
def histories(draw: DrawFn, schema: Schema) -> History:
    """A history of at most `_MOST_EVENTS` events before the end of all inputs.

    The simplest history, to which a failure is reduced, has only this end.
    """
    table = Load(TABLE, tuple(draw(st.lists(st.tuples(_keys(), _numbers(schema)), max_size=3))))
    time = START
    steps: list[tuple[Event, ...]] = []
    for _ in range(draw(st.integers(0, _MOST_EVENTS))):
        time += timedelta(milliseconds=draw(st.sampled_from(_DISTANCES)))
        name = draw(st.sampled_from(STREAMS))
        if any(End(name) in step for step in steps):
            continue
        if schema.is_changing(name):
            event: Event = draw(_changes(schema, name, _text(time), steps))
        else:
            event = draw(_events(schema, name, _text(time)))
        if steps and _same_input(steps[-1], event) and draw(st.booleans()):
            steps[-1] = (*steps[-1], event)
        else:
            steps.append((event,))
    return History(table, (*steps, (End(),)))


def _same_input(step: Sequence[Event], event: Event) -> bool:
    """Whether ``step`` has only rows of one stream, and ``event`` is a row of the same stream.

    Then all of them may arrive together.
    """
    rows = [each.input for each in (*step, event) if isinstance(each, Rows)]
    return len(rows) == len(step) + 1 and len(set(rows)) == 1


@st.composite
def _events(draw: DrawFn, schema: Schema, name: str, time: str) -> Event:
    """A row of a stream, or seldom a bound or its end."""
    match draw(st.integers(0, 9)):  # 8 of 10 events are rows
        case 8:
            return Bound(name, time, draw(st.booleans()))
        case 9:
            return End(name)
        case _:
            return Rows(name, ((time, draw(_keys()), draw(_numbers(schema))),))


@st.composite
def _changes(
    draw: DrawFn, schema: Schema, name: str, time: str, steps: Sequence[Sequence[Event]]
) -> Rows:
    """A new row of a stream WITH CHANGES, or the delete of an earlier row."""
    came = [e for step in steps for e in step if isinstance(e, Rows) and e.input == name]
    if came and draw(st.integers(0, 2)) == 2:  # one in three changes is a delete
        return Rows(name, draw(st.sampled_from(came)).rows, weights=(-1,))
    return Rows(name, ((time, draw(_keys()), draw(_numbers(schema))),))


def _keys() -> st.SearchStrategy[int | None]:
    """Values of K."""
    return st.sampled_from([1, 2, None])


def _numbers(schema: Schema) -> st.SearchStrategy[Wire]:
    """Values of V; all are exact, so that no sum depends on the order of its rows."""
    whole: list[Wire] = [0, 1, 2, 3, -5, None]
    match schema.number:
        case "DECIMAL(6, 2)":
            return st.sampled_from([*("0.00", "1.00", "2.50", "3.00", "-5.25"), None])
        case "DOUBLE":
            return st.sampled_from([0.0, 1.0, 2.5, 3.0, -5.25, None])
        case _:
            return st.sampled_from(whole)


def _text(time: datetime) -> str:
    """A time as the protocol writes it."""
    fraction = f".{time.microsecond // 1000:03}" if time.microsecond else ""
    return f"{time:%Y-%m-%d %H:%M:%S}{fraction}"
