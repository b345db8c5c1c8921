"""Starts the streaming queries of a database: those with final rows, and changelogs."""

from typing import Protocol

from algebra.plan import Changes, Plan
from reference.environment import Environment
from reference.incremental.lowering.lower import RequestedColumns
from reference.ingress import Ingress
from reference.relation import Relation
from rowtime.database.flows.changelog_flow import ChangelogFlow
from rowtime.database.flows.query_flow import QueryFlow


class RunningQuery(Protocol):
    """A running query, with the methods that a reader needs."""

    def enter(self, ingress: Ingress, rows: Relation, /) -> object:
        """Take rows that have entered a stream, and the bounds after them."""
        ...

    def tick(self) -> object:
        """Evaluate the parts of the query that read the session's clock, which has advanced."""
        ...

    def drained(self) -> Relation:
        """The rows emitted since the last call."""
        ...

    @property
    def bound(self) -> float:
        """The bound of all rows that the query emits later, in milliseconds."""
        ...


def start_query(
    plan: Plan, env: Environment, requested: RequestedColumns = frozenset()
) -> QueryFlow | ChangelogFlow:
    """Start a query.  Its flow is a `ChangelogFlow` if it has EMIT CHANGES, else a `QueryFlow`.

    ``requested`` are the output columns whose bounds must be computed; a changelog has no bounds.
    """
    if isinstance(plan, Changes):
        return ChangelogFlow(plan, env)
    return QueryFlow(plan, env, requested)
