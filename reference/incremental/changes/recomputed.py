"""The definition of a changelog: the answer is evaluated again at each event."""

from typing import TYPE_CHECKING

from algebra.plan import Plan
from reference.environment import Environment
from reference.evaluate import World, evaluate
from reference.incremental.changes.operator import WeightedRows
from reference.relational.changelog import difference

if TYPE_CHECKING:
    from reference.relation import Relation


class Recomputed:
    """The answer of any plan, and what it has gained and lost since the last event (S-1001.b)."""

    def __init__(self, plan: Plan, env: Environment) -> None:
        self._plan, self._forms = plan, env.forms
        self._before: Relation = ()

    def step(self, world: World) -> WeightedRows:
        """The changes of the answer in ``world`` since the last event; all rows, at the first."""
        now = evaluate(self._plan, world, self._forms)
        changed = difference(now, self._before)
        self._before = now
        return changed

    @property
    def retained(self) -> int:
        """The rows of the answer at the last event."""
        return len(self._before)
