"""A running query with EMIT CHANGES, whose changes are computed after each event."""

from typing import TYPE_CHECKING

from algebra.plan import Changes
from reference.environment import Environment
from reference.evaluate import Contents, World
from reference.incremental.changes.flow import ChangeFlow
from reference.incremental.changes.network import ChangesNetwork
from reference.incremental.train import NOTHING_KNOWN
from reference.ingress import Ingress
from reference.relation import Relation, Row
from reference.relational.changelog import WeightedRows
from reference.snapshot import stateful
from rowtime.database.flows.query_flow import start_calls

if TYPE_CHECKING:
    from algebra.catalog import QualifiedName


@stateful
class ChangelogFlow:
    """The operators of a query with EMIT CHANGES (S-1001).

    Rows of streams are collected until the end of the event.  Then `answer` computes the changes
    from these rows, and from the present tables.
    """

    #: A changelog has no bound: any row can change again.
    bound = NOTHING_KNOWN

    def __init__(self, query: Changes, env: Environment) -> None:
        self._changes = ChangeFlow(query, env, ChangesNetwork)
        self._parameters = env.parameters
        self._came: dict[QualifiedName, list[Row]] = {}
        self._calls = start_calls(query, env)

    def enter(self, ingress: Ingress, rows: Relation) -> None:
        """Take rows of a stream, and pass them through the table functions that read it."""
        name = ingress.source.name
        self._came.setdefault(name, []).extend(rows)
        for each in self._calls:
            if each.input == name:
                sent = each.take(ingress, rows)
                self._came.setdefault(each.ingress.source.name, []).extend(sent)

    def answer(self, tables: Contents, now: int) -> None:
        """Compute the changes of an event; ``tables`` are the tables after the event.

        Raises the run-time errors of the query; then the query cannot continue.
        """
        came, self._came = self._came, {}
        world = World(tables, streams=came, now=now, parameters=self._parameters)
        self._changes.happened(world)

    def tick(self) -> None:
        """Do nothing: a changelog does not read the session's clock."""

    def changes(self) -> WeightedRows:
        """Remove and return the changes since the last call."""
        return self._changes.drained()

    def drained(self) -> Relation:
        """As `changes`, but as rows with the weight before the columns."""
        return [(weight, *row) for row, weight in self.changes()]
