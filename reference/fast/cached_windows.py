"""Fast HOP and TUMBLE: windows are computed once for all times that share them."""

from collections.abc import Callable
from typing import cast

from algebra.plan import Hop, window_sizes
from algebra.types import Kind
from reference.environment import Environment
from reference.relation import Relation
from reference.relational.hop import windows_of
from reference.scalar.datetimes import instant_of
from reference.scalar.expression import meaning_of


def hopping(plan: Hop, env: Environment) -> Callable[[Relation], Relation]:
    """`reference.relational.hop.hopping`."""
    kind, calendar = plan.time.type.kind, plan.emit.type.kind is Kind.MONTHS
    emit, retain = window_sizes(plan)

    if kind is Kind.DATE or calendar or retain % emit:
        slot, first = 1, 0
    else:
        # All times between two neighbouring ends of windows are in the same windows.
        slot, first = emit, plan.align
    time_of = meaning_of(plan.time, env)

    class Windows(dict[int, list[tuple[int, int]]]):
        """The windows of the times between two neighbouring ends, computed when they are needed."""

        def __missing__(self, number: int) -> list[tuple[int, int]]:
            found = self[number] = windows_of(plan, instant_of(kind, number * slot + first))
            return found

    def hopped(rows: Relation) -> Relation:
        known = Windows()
        times = cast("list[int | None]", list(map(time_of, rows)))
        return [
            row + window
            for row, time in zip(rows, times, strict=True)
            if time is not None  # NULL is in no window
            for window in known[(time - first) // slot]
        ]

    return hopped
