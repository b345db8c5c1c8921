"""HOP and TUMBLE at speed: the windows of a time, computed once for all times that share them."""

from collections.abc import Callable
from functools import lru_cache

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
        # All times from one end to the next are in the same windows.
        slot, first = emit, plan.align
    time_of = meaning_of(plan.time, env)

    @lru_cache(maxsize=1024)
    def windows_at(number: int) -> list[tuple[int, int]]:
        return windows_of(plan, instant_of(kind, number * slot + first))

    def hopped(rows: Relation) -> Relation:
        return [
            row + window
            for row, value in zip(rows, map(time_of, rows), strict=True)
            if isinstance(value, int)  # NULL is in no window
            for window in windows_at((value - first) // slot)
        ]

    return hopped
