"""The bounds of a t-sort (S-507)."""

from algebra.build import is_not_true
from algebra.expression import InputRef, Literal
from algebra.monotonicity.columns import rowtime_column
from algebra.monotonicity.progress import Bound, Bounds, weaker
from algebra.plan import Filter, Sort, columns, row_type
from spark_backend.order.times import bound_directions
from spark_backend.stream.bounds.first_values import FirstValues, lower_to_first
from spark_backend.stream.retention.pending_frames import has_passed, has_reached


def t_sort_bounds(
    plan: Sort, slack: Literal, below: Bounds, first_values: FirstValues, *, exact: bool
) -> Bounds:
    """The bounds of the output of a t-sort; ``below`` has the bounds of its input.

    The bound of the key is the greatest key so far minus ``slack``, or the input's bound of the key
    if it is stronger and the key's column ascends.  If the rowtime is another column, pending rows
    hold back its bound, and without ``exact`` it has no bound.  No other column has a bound.
    """
    if below.ended:
        return below
    limits: list[Bound | None] = [None] * len(row_type(plan))
    key, orders = plan.keys[0].expression, bound_directions(plan.input)
    if not isinstance(key, InputRef):
        return Bounds(tuple(limits))
    own = below.columns[key.index] if orders[key.index].ascending else None
    limits[key.index] = own
    (greatest,) = first_values(plan.input, [(key.index, True)])
    if greatest is not None:
        assert isinstance(greatest, int), "a t-sort goes by a TIMESTAMP"
        assert isinstance(slack.value, int), "an interval is whole inside"
        reached = Bound(greatest - slack.value)
        # Both bounds hold, so the stronger one does.
        is_stronger = own is None or weaker(own, reached, descending=False) is own
        limits[key.index] = reached if is_stronger else own
    place = rowtime_column(plan)
    if exact and place is not None and place != key.index and orders[place].ascending:
        limits[place] = below.columns[place]
        # A row at the bound is emitted, unless further keys order it among its ties.
        is_determined = has_reached if len(plan.keys) == 1 else has_passed
        determined = is_determined(columns(plan)[key.index], limits[key.index], False)
        pending = Filter(plan, is_not_true(determined))
        lower_to_first(limits, pending, [(place, False)], first_values)
    return Bounds(tuple(limits))
