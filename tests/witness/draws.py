"""Random plans and histories for the witness and the reference to judge."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Final, Literal

from tests.witness.continuations import UNIT
from tests.witness.histories import LAST_INSTANT, Arrives, Bounded, Ends, Event
from tests.witness.plans import (
    WINDOW_FORMS,
    AsofJoined,
    Distinct,
    Floor,
    Frame,
    Joined,
    Merge,
    Minutes,
    NumberJoined,
    Numbers,
    Plan,
    RowsJoined,
    Sessions,
    SetOf,
    Shift,
    Sorted,
    Stream,
    Timeless,
    TSorted,
    Where,
    WindowForm,
    WindowJoined,
    Windows,
)

#: The last time at which rows arrive.
LAST: Final = 7 * UNIT
#: The distance of a leap of numbers, and a factor that makes them too great after it.
LEAP: Final = 30_000
FACTOR: Final = 100_000
_KINDS: Final[tuple[Literal["INNER", "LEFT", "RIGHT", "FULL"], ...]] = (
    "INNER",
    "LEFT",
    "RIGHT",
    "FULL",
)


def plan(draw: Random) -> Plan:
    """A plan of one to three operators, over streams of any order."""
    if draw.random() < 0.05:
        slack = draw.choice([1, 2]) * UNIT
        stream = draw.choice([Stream("R", "t-sorted", slack), Stream("R", "punctuated")])
        made: Plan = TSorted(stream, slack + draw.choice([0, 0, UNIT]), draw.random() < 0.5)
        return draw.choice(_UNARY)(draw, made) if draw.random() < 0.5 else made
    if draw.random() < 0.25:
        return _numbered(draw)
    if draw.random() < 0.15:
        return _timeless(draw)
    below = [_side(draw, name) for name in ("R", "S")]
    made = draw.choice(_UNARY)(draw, below[0]) if draw.random() < 0.5 else _binary(draw, below)
    if draw.random() < 0.4 and not isinstance(
        made, Sorted | Joined | WindowJoined | RowsJoined | AsofJoined
    ):
        made = draw.choice(_UNARY)(draw, made)
    return made


def history(draw: Random, streams: Sequence[Stream]) -> list[Event]:
    """Rows, bounds and ends of these streams, and the end of all of them.

    A bound may be near the end of the calendar.  From a number on that is far from those before it,
    the keys of a stream are 1.
    """
    events: list[Event] = []
    going = {stream.name: stream for stream in streams}
    here = dict.fromkeys(going, 0)
    numbers = dict.fromkeys(going, 0)
    for _ in range(draw.randint(2, 6)):
        stream = draw.choice(list(going.values()))
        name, dice = stream.name, draw.random()
        if dice < 0.70:
            back = 3 if stream.order in ("t-sorted", "k-sorted", "punctuated") else 1
            step = draw.choice([-back, 0, 0, 1, 1, 2, 3][(draw.random() < 0.85) :])
            time = min(LAST, max(0, here[name] + step * UNIT))
            numbers[name] += draw.choice([0, 0, 1, 2] if draw.random() < 0.9 else [LEAP])
            number = numbers[name] if stream.counted else None
            key = draw.choice([0, 0, 0, 1, 1, None]) if numbers[name] < LEAP else 1
            events.append(Arrives(name, time, key, number))
            here[name] = max(here[name], time)
        elif dice < 0.92 or len(going) == 1:
            time = here[name] + draw.choice([0, 1, 1, 2, 3]) * UNIT
            if draw.random() < 0.15:
                time = LAST_INSTANT - draw.choice([0, 0, 1, 2, 4]) * UNIT
            events.append(Bounded(name, time, draw.random() < 0.3))
            if draw.random() < 0.5:
                here[name] = min(time, LAST)
        else:
            events.append(Ends(name))
            del going[name]
    return [*events, *(Ends(name) for name in going)]


def _stream(draw: Random, name: str) -> Stream:
    dice = draw.random()
    if dice < 0.65:
        return Stream(name)
    if dice < 0.75:
        return Stream(name, "strict")
    if dice < 0.85:
        return Stream(name, "t-sorted", draw.choice([1, 2]) * UNIT)
    if dice < 0.93:
        return Stream(name, "k-sorted", draw.choice([1, 2]))
    return Stream(name, "punctuated")


def _side(draw: Random, name: str) -> Plan:
    stream, dice = _stream(draw, name), draw.random()
    if dice < 0.65:
        return stream
    if dice < 0.75:
        return Where(stream, draw.choice([0, 1]))
    if dice < 0.85:
        return Shift(stream, draw.choice([1, 2]) * UNIT)
    if dice < 0.92:
        return Floor(stream)
    return _windows(draw, stream, by_key=False, forms=("group",))


def _windows(
    draw: Random, input: Plan, *, by_key: bool, forms: Sequence[WindowForm] = WINDOW_FORMS
) -> Windows:
    step = draw.choice([1, 2, 3]) * UNIT
    length = draw.choice([step, 2 * UNIT, 3 * UNIT])
    form = draw.choice(forms)
    offset = 0 if form == "group" else draw.choice([-4, 0, 0, 1]) * UNIT
    if form == "cumulate":
        length = draw.choice([2, 3]) * step
    return Windows(input, step, length, by_key, form=form, offset=offset)


def _minutes(draw: Random, input: Plan) -> Minutes:
    return Minutes(input, draw.choice(["FLOOR", "CEIL"]), draw.random() < 0.5)


def _sessions(draw: Random, input: Plan) -> Sessions:
    return Sessions(input, draw.choice([1, 2, 3]) * UNIT, draw.random() < 0.6)


def _frame(draw: Random, input: Plan) -> Frame:
    unit: Literal["RANGE", "ROWS", "GROUPS"] = draw.choice(["RANGE", "ROWS", "GROUPS"])
    # The order of ties is open above a stream (S-307), and no frame of rows may depend on it.
    if not isinstance(input, Stream | Where | Shift):
        unit = draw.choice(["RANGE", "GROUPS"])
    size = UNIT if unit == "RANGE" else 1
    before = draw.choice([None, 0, 1, 2])
    after = draw.choice([0, 0, 1, 2, None, -1 if before in (None, 1, 2) else 0])
    return Frame(
        input,
        unit,
        None if before is None else before * size,
        after * size if after is not None else None,
        draw.random() < 0.4,
        draw.random() < 0.3 or after is None,
    )


def _sorted(draw: Random, input: Plan) -> Sorted:
    return Sorted(input, draw.choice(["time", "minute"]), draw.random() < 0.7)


_UNARY: Final[Sequence[Callable[[Random, Plan], Plan]]] = (
    lambda draw, below: _windows(draw, below, by_key=draw.random() < 0.6),
    _sessions,
    _minutes,
    _frame,
    _frame,
    _sorted,
    lambda draw, below: Where(below, draw.choice([0, 1])),
    lambda _draw, below: Distinct(below),
)


def _binary(draw: Random, below: Sequence[Plan]) -> Plan:
    left, right = below
    dice = draw.random()
    if dice < 0.2:
        return Merge((left, right))
    if dice < 0.4:
        return _set_of(draw, (left, right), by_number=False)
    if dice < 0.5:
        return AsofJoined(left, right, draw.random() < 0.5, draw.random() < 0.6)
    kind = draw.choice(_KINDS)
    if dice < 0.75:
        low = draw.choice([-2, -1, 0, 0, 1])
        high = low + draw.choice([0, 1, 2, 3] if draw.random() < 0.95 else [-1])
        base: Literal["left", "right"] = draw.choice(["left", "right"])
        base = "left" if kind in ("LEFT", "FULL") else "right" if kind == "RIGHT" else base
        return Joined(kind, left, right, low * UNIT, high * UNIT, draw.random() < 0.7, base)
    if dice < 0.85 and all(isinstance(side, Stream) for side in below):
        return RowsJoined(kind, left, right, (draw.choice([1, 2]), draw.choice([1, 2])))
    own, other = ((draw.choice([0, 0, 1, 2]) * UNIT, draw.choice([0, 1]) * UNIT) for _ in "lr")
    return WindowJoined(kind, left, right, (own, other if any(own) else (UNIT, 0)))


def _timeless(draw: Random) -> Plan:
    """A plan that shows no rowtime, which decides the order and the moments of its rows (S-311)."""
    hidden = _hidden(draw, _side(draw, "R"))
    if draw.random() < 0.7:
        other = _side(draw, "S")
        inputs = [hidden, other if draw.random() < 0.5 else _hidden(draw, other)]
        draw.shuffle(inputs)
        hidden = Merge((inputs[0], inputs[1]))
    return Where(hidden, draw.choice([0, 1])) if draw.random() < 0.2 else hidden


def _hidden(draw: Random, input: Plan) -> Plan:
    """Rows of one column that have an implicit rowtime: those of a plan, or groups of its rows."""
    match draw.randrange(4):
        case 0:
            return Timeless(input)
        case 1:
            return replace(_minutes(draw, input), by_key=False, shown=False)
        case _:
            return replace(_windows(draw, input, by_key=False), shown=False)


def _set_of(draw: Random, inputs: tuple[Plan, ...], *, by_number: bool) -> SetOf:
    kind: Literal["UNION", "INTERSECT", "EXCEPT"]
    kind = draw.choice(["UNION", "INTERSECT", "EXCEPT"])
    return SetOf(kind, kind != "UNION" and draw.random() < 0.5, inputs, by_number)


def _numbered(draw: Random) -> Plan:
    """A plan that makes progress by a number, as well or only."""
    below: list[Plan] = [Stream(name, counted=True) for name in ("R", "S")]
    below = [Where(each, 0) if draw.random() < 0.2 else each for each in below]
    both = (below[0], below[1])
    match draw.randrange(7):
        case 5 | 6:
            base: Literal["left", "right"] = draw.choice(["left", "right"])
            kinds: dict[str, Sequence[Literal["INNER", "LEFT", "RIGHT", "FULL"]]]
            kinds = {"left": ("INNER", "LEFT"), "right": ("INNER", "RIGHT")}
            return NumberJoined(draw.choice(kinds[base]), *both, base)
        case 0:
            if draw.random() < 0.5:
                return Numbers(Where(Stream("R", counted=True), 0), FACTOR)
            return Numbers(below[0])
        case 1 | 2:
            return _set_of(draw, both, by_number=draw.random() < 0.6)
        case 3:
            return Sorted(below[0], "number", draw.random() < 0.7)
        case _:
            return Merge((Numbers(below[0]), Numbers(below[1])))
