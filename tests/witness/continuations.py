"""All continuations of an operator's inputs, over a small alphabet: what may come (S-305.c)."""

from collections.abc import Iterator, Sequence
from itertools import chain, combinations_with_replacement, product
from typing import Final, TypeAlias

from tests.witness.histories import LAST_INSTANT, Known
from tests.witness.operators import ANY, MINUTE, Facts, distances
from tests.witness.plans import (
    AsofJoined,
    Distinct,
    Fact,
    Frame,
    Joined,
    Minutes,
    NumberJoined,
    Numbers,
    Plan,
    RowsJoined,
    Sessions,
    SetOf,
    Sorted,
    TSorted,
    Where,
    WindowJoined,
    Windows,
    inputs_of,
    width,
)

#: The distance between two times of the alphabet.
UNIT: Final = 20_000
#: No two rows that are further apart have to do with one another.
FAR: Final = 100 * UNIT
#: Stands for the beginning of time, and of numbers.
BEGINNING: Final = -1000 * UNIT

#: A row to come, and the number of its input.
Letter: TypeAlias = tuple[int, Fact]


def continuations(
    plan: Plan, inputs: Sequence[Facts], known: Sequence[Known], depth: int
) -> Iterator[tuple[Letter, ...]]:
    """What may still come, first of all nothing.

    These are all bags of one letter (of two, where an operator needs two rows for one), and those
    of ``depth`` letters or fewer of a part of the alphabet: the first two letters of each input.
    """
    letters = [list(_letters(plan, i, inputs, known)) for i in range(len(inputs))]
    whole = list(chain.from_iterable(letters))
    pairs = isinstance(plan, SetOf | Joined | WindowJoined | RowsJoined | NumberJoined | AsofJoined)
    for size in range(3 if pairs else 2):
        yield from combinations_with_replacement(whole, size)
    thin = list(chain.from_iterable(each[:2] for each in letters))
    for size in range(3 if pairs else 2, depth + 1):
        yield from combinations_with_replacement(thin, size)


def _letters(
    plan: Plan, number: int, inputs: Sequence[Facts], known: Sequence[Known]
) -> Iterator[Letter]:
    """The rows that may come at an input, the earliest first."""
    own = known[number]
    if own.ended:
        return
    start = BEGINNING if own.time is None else own.time
    columns = width(inputs_of(plan)[number])
    if isinstance(plan, SetOf):
        yield from ((number, fact) for fact in _like(plan, number, inputs, known, columns))
        return
    times = _times(plan, start, inputs, known)
    for key in _keys(plan, inputs):
        for time in times:
            for n in _numbers(own, known, inputs) if _counts_numbers(plan, known, inputs) else (0,):
                yield number, Fact(time, (key, n, *[0] * columns)[:columns])


def _times(plan: Plan, start: int, inputs: Sequence[Facts], known: Sequence[Known]) -> list[int]:
    """The bound itself, and whole units from what is there, as far as that can matter."""
    if _by_number(plan):
        return [start]
    there = [fact.time for facts in inputs for fact in facts]
    there += [each.time for each in known if each.time is not None]
    # Of two inputs of which nothing is known rows may meet at the beginning of time, too.
    apart = range(0, _reach(plan) + 1 if start == BEGINNING else 1, UNIT)
    if not there:
        return [start + each for each in apart]
    beside = {0, *(time % UNIT for time in there)}
    if isinstance(plan, AsofJoined):  # a row may have to be after another, by a millisecond
        beside |= {time + 1 for time in beside}
    spread: set[int] = set()
    for group in _near_one_another(there):
        first = max(start + 1, min(group) - _reach(plan) - UNIT)
        last = min(max(group) + _reach(plan) + UNIT, LAST_INSTANT)
        units = range(first // UNIT * UNIT, last + 1, UNIT)
        spread |= {time for each in units for at in beside if first <= (time := each + at) <= last}
    return [*(start + each for each in apart), *sorted(spread)]


def _near_one_another(times: Sequence[int]) -> list[list[int]]:
    """The times in groups: no time of one has to do with one of another."""
    groups: list[list[int]] = []
    for time in sorted(times):
        if groups and time - groups[-1][-1] <= FAR:
            groups[-1].append(time)
        else:
            groups.append([time])
    return groups


def _by_number(plan: Plan) -> bool:
    """Whether rows have to do with one another by their numbers alone: no later time matters."""
    match plan:
        case Numbers() | NumberJoined() | Sorted(_, "number"):
            return True
        case _:
            return False


def _reach(plan: Plan) -> int:
    """How far apart rows can be that have to do with one another."""
    match plan:
        case Windows(_, _, length):
            return length
        case Sessions(_, gap):
            return gap
        case Minutes() | Sorted():
            return MINUTE
        case Frame(_, "RANGE", before, after):
            return max(before or 0, after or 0)
        case TSorted(_, slack):
            return slack
        case Joined():
            return max(map(abs, distances(plan)))
        case WindowJoined(windows=windows):
            return sum(map(sum, windows))
        case _:
            return UNIT


def _keys(plan: Plan, inputs: Sequence[Facts]) -> Sequence[int | None]:
    match plan:
        case Where() | Joined() | WindowJoined() | RowsJoined() | AsofJoined():
            return (ANY,)
        case Sessions(by_key=True):
            there = {fact.values[0] for facts in inputs for fact in facts}
            return (7, *sorted(there, key=lambda key: (key is None, key or 0)))
        case Distinct() | Windows(by_key=True) | Minutes(by_key=True) | Frame(by_key=True):
            there = {fact.values[0] for facts in inputs for fact in facts}
            return (0, *sorted(there - {0}, key=lambda key: (key is None, key or 0)))
        case _:
            return (0,)


def _counts_numbers(plan: Plan, known: Sequence[Known], inputs: Sequence[Facts]) -> bool:
    there = any(len(f.values) > 1 for facts in inputs for f in facts)
    there = there or any(each.number is not None for each in known)
    return there and not isinstance(plan, Joined | WindowJoined | RowsJoined | AsofJoined)


def _numbers(own: Known, known: Sequence[Known], inputs: Sequence[Facts]) -> Sequence[int]:
    """The bound of the number, those that are there or are bounds, and one after them."""
    start = BEGINNING if own.number is None else own.number
    there = {n for facts in inputs for f in facts if (n := f.values[1]) is not None}
    there |= {each.number for each in known if each.number is not None}
    return sorted({start, max(start, *there, 0) + 1, *(n for n in there if n >= start)})


def _like(
    plan: SetOf, number: int, inputs: Sequence[Facts], known: Sequence[Known], columns: int
) -> Iterator[Fact]:
    """Rows of new groups, and of those that are there as far as an input may still have them."""
    own = known[number]
    start = BEGINNING if own.time is None else own.time
    first = BEGINNING if own.number is None else own.number
    numbers = sorted(
        {first, *(e.number for e in known if e.number is not None and e.number > first)}
    )
    times = sorted({start, *(e.time for e in known if e.time is not None and e.time > start)})
    for time, n in product(times, numbers if columns > 1 else (0,)):
        yield Fact(time, (7, n, *[0] * columns)[:columns])
    if plan.by_number:
        yield from (Fact(start, (7, n)) for n in _numbers(own, known, inputs))
        return
    there = {Fact(fact.time, fact.values) for facts in inputs for fact in facts}
    for fact in sorted(there, key=repr):
        behind = own.number is not None and (fact.values[1] or 0) < own.number
        if fact.time >= start and not behind:
            yield fact
