"""The rowtime of a plan's rows on Spark, explicit or implicit, and which columns have bounds."""

from collections.abc import Iterable
from typing import Final

from algebra.catalog import Stream, Table
from algebra.constraints.column_ranges import column_ranges
from algebra.monotonicity.columns import OrderOf, Orders, column_monotonicity, rowtime_column
from algebra.monotonicity.deduction import monotonicity
from algebra.monotonicity.progress import Bound
from algebra.monotonicity.tables import Monotonicity
from algebra.plan import (
    Aggregate,
    AsofJoin,
    Filter,
    Join,
    Plan,
    Project,
    Reads,
    Scan,
    SetOp,
    is_streaming,
    row_type,
)
from algebra.types import Kind

_N: Final = Monotonicity.NOT_MONOTONIC


class HiddenName(str):
    """A column name that no query can refer to, whatever its text."""

    __slots__ = ()


#: The name of the hidden last column with the output order key, which is the implicit rowtime
#: (S-311) or another key of ORDER BY.
ORDER_KEY: Final = HiddenName("$KEY")
#: The name of the hidden last column by which the rows of a FULL join are emitted (S-511).
BASE: Final = HiddenName("$BASE")
#: As long as no bound of a stream is known, the implicit rowtime of a row is this number plus the
#: number of the row's micro-batch.
UNKNOWN: Final = -(2**62)
#: A rowtime after this number is a time.  A rowtime before it counts micro-batches from `UNKNOWN`.
KNOWN: Final = -(2**61)
#: The name of the count of rows of a required input in a group of equal rows (S-502).
NEEDED: Final = HiddenName("$NEEDED")


def bound_column(relation: Table | Stream) -> int | None:
    """The place of the column that a producer's bounds are about; None: an implicit rowtime.

    It is the column named ROWTIME, else the first ascending TIMESTAMP (S-311.a).
    """
    if isinstance(relation, Stream) and relation.carries is not None:
        return time_place(Scan(relation, Reads.STREAM))
    columns = enumerate(relation.columns)
    times = [(i, c) for i, c in columns if c.ordering and c.type.kind is Kind.TIMESTAMP]
    named = [i for i, c in times if c.name == "ROWTIME"]
    ascending = [i for i, c in times if c.ordering and not c.ordering.descending]
    return next(iter([*named, *ascending]), None)


def time_place(plan: Plan) -> int | None:
    """The place of the rowtime of ``plan``, implicit or explicit; None: it has none.

    A hidden last column counts as the rowtime, even if it has another order key.
    """
    return len(row_type(plan)) - 1 if has_implicit_rowtime(plan) else rowtime_column(plan)


def has_implicit_rowtime(plan: Plan) -> bool:
    """Whether the last column of a plan is hidden: its implicit rowtime, or another order key."""
    fields = row_type(plan)
    return bool(fields) and isinstance(fields[-1].name, HiddenName)


def is_counted(bound: Bound | None) -> bool:
    """Whether ``bound`` is not a time, but counts micro-batches from `UNKNOWN`."""
    return bound is not None and isinstance(bound.value, int) and bound.value <= KNOWN


def bound_directions(plan: Plan) -> Orders:
    """For each column of ``plan``, the direction in which its bound moves.

    Without an implicit rowtime, this is `column_monotonicity`.  In a set operation over inputs with
    an implicit rowtime, the bound of a column moves only if it moves in the same direction in all
    inputs (S-502).
    """
    match plan:
        case SetOp(inputs) if has_implicit_rowtime(plan):
            alike = zip(*map(bound_directions, inputs), strict=True)
            return tuple(map(_common, alike))
        case Aggregate(SetOp() as input, keys) if has_implicit_rowtime(input):
            orders = bound_directions(input)
            known = [monotonicity(each, orders).unstrict() for each in keys]
            return (*known, *(_N for _ in plan.measures))
        case Join(left, right) if has_implicit_rowtime(left) and not is_streaming(right):
            return (*bound_directions(left), *(_N for _ in row_type(right)))
        case AsofJoin(left, right) if has_implicit_rowtime(left):
            return (*bound_directions(left), *(_N for _ in row_type(right)))
        case Filter(input) if has_implicit_rowtime(plan):
            return bound_directions(input)
        case Project(input, expressions) if has_implicit_rowtime(plan):
            orders, ranges = bound_directions(input), column_ranges(input)
            return tuple(monotonicity(each, orders, ranges) for each in expressions)
        case _:
            return column_monotonicity(plan, OrderOf.BOUNDS)


def _common(orders: Iterable[Monotonicity]) -> Monotonicity:
    """The common direction; not strict, because two inputs may have equal values."""
    directions = {order.unstrict() for order in orders}
    return directions.pop() if len(directions) == 1 else _N
