"""Changelogs in Spark's output modes, as its users have them.

A query that only adds rows is in append mode.  A query that groups its rows, and shows the keys of
the groups, is in update mode: a row that is written replaces the row of its key.  Any other query
with groups is in complete mode: each micro-batch writes the whole result, and the changes are what
differs from the result before.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from algebra.expression import InputRef
from algebra.plan import Aggregate, Changes, Plan, Project, inputs_of
from engines.sparknative.running import Mode
from tck.protocol import WireRow


@dataclass(frozen=True, slots=True)
class OutputMode:
    """Spark's mode for a changelog; ``key`` are the columns of the result that are its key.

    ``key`` is None in every mode but update.
    """

    mode: Mode
    key: tuple[int, ...] | None = None


def output_mode(query: Changes) -> OutputMode:
    """The mode in which Spark's users run a query."""
    key = _key_of_groups(query.input)
    if key is not None:
        return OutputMode("update", key)
    return OutputMode("complete" if _groups(query.input) else "append")


def _key_of_groups(plan: Plan) -> tuple[int, ...] | None:
    """The places of the keys in the result of a GROUP BY; None: it is another query, or lacks one.

    HAVING counts as another query, because update mode writes no row that has left the result.
    """
    if not (isinstance(plan, Project) and isinstance(plan.input, Aggregate)):
        return None
    keys = range(len(plan.input.keys))
    places = {e.index: i for i, e in enumerate(plan.expressions) if isinstance(e, InputRef)}
    grouped = plan.input.sets == (tuple(keys),) and bool(keys)
    return tuple(places[i] for i in keys) if grouped and places.keys() >= set(keys) else None


def _groups(plan: Plan) -> bool:
    return isinstance(plan, Aggregate) or any(map(_groups, inputs_of(plan)))


@dataclass(slots=True)
class WholeResult:
    """The result that complete mode wrote last."""

    rows: Counter[WireRow] = field(default_factory=Counter[WireRow])

    def changes(self, rows: Sequence[WireRow]) -> list[tuple[WireRow, int]]:
        """The rows that the result has lost and gained, now that it has these."""
        before, self.rows = self.rows, Counter(rows)
        lost, gained = before - self.rows, self.rows - before
        return [*((row, -1) for row in lost.elements()), *((row, 1) for row in gained.elements())]
