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
    """As `reference.relational.hop.hopping`, but the windows of equal times are computed once.

    The times are divided into slots: times of one slot are in the same windows.  Slot n starts at
    ``origin + n * length``, in the unit of the times.
    """
    kind = plan.time.type.kind
    has_calendar_steps = plan.emit.type.kind is Kind.MONTHS
    emit, retain = window_sizes(plan)  # the step from window to window, and the size of a window

    if kind is Kind.DATE or has_calendar_steps or retain % emit:
        length, origin = 1, 0  # other windows can start or end at any time: each is a slot
    else:
        # Windows start and end at multiples of ``emit``, so they divide the times into slots.
        length, origin = emit, plan.align
    time_of = meaning_of(plan.time, env)

    class WindowsBySlot(dict[int, list[tuple[int, int]]]):
        """The windows of each slot, by its number; they are computed when they are needed."""

        def __missing__(self, number: int) -> list[tuple[int, int]]:
            found = self[number] = windows_of(plan, instant_of(kind, number * length + origin))
            return found

    def hopped(rows: Relation) -> Relation:
        windows = WindowsBySlot()
        times = cast("list[int | None]", list(map(time_of, rows)))
        return [
            row + window
            for row, time in zip(rows, times, strict=True)
            if time is not None  # NULL is in no window
            for window in windows[(time - origin) // length]
        ]

    return hopped
