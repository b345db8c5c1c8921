"""A stream's bounds after the splits of a micro-batch, and whether all of its rows are accepted.

Each split has the number of its first row, its number of rows, and the least and the greatest value
of each ordered column.  Splits are in the order in which they arrived.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.catalog import Ordering
from algebra.types import Kind
from spark_backend.data.ingress import Ingress
from spark_backend.made_once import col
from spark_backend.runtime.arrow import ARRIVAL
from spark_backend.stream.ingress.splits import Number, Order, Split
from spark_backend.workarounds.non_inlined_literals import non_inlined

#: The kinds of ordered columns that are compared as DOUBLEs.
FLOATS: Final = frozenset({Kind.REAL, Kind.DOUBLE})
#: The kinds of ordered columns that are compared as integers of 64 bits.
WHOLE: Final = frozenset(
    {Kind.TINYINT, Kind.SMALLINT, Kind.INTEGER, Kind.BIGINT, Kind.DATE, Kind.TIME, Kind.TIMESTAMP}
    | {Kind.MILLIS, Kind.MONTHS}
)


def orders_of(ingress: Ingress) -> list[Order] | None:
    """The orders of the ordered columns, by place; None if `Ingress.judge` must decide.

    It must if a column is declared WITHIN … ROWS, or has another type than the kinds above.
    """
    found: list[Order] = []
    for _, known in sorted(ingress.bounds.items()):
        if known.ordering.rows is not None or known.type.kind not in FLOATS | WHOLE:
            return None
        found.append(_order_of(known.ordering))
    return found


def _order_of(ordering: Ordering) -> Order:
    """The `Order` of a declaration without WITHIN … ROWS."""
    slack = 0 if ordering.slack is None else ordering.slack
    strict = ordering.strict and ordering.slack is None
    return Order(ordering.descending, strict, slack, not ordering.punctuated)


def bound_before(ingress: Ingress, place: int, order: Order) -> tuple[Number | None, bool]:
    """The ascending bound of a column before these rows, and whether a row at the bound is late.

    The bound is None if there is none yet.
    """
    known = ingress.bounds[place]
    if known.bound is None:
        return None, False
    assert isinstance(known.bound, int | float), "the column holds numbers"
    return order.flipped(known.bound), known.strict


def are_all_accepted(ingress: Ingress, splits: Sequence[Split], orders: Sequence[Order]) -> bool:
    """Whether it is certain that all rows are accepted: none is bad or below an earlier bound."""
    if any(each.faults for each in splits):
        return False
    for i, (place, order) in enumerate(zip(sorted(ingress.bounds), orders, strict=True)):
        bound, strict = bound_before(ingress, place, order)
        top: Number | None = None
        for least, greatest, late in (each.extents[i] for each in splits):
            if late:
                return False
            if least is None or greatest is None:
                continue
            if bound is not None and (least <= bound if strict else least < bound):
                return False
            if top is not None and order.is_late(least, top):
                return False
            top = greatest if top is None else max(top, greatest)
    return True


def advance_bounds(ingress: Ingress, splits: Sequence[Split], orders: Sequence[Order]) -> None:
    """Advance the bounds of the ordered columns by the greatest values in the splits.

    Late rows need not be left out, because a late row never has the greatest value.
    """
    for i, (place, order) in enumerate(zip(sorted(ingress.bounds), orders, strict=True)):
        greatest = [g for each in splits if (g := each.extents[i].greatest) is not None]
        if greatest:
            ingress.bounds[place].pass_row(order.flipped(max(greatest)))


def least_time(ingress: Ingress, splits: Sequence[Split]) -> int | None:
    """The least rowtime of the rows; None if there is no row or no rowtime column."""
    if ingress.rowtime is None:
        return None
    i = sorted(ingress.bounds).index(ingress.rowtime)
    return min((int(t) for s in splits if (t := s.extents[i].least) is not None), default=None)


def places_of(splits: Sequence[Split], arrived: int) -> list[tuple[Split, int]]:
    """Each split with the place of its first row among all rows that ever arrived."""
    return list(zip(splits, accumulate((s.rows for s in splits), initial=arrived), strict=False))


def shift(splits: Sequence[Split], arrived: int) -> Column:
    """A column that, added to a row's number, gives its place among all rows that ever arrived.

    Splits are numbered in the order of tasks, which need not be the order of arrival, so the rows
    of each split are shifted by a distance of their own.  The column finds the row's split by a
    binary search, written as nested WHENs.  ``arrived`` is the number of rows that arrived before.
    """
    shifts = sorted((each.first, place - each.first) for each, place in places_of(splits, arrived))

    def among(low: int, high: int) -> Column:
        """The shift of a row that is in one of the splits from ``low`` up to ``high``."""
        if high - low <= 1:
            return non_inlined(shifts[low][1] if shifts else 0, col(ARRIVAL))
        middle = (low + high) // 2
        before = col(ARRIVAL) < non_inlined(shifts[middle][0], col(ARRIVAL))
        return F.when(before, among(low, middle)).otherwise(among(middle, high))

    return among(0, len(shifts))


def greatest_before_splits(splits: Sequence[Split]) -> dict[int, Number | None]:
    """The greatest value, in ascending form, of the first ordered column before each split.

    The splits are identified by the number of their first row.  None: there is no value before it.
    """
    found: dict[int, Number | None] = {}
    top: Number | None = None
    for each in splits:
        found[each.first] = top
        for extent in each.extents[:1]:
            if extent.greatest is not None:
                top = extent.greatest if top is None else max(top, extent.greatest)
    return found
