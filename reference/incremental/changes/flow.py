"""A running changelog: the changes of its answer, event by event."""

from typing import TYPE_CHECKING

from algebra.plan import Changes
from reference.environment import Environment
from reference.evaluate import World
from reference.incremental.changes.operator import Form, WeightedRows
from reference.relational.changelog import single
from reference.snapshot import stateful

if TYPE_CHECKING:
    from reference.relation import Row


@stateful
class ChangeFlow:
    """A running EMIT CHANGES query: its changes, event by event, as rows of weight 1 or -1.

    ``form`` makes the object that computes the changes of the answer.

    Raises the run-time errors of the query at the event at which its answer fails.

    Defines: S-1001.c, S-1001.e
    """

    def __init__(self, query: Changes, env: Environment, form: Form) -> None:
        self.answers = form(query.input, env)
        self._emitted: list[tuple[Row, int]] = []

    def happened(self, world: World) -> WeightedRows:
        """Compute and return the changes of an event; `drained` returns them, too.

        ``world`` has the rows of tables after the event, but of each stream only the rows that have
        arrived since the last event.
        """
        changed = single(self.answers.step(world))
        self._emitted += changed
        return changed

    def drained(self) -> WeightedRows:
        """The changes of all events since the last call."""
        emitted, self._emitted = self._emitted, []
        return emitted
