"""Admission of many rows at speed: what `Ingress.admit` says of one after the other."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from algebra.expression import Value
from algebra.types import APPROXIMATE, DATETIME, INTEGERS
from grammar.source import SqlError
from reference.environment import Accept, Environment, Verdicts
from reference.ingress import Clock, Dropped, Ingress
from reference.relation import Relation, Row
from reference.scalar.expression import meaning_of
from reference.values import integer, is_nan


def together(ingress: Ingress, env: Environment) -> Accept:
    """`reference.ingress.one_by_one`."""
    return _Prepared(ingress, env).accept


class _Prepared:
    """What the rows that come to one gate are measured by, made ready once.

    ``ingress`` is that gate at any time: its clocks move, but not which columns have them.
    """

    def __init__(self, ingress: Ingress, env: Environment) -> None:
        source, columns = ingress.source, ingress.source.columns
        self._env = env
        self._checks = [meaning_of(each, env) for each in source.checks]
        self._required = [
            place
            for place, column in enumerate(columns)
            if not column.type.nullable or place in ingress.clocks
        ]
        self._floating = [
            place
            for place in ingress.clocks
            if place >= 0 and columns[place].type.kind in APPROXIMATE
        ]
        self._whole = [each.type.kind in INTEGERS | DATETIME for each in columns]

    def accept(self, ingress: Ingress, rows: Relation) -> Verdicts:
        """The gate after ``rows``, and of each row why it does not come in, if it does not."""
        hands = [
            _hand(place, clock, self._whole[place])
            for place, clock in ingress.clocks.items()
            if place >= 0
        ]
        verdicts: list[Dropped | None] = []
        for row in rows:
            if self._is_sound(row, ingress) and not any(h.late(row[h.place]) for h in hands):
                for hand in hands:
                    hand.move(row[hand.place])
                verdicts.append(None)
            else:
                # What is wrong with it, the definition says; the gate stays as it is.
                after, dropped = _moved(ingress, hands).accept(row, self._env)
                assert dropped is not None, row
                assert after.clocks == _moved(ingress, hands).clocks
                verdicts.append(dropped)
        return _moved(ingress, hands), verdicts

    def _is_sound(self, row: Row, ingress: Ingress) -> bool:
        """Whether nothing is wrong with a row alone: no forbidden NULL or NaN, no broken CHECK."""
        if ingress.ended or (None in row and any(row[place] is None for place in self._required)):
            return False
        if self._floating and any(is_nan(row[place]) for place in self._floating):
            return False
        try:
            return all(check(row) is not False for check in self._checks)
        except SqlError:
            return False


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
        return Clock(self.clock.ordering, self.bound) if known else self.clock


def _hand(place: int, clock: Clock, whole: bool) -> _Hand:
    """The hand of one column; ``whole``: of whole numbers."""
    ordering = clock.ordering
    if not whole or ordering.descending or ordering.punctuated or ordering.rows is not None:
        return _Hand(place, clock)
    step = int(ordering.strict) if ordering.slack is None else -ordering.slack
    return _NumberHand(
        place, clock, step, -math.inf if clock.bound is None else integer(clock.bound)
    )


def _moved(ingress: Ingress, hands: Sequence[_Hand]) -> Ingress:
    """The gate with its clocks as the ``hands`` show them."""
    clocks = {**ingress.clocks, **{each.place: each.read() for each in hands}}
    return Ingress(ingress.source, clocks, ingress.rowtime, ingress.promised, ingress.ended)
