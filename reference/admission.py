"""Admission of many rows at speed: what `Gate.admit` says of one after the other."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from algebra.expression import Value
from algebra.types import DATETIME, INTEGERS
from grammar.source import SqlError
from reference.entry import Clock, Dropped, Gate
from reference.expression import meaning_of
from reference.relation import Environment, Relation, Row
from reference.values import integer


def admit_all(entry: Gate, rows: Relation, env: Environment) -> tuple[Gate, list[Dropped | None]]:
    """The gate after ``rows``, and of each row why it does not come in, if it does not."""
    sound = _soundness(entry, env)
    hands = _hands(entry)
    verdicts: list[Dropped | None] = []
    for row in rows:
        if sound(row) and not any(hand.late(row[hand.place]) for hand in hands):
            for hand in hands:
                hand.move(row[hand.place])
            verdicts.append(None)
        else:
            # What is wrong with it, the definition says; the gate stays as it is.
            after, dropped = _moved(entry, hands).admit(row, env)
            assert dropped is not None, row
            assert after.clocks == _moved(entry, hands).clocks
            verdicts.append(dropped)
    return _moved(entry, hands), verdicts


def _soundness(entry: Gate, env: Environment) -> Callable[[Row], bool]:
    """Whether nothing is wrong with a row alone: no forbidden NULL, no broken CHECK, not ended."""
    source = entry.source
    required = [
        place
        for place, column in enumerate(source.columns)
        if not column.type.nullable or place in entry.clocks
    ]
    checks = [meaning_of(each, env) for each in source.checks]

    def sound(row: Row) -> bool:
        if entry.ended or (None in row and any(row[place] is None for place in required)):
            return False
        try:
            return all(check(row) is not False for check in checks)
        except SqlError:
            return False

    return sound


# --- clocks at work -----------------------------------------------------------------------------


@dataclass(slots=True)
class _Hand:
    """A `Clock` at work: it moves with each row."""

    place: int
    clock: Clock

    def late(self, value: Value) -> bool:
        """As `Clock.late`."""
        return self.clock.late(value)

    def move(self, value: Value) -> None:
        """As `Clock.after`."""
        self.clock = self.clock.after(value)

    def read(self) -> Clock:
        """The clock now."""
        return self.clock


@dataclass(slots=True)
class _NumberHand(_Hand):
    """The hand of an ascending column of whole numbers: each implies a bound ``step`` further."""

    step: int
    bound: float

    def late(self, value: Value) -> bool:
        """Whether the number is below the bound."""
        return integer(value) < self.bound

    def move(self, value: Value) -> None:
        """Raise the bound."""
        implied = integer(value) + self.step
        if implied > self.bound:
            self.bound = implied

    def read(self) -> Clock:
        """The clock with the bound, if there is one."""
        known = isinstance(self.bound, int)
        return replace(self.clock, bound=self.bound) if known else self.clock


def _hands(entry: Gate) -> list[_Hand]:
    """Hands for all clocks that rows move."""
    return [_hand(place, clock, entry) for place, clock in entry.clocks.items() if place >= 0]


def _hand(place: int, clock: Clock, entry: Gate) -> _Hand:
    """The hand of one column."""
    ordering = clock.ordering
    whole = entry.source.columns[place].type.kind in INTEGERS | DATETIME
    if not whole or ordering.descending or ordering.punctuated or ordering.rows is not None:
        return _Hand(place, clock)
    step = int(ordering.strict) if ordering.slack is None else -ordering.slack
    return _NumberHand(
        place, clock, step, -math.inf if clock.bound is None else integer(clock.bound)
    )


def _moved(entry: Gate, hands: list[_Hand]) -> Gate:
    """The gate with its clocks as the ``hands`` show them."""
    return replace(entry, clocks={**entry.clocks, **{each.place: each.read() for each in hands}})
