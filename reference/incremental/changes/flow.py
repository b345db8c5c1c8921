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
    """The changes of an EMIT CHANGES query, event by event, as rows of weight 1 or -1.

    Raises the run-time errors of the query at the event at which its answer fails.

    Defines: S-1001.c, S-1001.e
    """

    def __init__(self, query: Changes, env: Environment, form: Form) -> None:
        self.answers = form(query.input, env)
        self._emitted: list[tuple[Row, int]] = []

    def happened(self, world: World) -> WeightedRows:
        """Add the changes of an event, after which streams and tables are as in ``world``."""
        changed = single(self.answers.step(world))
        self._emitted += changed
        return changed

    def drained(self) -> WeightedRows:
        """The changes since the last call."""
        emitted, self._emitted = self._emitted, []
        return emitted
