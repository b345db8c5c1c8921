"""Whether rows can be sorted on keys, and how long rows wait for that (S-408)."""

from collections.abc import Sequence

from algebra.constraints.column_ranges import column_ranges
from algebra.expression import Expression, InputRef, SortKey
from algebra.metadata.collation import orderings
from algebra.metadata.column_origin import column_origins
from algebra.metadata.durations import NONE, WHOLE, Duration, max_of, unbounded
from algebra.metadata.orderings import Peers
from algebra.metadata.runs import until_complete, until_ordered
from algebra.monotonicity.columns import OrderOf, column_monotonicity
from algebra.monotonicity.deduction import monotonicity
from algebra.monotonicity.tables import Monotonicity
from algebra.plan import Plan, is_streaming, row_type
from algebra.spelling import names_of, spelled
from algebra.types import INTEGERS, Kind


def sortable_on(plan: Plan, keys: Sequence[SortKey]) -> Duration:
    """How long rows of ``plan`` must wait to be sorted on ``keys`` (CAL-181, CAL-182).

    `NONE` if they are in that order, `WHOLE` for a relation that ends, which can be sorted on any
    keys.  Rows of a stream wait for the bound of the first key, or for that of another column to
    which slack, conditions or windows keep the first key close.  Unbounded if neither exists.

    Defines: S-408.b
    """
    known = orderings(plan)
    if known.sorted_on(keys):
        return NONE
    if not is_streaming(plan):
        return WHOLE
    every = Peers.of_all(known)
    first = next(e for e in keys if every.order_of(e.expression) is not Monotonicity.CONSTANT)
    text = spelled(first.expression, names_of(plan))
    if first.expression.type.nullable:
        return unbounded(f"{text} may be NULL, which no bound passes")
    alone = first is keys[-1]
    if _advances(plan, first):
        return (until_ordered if alone else until_complete)(first.expression, plan)
    origins = column_origins(first.expression, plan)
    near = [each.until_ordered_by_others(first.descending, alone) for each in origins]
    found = [each for each in near if each is not None]
    if len(found) < len(near):
        return unbounded(f"{text} is in no order, and near to nothing that is")
    return max_of(found)


def _advances(plan: Plan, key: SortKey) -> bool:
    """Whether the bound of ``key`` advances in the direction of the sort."""
    columns = column_monotonicity(plan, OrderOf.BOUNDS)
    order = monotonicity(key.expression, columns, column_ranges(plan))
    return order.progresses and order.descending == key.descending


def sortable_columns(plan: Plan) -> tuple[tuple[SortKey, Duration], ...]:
    """The columns on which rows are not sorted but could be, each with the wait.

    In the order of the columns, each in a direction that is possible; ascending if both are.
    """
    found: list[tuple[SortKey, Duration]] = []
    orders = column_monotonicity(plan, OrderOf.BOUNDS)
    times = frozenset({Kind.DATE, Kind.TIMESTAMP})
    for place, field in enumerate(row_type(plan)):
        if not orders[place].progresses and field.type.kind not in times | INTEGERS:
            continue  # no condition bounds its distance from another column
        column: Expression = InputRef(place, field.type)
        keys = [SortKey(column, descending, descending) for descending in (False, True)]
        waits = [(way, sortable_on(plan, (way,))) for way in keys]
        if all(wait != NONE and not wait.whole for _, wait in waits):
            found += [pair for pair in waits if pair[1].unbounded is None][:1]
    return tuple(found)
