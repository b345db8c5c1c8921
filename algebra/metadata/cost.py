"""Estimated cost of a plan or of a sort: rows, bytes, comparisons (S-408, CAL-183)."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from algebra.expression import Expression, SortKey
from algebra.metadata.durations import Duration
from algebra.metadata.sortable import sortable_on
from algebra.metadata.state import Retained, StateKind, state
from algebra.plan import (
    Aggregate,
    AsofJoin,
    Changes,
    Delta,
    Filter,
    Hop,
    Join,
    Plan,
    Project,
    Scan,
    Session,
    SetOp,
    Sort,
    Values,
    Window,
    WindowJoin,
    inputs_of,
    is_streaming,
    row_type,
    window_sizes,
)
from algebra.spelling import names_of, spelled
from algebra.types import Kind, Type

#: The bytes of a value of a fixed-size type; other types take their precision.
BYTES: Final[Mapping[Kind, int]] = {
    Kind.BOOLEAN: 1, Kind.TINYINT: 1, Kind.SMALLINT: 2, Kind.INTEGER: 4, Kind.BIGINT: 8,
    Kind.DECIMAL: 16, Kind.REAL: 4, Kind.DOUBLE: 8, Kind.DATE: 4, Kind.TIME: 4,
    Kind.TIMESTAMP: 8, Kind.MONTHS: 4, Kind.MILLIS: 8, Kind.NULL: 0,
}  # fmt: skip
#: The assumed bytes of a text without a declared length.
TEXT_BYTES: Final = 32
#: The bytes of an accumulator beside its key.
ACCUMULATOR_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class Rates:
    """Assumptions about the data; none is negative, and raising one never lowers a cost.

    ``streams``: rows per second by name (``"SALES.ORDERS"``), ``each`` for streams not named.
    ``tables``: rows in all by name, ``table`` for tables not named.  ``keys``: distinct values by
    the text of an expression, ``key`` for those not named.  ``selectivity``: the share of rows that
    pass a filter.  ``matches``: partners of a row in a join.  ``skew``: seconds by which the clocks
    of inputs differ.  ``bound``: seconds from one bound of a punctuated stream to the
    next.  ``unit``: rows while a number, such as an order number, advances by one.
    """

    streams: Mapping[str, float] = field(default_factory=dict[str, float])
    each: float = 1.0
    tables: Mapping[str, float] = field(default_factory=dict[str, float])
    table: float = 1_000.0
    keys: Mapping[str, float] = field(default_factory=dict[str, float])
    key: float = 100.0
    selectivity: float = 1.0
    matches: float = 1.0
    skew: float = 1.0
    bound: float = 1.0
    unit: float = 1.0


DEFAULT_RATES: Final = Rates()


@dataclass(frozen=True, slots=True)
class Cost:
    """``rows`` and ``bytes`` retained at a time, and ``comparisons`` of sort keys per second.

    An accumulator counts as a row.  For a plan that ends, ``comparisons`` is the total.  Infinite
    where a duration is unbounded.
    """

    rows: float = 0.0
    bytes: float = 0.0
    comparisons: float = 0.0

    def plus(self, other: "Cost") -> "Cost":
        """The sum of both."""
        return Cost(
            self.rows + other.rows,
            self.bytes + other.bytes,
            self.comparisons + other.comparisons,
        )


def sort_cost(
    plan: Plan,
    keys: Sequence[SortKey],
    rates: Rates = DEFAULT_RATES,
) -> Cost:
    """The cost of sorting the rows of ``plan`` on ``keys``; 0 if they come in that order (CAL-183).

    A row waits as long as `sortable_on` says, among the rows of that time, and a binary search
    finds its place among them.
    """
    wait = sortable_on(plan, keys)
    rate = rate_of(plan, rates)
    if not is_streaming(plan):
        retained = rate if wait.whole else 0.0
        return Cost(retained, retained * width(plan), retained * _halvings(retained))
    retained = rows_in(wait, rate, rates)
    return Cost(retained, retained * width(plan), rate * _halvings(retained))


def cost(plan: Plan, rates: Rates = DEFAULT_RATES) -> Cost:
    """The cost of ``plan`` and all nodes below: what they retain, the comparisons of sorts."""
    total = node_cost(plan, rates)
    for input in inputs_of(plan):
        total = total.plus(cost(input, rates))
    return total


def node_cost(plan: Plan, rates: Rates = DEFAULT_RATES) -> Cost:
    """What the topmost node of ``plan`` costs by itself; to look up a hash is no comparison."""
    inputs = inputs_of(plan)
    rate = [rate_of(each, rates) for each in inputs]
    total = Cost()
    for each in state(plan):
        input = inputs[each.port]
        retained = _retained_rows(each, input, rate[each.port], rates)
        wide = width(input)
        if each.kind is StateKind.ACCUMULATORS:
            wide = sum(_bytes(key.type) for key in each.per) + ACCUMULATOR_BYTES
        total = total.plus(Cost(retained, retained * wide))
    match plan:
        case Sort():
            return total.plus(Cost(comparisons=rate[0] * _halvings(total.rows)))
        case SetOp() if is_streaming(plan):
            return total.plus(Cost(comparisons=sum(rate) * _halvings(len(inputs))))
        case _:  # rows are found by hash, or pass
            return total


def _retained_rows(retained: Retained, input: Plan, rate: float, rates: Rates) -> float:
    """How many rows or accumulators are retained at a time."""
    if retained.kind is StateKind.TABLE:
        return rate
    names = names_of(input)
    keys = math.prod(_distinct(each, names, rates) for each in retained.per)
    if retained.duration is None:
        return keys
    if not is_streaming(input):
        rows = rate
    else:
        partitions = keys if retained.kind is StateKind.ROWS else 1.0
        rows = rows_in(retained.duration, rate, rates, partitions)
    return min(rows, keys) if retained.kind is StateKind.ACCUMULATORS and retained.per else rows


def rows_in(duration: Duration, rate: float, rates: Rates, partitions: float = 1.0) -> float:
    """The rows that arrive in ``duration`` at ``rate`` rows per second.

    Rows of the duration count once in each of ``partitions``.
    """
    if duration.unbounded is not None or duration.whole:
        return math.inf
    seconds = duration.millis / 1000
    seconds += rates.bound * duration.bound + rates.skew * duration.skew
    rows = rate * seconds + duration.rows * partitions
    for each in duration.advances:
        amount = 1 if each.amount is None else each.amount
        rows += rate * amount / 1000 if each.millis else rates.unit * amount
    return rows


def rate_of(plan: Plan, rates: Rates) -> float:
    """The rows per second that ``plan`` emits; for a plan that ends, its rows in all."""
    inputs = [rate_of(p, rates) for p in inputs_of(plan)]
    match plan:
        case Scan(source):
            name = ".".join(source.name)
            if is_streaming(plan):
                return rates.streams.get(name, rates.each)
            return rates.tables.get(name, rates.table)
        case Values(rows):
            return len(rows)
        case Filter():
            return inputs[0] * rates.selectivity
        case Hop():
            emit, retain = window_sizes(plan)
            return inputs[0] * math.ceil(retain / emit)  # no row is in more windows
        case Aggregate(_, keys):
            return _groups(plan, inputs[0], rates) if keys else min(1.0, inputs[0])
        case Join(left, right) if is_streaming(left) is not is_streaming(right):
            return inputs[0 if is_streaming(left) else 1] * rates.matches
        case Join() | WindowJoin():
            return max(inputs) * rates.matches
        case AsofJoin():
            return inputs[0]
        case SetOp():
            return sum(inputs)
        case Project() | Session() | Window() | Sort() | Delta() | Changes():
            return inputs[0]


def _groups(plan: Aggregate, rate: float, rates: Rates) -> float:
    """Groups emitted per second: at most one per row, and each key once per run."""
    total = 0.0
    for retained in state(plan):
        if retained.kind is not StateKind.ACCUMULATORS or retained.duration is None:
            continue
        open_groups = _retained_rows(retained, plan.input, rate, rates)
        seconds = retained.duration.millis / 1000
        total += min(rate, open_groups / seconds if seconds else rate)
    return min(total, rate * len(plan.sets))


def _distinct(key: Expression, names: Sequence[str], rates: Rates) -> float:
    return rates.keys.get(spelled(key, names), rates.key)


def width(plan: Plan) -> int:
    """The bytes of a row."""
    return sum(_bytes(each.type) for each in row_type(plan))


def _bytes(type: Type) -> int:
    return BYTES.get(type.kind, type.precision or TEXT_BYTES)


def _halvings(rows: float) -> float:
    """How often ``rows`` can be halved: the comparisons of a binary search among them."""
    return math.log2(rows) if rows > 1 else 0.0
