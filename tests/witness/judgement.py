"""When rows are out: by all continuations of an operator's inputs, and by nothing else.

For one operator, after any prefix of what its inputs bring (S-305, S-306):

- A row is *certain* if the operator has it, made of the same rows, in every continuation.
- A certain row is out as soon as no continuation has a row before it that is not certain.
- The bound is the least rowtime of the rows that are not out, in any continuation.

An operator sees of its inputs what these let out, and their bounds.  A continuation in which it
fails is left out: an error ends the query.
"""

from collections.abc import Iterable, Sequence
from math import inf
from typing import Final

from tests.witness.continuations import BEGINNING, Letter, continuations
from tests.witness.histories import Event, Known, Step, steps_of
from tests.witness.operators import Facts, fails, number_of, rows_of, sort_key
from tests.witness.plans import (
    Fact,
    Floor,
    Merge,
    NumberJoined,
    Plan,
    SetOf,
    Shift,
    Sorted,
    Stream,
    Timeless,
    TSorted,
    Where,
    inputs_of,
)

#: How many rows continuations have at most.
DEPTH: Final = 4


def judged(plan: Plan, history: Sequence[Event], depth: int = DEPTH) -> list[Step]:
    """What a plan lets out at each event of a history, and what is known of its later rows."""
    if isinstance(plan, Stream):
        return steps_of(plan, history)
    below = [judged(each, history, depth) for each in inputs_of(plan)]
    inputs: list[list[Fact]] = [[] for _ in below]
    out: set[Fact] = set()
    steps: list[Step] = []
    known: tuple[Known, ...] = ()
    for at in zip(*below, strict=True):
        before, known = known, tuple(step.known for step in at)
        if known == before and not any(step.rows for step in at):
            steps.append(Step((), steps[-1].known))
            continue
        for facts, step in zip(inputs, at, strict=True):
            facts += step.rows
        steps.append(_step(plan, inputs, known, out, depth))
        out.update(steps[-1].rows)
    return steps


def _step(
    plan: Plan, inputs: Sequence[Facts], known: Sequence[Known], out: set[Fact], depth: int
) -> Step:
    """What is emitted of an operator, of which ``out`` has been emitted before."""
    there = rows_of(plan, inputs)
    certain = set(there)
    if isinstance(plan, SetOf):
        # Its groups are complete by bounds that hold for every input (S-502.j).
        for letters in continuations(plan, inputs, _least(known), depth):
            certain.intersection_update(rows_of(plan, _longer(inputs, letters)))
    possible: dict[Fact, set[int]] = {}
    for letters in continuations(plan, inputs, known, depth):
        rows = rows_of(plan, _longer(inputs, letters))
        if fails(plan, rows):
            continue  # an error ends the query, and no row follows
        certain.intersection_update(rows)
        touched = {number for number, _ in letters}
        for row in rows:
            if row in possible:
                possible[row] &= touched
            else:
                possible[row] = set(touched)
    unsure = {row: touched for row, touched in possible.items() if row not in certain}
    now = [row for row in there if row in certain and row not in out]
    now = [row for row in now if _order(plan, row) <= _first(plan, row, unsure)]
    if isinstance(plan, NumberJoined):  # S-511.k
        first = min((number_of(row) for row in unsure), default=inf)
        now = [row for row in now if number_of(row) <= first]
    gone = out.union(now)
    later = [row for row in possible if row not in gone]
    time = min((row.time for row in later), default=inf)
    if not isinstance(plan, Sorted | TSorted):
        now.sort(key=lambda row: row.time)
    return Step(tuple(now), Known(_known(time), _number(plan, later), time == inf))


def _longer(inputs: Sequence[Facts], letters: Iterable[Letter]) -> list[list[Fact]]:
    """The inputs with what has come behind."""
    longer = [[*facts] for facts in inputs]
    for number, fact in letters:
        longer[number].append(fact)
    return longer


def _least(known: Sequence[Known]) -> list[Known]:
    """For each input that has not ended what is known of all that have not."""
    going = [each for each in known if not each.ended]
    times = [each.time for each in going if each.time is not None]
    numbers = [each.number for each in going if each.number is not None]
    time = min(times) if len(times) == len(going) and going else None
    number = min(numbers) if len(numbers) == len(going) and going else None
    return [each if each.ended else Known(time, number) for each in known]


def _first(plan: Plan, row: Fact, unsure: dict[Fact, set[int]]) -> float:
    """Where the first row is that may still come before ``row``.

    One that passes as it is waits for the other inputs, not for its own (S-501.c, S-502.b).
    """
    own: int | None = None
    match plan, row.made_of:
        case ((Where() | Shift() | Floor() | Timeless()), _):
            own = 0
        case Merge(), (int(number), int()):
            own = number
        case _:
            pass
    return min(
        (_order(plan, each) for each, touched in unsure.items() if own not in touched), default=inf
    )


def _order(plan: Plan, row: Fact) -> int:
    """By what rows are emitted: by time, if no ORDER BY says otherwise; S-511.o of a FULL join."""
    match plan:
        case Sorted():
            return sort_key(plan, row)
        case NumberJoined("FULL"):
            return number_of(row)
        case _:
            return row.time


def _number(plan: Plan, later: Iterable[Fact]) -> int | None:
    """The bound of the number, of a plan that still has it."""
    match plan:
        case Where() | Merge() | Sorted() | SetOf(by_number=False):
            found = [n for row in later if len(row.values) > 1 and (n := row.values[1]) is not None]
            return _known(min(found, default=inf))
        case _:
            return None


def _known(least: float) -> int | None:
    """A bound; None where a row may come that is at the beginning of time."""
    return None if least == inf or least < BEGINNING / 2 else int(least)


def answers(plan: Plan, history: Sequence[Event]) -> list[list[Fact] | None]:
    """The rows of the relational query after each event; None: it fails.

    They are the folds of the changelog (S-1001.b), in which no operator drops a row as late.
    """
    if isinstance(plan, TSorted):  # S-1001.i
        plan = Sorted(plan.input, "time", plan.then_key)
    if isinstance(plan, Stream):
        steps = steps_of(plan, history)
        return [
            [row for step in steps[:end] for row in step.rows] for end in range(1, len(steps) + 1)
        ]
    below = [answers(each, history) for each in inputs_of(plan)]
    found: list[list[Fact] | None] = []
    for at in zip(*below, strict=True):
        inputs = [each for each in at if each is not None]
        made = rows_of(plan, inputs) if len(inputs) == len(at) else None
        found.append(None if made is None or fails(plan, made) else made)
    return found
