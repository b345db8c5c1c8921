"""HOP and TUMBLE at speed: the windows of a time, computed once for all times that share them."""

from collections.abc import Callable
from functools import lru_cache

from algebra.expression import Expression, Literal
from algebra.types import Kind
from reference.environment import Environment
from reference.relation import Relation
from reference.relational.hop import windows
from reference.scalar.datetimes import instant_of
from reference.scalar.expression import meaning_of
from reference.values import integer


def hopping(
    time: Expression, emit: Literal, retain: Literal, align: int, env: Environment
) -> Callable[[Relation], Relation]:
    """`reference.relational.hop.hopping`."""
    kind, calendar = time.type.kind, emit.type.kind is Kind.MONTHS
    every, size = integer(emit.value), integer(retain.value)

    if kind is Kind.DATE or calendar or size % every:
        slot, first = 1, 0
    else:
        # All times from one end to the next are in the same windows.
        slot, first = every, align
    time_of = meaning_of(time, env)

    @lru_cache(maxsize=1024)
    def windows_of(number: int) -> list[tuple[int, int]]:
        return windows(instant_of(kind, number * slot + first), every, size, align, calendar)

    def hopped(rows: Relation) -> Relation:
        return [
            row + window
            for row, value in zip(rows, map(time_of, rows), strict=True)
            if isinstance(value, int)  # NULL is in no window
            for window in windows_of((value - first) // slot)
        ]

    return hopped
