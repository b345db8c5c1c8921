"""What an operator is: a train in, a train out, and some state between."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import chain
from sys import getsizeof
from typing import Protocol

from reference.incremental.train import Shape, Train
from reference.relation import Row


@dataclass(frozen=True, slots=True)
class State:
    """What an operator keeps: so many rows, and groups of accumulated values.

    ``held`` are they themselves, as they are when it is called: a size is found out only where it
    is asked for, since it takes a look at every value.
    """

    rows: int = 0
    groups: int = 0
    held: Callable[[], Iterable[Row]] = field(default=tuple, compare=False)

    def __add__(self, other: "State") -> "State":
        """What two operators keep together."""
        return State(
            self.rows + other.rows,
            self.groups + other.groups,
            lambda: chain(self.held(), other.held()),
        )

    @property
    def bytes(self) -> int:
        """The size of what is held, as Python keeps it; shared values count once for each row."""
        return sum(getsizeof(row) + sum(map(getsizeof, row)) for row in self.held())


class Operator(Protocol):
    """A node of the network.  It takes trains at its ports, and gives a train for each.

    What it gives are all the rows that this event sets free, and the bounds of its output (S-306):
    the strongest that its knowledge allows, for the columns whose bounds are wanted.  The same
    events give the same trains.

    Defines: S-306.a
    """

    @property
    def shape(self) -> Shape:
        """What its rows look like."""
        ...

    def take(self, train: Train, port: int = 0) -> Train:
        """What comes out because ``train`` has come in; raises the run-time errors."""
        ...

    def state(self) -> State:
        """What it keeps now."""
        ...
