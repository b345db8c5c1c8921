"""The keys on which rows can be sorted, and how long rows must wait for it (S-408)."""

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
from algebra.types import EXACT, INTERVAL, Kind


def sortable_on(plan: Plan, keys: Sequence[SortKey]) -> Duration:
    """How long rows of ``plan`` must wait to be sorted on ``keys`` (CAL-181, CAL-182).

    `NONE` if the rows are in that order already; `WHOLE` for a relation, which can be sorted on any
    keys at its end.  Rows of a stream wait for the bound of the first key that is not constant.  If
    this key has no bound, they wait for the bound of a column whose distance from the key is
    limited, by slack, by a condition or by a window.  Unbounded if there is no such column.

    Over a UNION ALL the key has an origin in each input.  Rows wait for the input with the longest
    wait.  The wait is unbounded if one of the inputs has no such column.

    Defines: S-408.b
    """
    known = orderings(plan)
    if known.sorted_on(keys):
        return NONE
    if not is_streaming(plan):
        return WHOLE
    # The first key that is not constant.  There is one: on constant keys, rows are sorted already.
    all_rows = Peers.of_all(known)
    first = next(e for e in keys if all_rows.order_of(e.expression) is not Monotonicity.CONSTANT)
    text = spelled(first.expression, names_of(plan))
    if first.expression.type.nullable:
        return unbounded(f"{text} may be NULL, which no bound passes")
    is_last = first is keys[-1]  # else all rows with an equal first key must have arrived
    if _advances(plan, first):
        return (until_ordered if is_last else until_complete)(first.expression, plan)
    origins = column_origins(first.expression, plan)
    waits = [each.until_ordered_by_others(first.descending, is_last) for each in origins]
    known_waits = [each for each in waits if each is not None]
    if len(known_waits) < len(waits):
        return unbounded(f"{text} is in no order, and near to nothing that is")
    return max_of(known_waits)


def _advances(plan: Plan, key: SortKey) -> bool:
    """Whether the bound of ``key`` advances in the direction of the sort."""
    columns = column_monotonicity(plan, OrderOf.BOUNDS)
    order = monotonicity(key.expression, columns, column_ranges(plan))
    return order.progresses and order.descending == key.descending


def sortable_columns(plan: Plan) -> tuple[tuple[SortKey, Duration], ...]:
    """The columns on which the rows of a stream are not sorted but could be, each with the wait.

    They are in the order of the columns.  For each column, only one direction is listed: ascending,
    if both are possible.
    """
    found: list[tuple[SortKey, Duration]] = []
    orders = column_monotonicity(plan, OrderOf.BOUNDS)
    with_distances = frozenset({Kind.DATE, Kind.TIMESTAMP}) | EXACT | INTERVAL
    for place, field in enumerate(row_type(plan)):
        if not orders[place].progresses and field.type.kind not in with_distances:
            continue  # it has no distance from a column with a bound
        column: Expression = InputRef(place, field.type)
        keys = [SortKey(column, down, nulls_first=down) for down in (False, True)]
        waits = [(key, sortable_on(plan, (key,))) for key in keys]
        if all(wait != NONE for _, wait in waits):  # the rows are not sorted in either direction
            found += [(key, wait) for key, wait in waits if wait.unbounded is None][:1]
    return tuple(found)
