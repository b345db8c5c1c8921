"""The definition of a changelog: the answer is evaluated again at each event."""

from typing import TYPE_CHECKING

from algebra.parts.mentions import streams_read
from algebra.plan import Plan
from reference.environment import Environment
from reference.evaluate import World, evaluate
from reference.incremental.changes.operator import WeightedRows
from reference.relational.changelog import difference
from reference.snapshot import stateful

if TYPE_CHECKING:
    from algebra.catalog import QualifiedName
    from reference.relation import Relation, Row


@stateful
class Recomputed:
    """The rows that the answer of any plan has gained and lost since the last event (S-1001.b).

    It retains the rows of the streams that the plan reads, and the answer.
    """

    def __init__(self, plan: Plan, env: Environment) -> None:
        self._plan, self._forms = plan, env.forms
        self._names = tuple(streams_read(plan))
        self._came: dict[QualifiedName, list[Row]] = {}  # the rows that have arrived
        self._before: Relation = ()

    def step(self, world: World) -> WeightedRows:
        """The changes of the answer in ``world`` since the last event; all rows, at the first."""
        for name in self._names:
            self._came.setdefault(name, []).extend(world.streams.get(name, ()))
        world = world._replace(streams=self._came)
        now = evaluate(self._plan, world, self._forms)
        changed = difference(now, self._before)
        self._before = now
        return changed

    @property
    def retained(self) -> int:
        """The number of rows of the streams, and of the answer at the last event."""
        return sum(map(len, self._came.values())) + len(self._before)
