"""The operators of a network: a train in, a train out, and state between."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import chain
from sys import getsizeof
from typing import Protocol

from reference.incremental.train import Shape, Train
from reference.relation import Row


@dataclass(frozen=True, slots=True)
class State:
    """The size of an operator's state: retained rows, and groups of accumulated values.

    ``retained`` returns the rows themselves, because their size in bytes is only computed on
    demand.
    """

    rows: int = 0
    groups: int = 0
    retained: Callable[[], Iterable[Row]] = field(default=tuple, compare=False)

    def __add__(self, other: "State") -> "State":
        """The state of two operators together."""
        return State(
            self.rows + other.rows,
            self.groups + other.groups,
            lambda: chain(self.retained(), other.retained()),
        )

    @property
    def bytes(self) -> int:
        """The size of the retained rows as Python objects; a shared value counts for each row."""
        return sum(getsizeof(row) + sum(map(getsizeof, row)) for row in self.retained())


class Operator(Protocol):
    """A node of the network: it takes a train at one of its ports, and returns a train.

    The returned train has all rows that this event determines and no later row can precede, and the
    output's bounds (S-306): the strongest that the operator knows, for the requested columns. The
    same events always return the same trains.

    Defines: S-306.a
    """

    @property
    def shape(self) -> Shape:
        """The shape of the output rows."""
        ...

    def take(self, train: Train, port: int = 0, /) -> Train:
        """The output that ``train`` causes. Raises the run-time errors of the expressions."""
        ...

    def state(self) -> State:
        """The present state."""
        ...
