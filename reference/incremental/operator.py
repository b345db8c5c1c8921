"""What an operator is: a train in, a train out, and some state between."""

from collections.abc import Iterable
from sys import getsizeof
from typing import Protocol

from grammar.frozen import dataclass
from reference.incremental.train import Shape, Train
from reference.relation import Row


@dataclass(frozen=True, slots=True)
class State:
    """What an operator keeps: rows, groups of accumulated values, and their size in bytes.

    The size is that of the rows and of what they hold, as Python keeps them; shared values count
    once for each row.
    """

    rows: int = 0
    groups: int = 0
    bytes: int = 0


class Operator(Protocol):
    """A node of the network.  It takes trains at its ports, and gives a train for each.

    What it gives are all the rows that this event sets free, and the bounds of its output (S-306):
    the strongest that its knowledge allows, for the columns whose bounds are wanted.  The same
    events give the same trains.
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


def size_of(rows: Iterable[Row]) -> int:
    """The size of rows in bytes, as `State` counts it."""
    return sum(getsizeof(row) + sum(map(getsizeof, row)) for row in rows)
