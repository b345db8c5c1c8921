"""Random plans of changelogs and random histories of their inputs."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Final, Literal, TypeAlias, get_args

from tests.witness.changing import (
    Beside,
    Combined,
    First,
    FirstOfEach,
    Form,
    Greatest,
    Grouped,
    Input,
    Kind,
    Known,
    Least,
    Measure,
    Once,
    Paired,
    Plan,
    Row,
    Rows,
    Swapped,
    Whole,
)

#: A row that is inserted (1) or deleted (-1), or is written to a key or removes it.
Change: TypeAlias = tuple[Row, int]
#: The changes of one input that arrive together, which are one event.
Event: TypeAlias = tuple[str, tuple[Change, ...]]

_FORMS: Final[Sequence[Form]] = ("appended", "changed", "changed", "changed", "keyed", "table")
_MEASURES: Final[Sequence[Measure]] = get_args(Measure)
_KINDS: Final[Sequence[Kind]] = get_args(Kind)


def plan(draw: Random) -> Plan:
    """A plan of one to three operators over one to three of two inputs; at least one streams."""
    inputs = [Input("R", draw.choice(_FORMS[:-1])), Input("S", draw.choice(_FORMS))]
    made = _operator(draw, inputs[0], inputs)
    for _ in range(draw.choice([0, 1, 1, 2])):
        made = _operator(draw, made, inputs)
    return made


def _operator(draw: Random, below: Plan, inputs: Sequence[Input]) -> Plan:
    measure, other = draw.choice(_MEASURES), _other(draw, inputs)
    left, right = (below, other) if draw.random() < 0.5 else (other, below)
    match draw.randrange(14):
        case 0:
            return Least(below, draw.choice([1, 2, 3]))
        case 1:
            return Swapped(below)
        case 2 | 3:
            return Grouped(below, measure, draw.choice([0, 0, 2]))
        case 4:
            return Whole(below, measure)
        case 5:
            return Beside(below, measure)
        case 6:
            return Once(below)
        case 7 | 8 | 9:
            return Paired(draw.choice(_KINDS), left, right, draw.random() < 0.3)
        case 10:
            operator: Literal["UNION", "INTERSECT", "EXCEPT"]
            operator = draw.choice(["UNION", "INTERSECT", "EXCEPT"])
            return Combined(operator, draw.random() < 0.6, left, right)
        case 11:
            ties = draw.random() < 0.4  # then it is open which of two rows of one V is skipped
            skipped = 0 if ties else draw.choice([0, 1])
            return First(below, draw.choice([1, 2, 3]), skipped, draw.random() < 0.5, ties)
        case 12:
            return FirstOfEach(below, draw.choice([1, 2]))
        case _:
            if draw.random() < 0.4:
                return Greatest(below, other)
            return Known(below, other, draw.random() < 0.5)


def _other(draw: Random, inputs: Sequence[Input]) -> Plan:
    """The second input of an operator, which may be the first one as well."""
    chosen = inputs[draw.random() < 0.8]
    return Grouped(chosen, draw.choice(_MEASURES)) if draw.random() < 0.3 else chosen


def history(draw: Random, inputs: Iterable[Input]) -> list[Event]:
    """Some events; few keys and values, so that rows are equal, groups grow, shrink and vanish.

    Some deletes are of rows that are not there, which are dropped.
    """
    there = {each: Counter[Row]() for each in sorted(inputs, key=lambda each: each.name)}
    events: list[Event] = []
    for _ in range(draw.randint(2, 9)):
        input = draw.choice(list(there))
        changes = tuple(
            _change(draw, input, there[input]) for _ in range(draw.choice([1, 1, 2, 3]))
        )
        there[input] = after(input, there[input], changes)
        events.append((input.name, changes))
    return events


def _change(draw: Random, input: Input, rows: Rows) -> Change:
    deletes = input.form in ("changed", "keyed") and draw.random() < 0.45
    if deletes and rows and draw.random() < 0.9:
        return draw.choice(sorted(rows.elements(), key=repr)), -1
    key = draw.choice([1, 1, 2, None] if input.form != "keyed" else [1, 1, 2, 3])
    return (key, draw.choice([1, 2, 2, 3, None])), -1 if deletes else 1


def after(input: Input, rows: Rows, changes: Iterable[Change]) -> Rows:
    """The rows of an input after some changes (S-1005)."""
    now = Counter(rows)
    for row, weight in changes:
        match input.form, weight:
            case "keyed", _:
                for old in [each for each in now if each[0] == row[0]]:
                    del now[old]
                if weight > 0:
                    now[row] = 1
            case _, 1:
                now[row] += 1
            case _:
                now = now - Counter([row])
    return now


def states(inputs: Iterable[Input], events: Iterable[Event]) -> Iterator[dict[str, Rows]]:
    """The rows of each input: before the first event, and after each."""
    named = {each.name: each for each in inputs}
    there = {name: Counter[Row]() for name in named}
    yield dict(there)
    for name, changes in events:
        there[name] = after(named[name], there[name], changes)
        yield dict(there)
