"""The interfaces of a changelog: its operators over weighted rows, and the changes of a plan."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

from algebra.plan import Plan
from reference.environment import Environment
from reference.evaluate import World
from reference.relational.changelog import WeightedRows as WeightedRows


class Operator(Protocol):
    """An operator of a changelog: it maps the changes of its inputs at an event to its own.

    DBSP calls it the incremental form of the operator, ``D . Q . I``.
    """

    def step(self, inputs: Sequence[WeightedRows]) -> WeightedRows:
        """The changes of the output at an event; ``inputs`` has the changes of each input."""
        ...

    @property
    def retained(self) -> int:
        """The number of distinct rows that it retains."""
        ...


class Answers(Protocol):
    """The changes of the answer of a plan, or of a part of a plan, event by event.

    At an event, ``world`` has the present rows of tables, but of streams only the rows that they
    have accepted since the last event.
    """

    def step(self, world: World) -> WeightedRows:
        """The changes of the answer in ``world`` since the last event; all rows, at the first."""
        ...

    @property
    def retained(self) -> int:
        """The number of distinct rows that it retains."""
        ...


#: The maker of `Answers` for a plan: the definition `Recomputed`, or `ChangesNetwork`.
Form: TypeAlias = Callable[[Plan, Environment], Answers]
