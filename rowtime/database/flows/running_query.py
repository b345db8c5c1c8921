"""A running streaming query of a database: as rows that are final, or as a changelog."""

from typing import Protocol

from algebra.plan import Changes, Plan
from reference.environment import Environment
from reference.incremental.lowering.lower import RequestedBounds
from reference.ingress import Ingress
from reference.relation import Relation
from rowtime.database.flows.changelog_flow import ChangelogFlow
from rowtime.database.flows.query_flow import QueryFlow


class RunningQuery(Protocol):
    """The calls of a query that its reader needs."""

    def enter(self, ingress: Ingress, rows: Relation, /) -> object:
        """Take rows that have entered a stream, and the bounds after them."""
        ...

    def tick(self) -> object:
        """Evaluate again: the session's clock has advanced."""
        ...

    def drained(self) -> Relation:
        """The rows emitted since the last call."""
        ...

    @property
    def bound(self) -> float:
        """The bound of the rows that are not emitted yet."""
        ...


def start_query(
    plan: Plan, env: Environment, requested: RequestedBounds = frozenset()
) -> QueryFlow | ChangelogFlow:
    """A query that starts now; ``requested`` are the columns whose bounds are needed."""
    if isinstance(plan, Changes):
        return ChangelogFlow(plan, env)
    return QueryFlow(plan, env, requested)
