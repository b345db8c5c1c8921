"""The bounds of the rows of several inputs (S-502.c)."""

from collections.abc import Sequence

from algebra.monotonicity.progress import Bound, Bounds, weaker
from algebra.monotonicity.tables import Monotonicity


def union_bounds(inputs: Sequence[Bounds], orders: Sequence[Monotonicity]) -> Bounds:
    """For each column the weakest bound of the inputs that have not ended.

    ``orders`` has the direction in which the bounds of each column advance.  The result has ended
    if all inputs have ended.
    """
    running = [each.columns for each in inputs if not each.ended]
    if not running:
        return inputs[0]
    limits_of_columns = zip(*running, strict=True)
    return Bounds(
        tuple(
            weakest(limits, descending=order.descending)
            for limits, order in zip(limits_of_columns, orders, strict=True)
        )
    )


def weakest(limits: Sequence[Bound | None], *, descending: bool) -> Bound | None:
    """The weakest bound; None if one is unknown, or if there are no bounds."""
    if not limits:
        return None
    found = limits[0]
    for each in limits[1:]:
        found = weaker(found, each, descending)
    return found
