"""The bounds of the rows of several inputs (S-502.c)."""

from collections.abc import Sequence

from algebra.monotonicity.progress import Bounds, weaker
from algebra.monotonicity.tables import Monotonicity


def union_bounds(inputs: Sequence[Bounds], orders: Sequence[Monotonicity]) -> Bounds:
    """For each column the weakest bound of the inputs that have not ended.

    ``orders`` has the direction in which the bounds of each column advance.  The result has ended
    if all inputs have ended.
    """
    running = [each for each in inputs if not each.ended]
    if not running:
        return inputs[0]
    first, *others = running
    limits = first.columns
    for other in others:
        pairs = zip(limits, other.columns, orders, strict=True)
        limits = tuple(weaker(a, b, order.descending) for a, b, order in pairs)
    return Bounds(limits)
