"""The interface of the operators of a network, and the size of an operator's state.

An operator takes a train (a batch of rows with the bounds of all later rows), changes its state,
and returns a train.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import chain
from sys import getsizeof
from typing import Protocol

from reference.incremental.train import Shape, Train
from reference.relation import Row


@dataclass(frozen=True, slots=True)
class State:
    """The size of an operator's state: the numbers of retained rows and of groups.

    A group has accumulated values in place of rows. ``retained`` returns the retained rows
    themselves, and the rows that groups retain, from which `bytes` is computed on demand.
    """

    rows: int = 0
    groups: int = 0
    retained: Callable[[], Iterable[Row]] = field(default=tuple, compare=False)

    def __add__(self, other: "State") -> "State":
        """The size of both states together."""
        return State(
            self.rows + other.rows,
            self.groups + other.groups,
            lambda: chain(self.retained(), other.retained()),
        )

    @property
    def bytes(self) -> int:
        """The size of the retained rows as Python objects.

        A value that several rows share counts once for each of them.
        """
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
        """Take a train of the input ``port``; return the output that it causes.

        Raises the run-time errors of the expressions.
        """
        ...

    def state(self) -> State:
        """The size of the present state."""
        ...
