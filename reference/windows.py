"""OVER: one row out for each row in, with functions of the rows around it (S-505)."""

from collections.abc import Sequence

from algebra.expression import AggregateFunction, Value, WindowCall, WindowFunction
from algebra.plan import WindowGroup
from grammar.codes import Code
from reference.aggregates import aggregate_value
from reference.expression import holds, value_of, values_of
from reference.frames import Partition
from reference.relation import Environment, Relation, Row, by_keys, identity_of
from reference.values import failure, integer


def window(rows: Relation, groups: Sequence[WindowGroup], env: Environment) -> Relation:
    """The rows as they came, each with the values of all calls appended, group by group."""
    columns = [column for group in groups for column in _columns(rows, group, env)]
    return [(*row, *added) for row, *added in zip(rows, *columns, strict=True)]


def _columns(rows: Relation, group: WindowGroup, env: Environment) -> list[list[Value]]:
    """For each call of ``group``, its values for all rows, in their order."""
    columns: list[list[Value]] = [[None] * len(rows) for _ in group.calls]
    for places in _partitions(rows, group, env):
        partition = Partition(
            rows=tuple(rows[place] for place, _ in places),
            orders=tuple(order for _, order in places),
            keys=group.order,
        )
        for at, (place, _) in enumerate(places):
            frame = partition.frame(at, group.frame)
            for column, call in zip(columns, group.calls, strict=True):
                column[place] = call_value(call, partition, at, frame, env)
    return columns


def _partitions(
    rows: Relation, group: WindowGroup, env: Environment
) -> list[list[tuple[int, Row]]]:
    """Of each partition, the (place among ``rows``, values of the sort keys), in window order.

    Rows that the order does not tell apart stay in order of arrival; NULLs are one partition.
    """
    keys = tuple(key.expression for key in group.order)
    partitions: dict[tuple[object, ...], list[tuple[int, Row]]] = {}
    for place, row in enumerate(rows):
        partition = identity_of(values_of(group.partition, row, env))
        partitions.setdefault(partition, []).append((place, values_of(keys, row, env)))
    order = by_keys(group.order)
    return [sorted(each, key=lambda pair: order(pair[1])) for each in partitions.values()]


def call_value(
    call: WindowCall, partition: Partition, at: int, frame: range, env: Environment
) -> Value:
    """The value of one call for the row at place ``at``, whose ``frame`` is given.

    The ranks, NTILE, LAG and LEAD go by the partition, all others by the frame.
    """
    rows = partition.rows
    row = rows[at]
    match call.function:
        case AggregateFunction():
            return aggregate_value(call, [rows[each] for each in frame], env)
        case WindowFunction.ROW_NUMBER:
            return at + 1
        case WindowFunction.RANK:
            return partition.peers(at).start + 1
        case WindowFunction.DENSE_RANK:
            return _dense_rank(partition, at)
        case WindowFunction.PERCENT_RANK:
            others = len(rows) - 1
            return partition.peers(at).start / others if others else 0.0
        case WindowFunction.CUME_DIST:
            return partition.peers(at).stop / len(rows)
        case WindowFunction.NTILE:
            buckets = _positive(value_of(call.arguments[0], row, env), "NTILE")
            return None if buckets is None else _tile(at, len(rows), buckets)
        case WindowFunction.FIRST_VALUE:
            return _nth(_arguments(call, partition, frame, env), 1)
        case WindowFunction.LAST_VALUE:
            return _nth(_arguments(call, partition, frame, env)[::-1], 1)
        case WindowFunction.NTH_VALUE:
            n = _positive(value_of(call.arguments[1], row, env), "NTH_VALUE")
            return None if n is None else _nth(_arguments(call, partition, frame, env), n)
        case WindowFunction.LAG:
            return _neighbour(call, partition, at, range(at - 1, -1, -1), env)
        case WindowFunction.LEAD:
            return _neighbour(call, partition, at, range(at + 1, len(rows)), env)


def _dense_rank(partition: Partition, at: int) -> int:
    """One more than the groups of peers before the row (S-203)."""
    rank, peers = 1, partition.peers(0)
    while at not in peers:
        rank, peers = rank + 1, partition.peers(peers.stop)
    return rank


def _tile(at: int, rows: int, buckets: int) -> int:
    """The bucket, from 1, of a row: as equal in size as can be, the first ones the larger."""
    size, larger = divmod(rows, buckets)
    in_larger = larger * (size + 1)
    return at // (size + 1) + 1 if at < in_larger else (at - in_larger) // size + larger + 1


def _positive(value: Value, function: str) -> int | None:
    """A count that must be positive, or NULL."""
    if value is not None and integer(value) <= 0:
        raise failure(Code.INVALID_ARGUMENT, f"{function} of a number that is not positive")
    return None if value is None else integer(value)


def _arguments(
    call: WindowCall, partition: Partition, places: range, env: Environment
) -> list[Value]:
    """The first argument on the rows at ``places`` that count: the filter, IGNORE NULLS."""
    rows = (partition.rows[place] for place in places)
    values = [
        value_of(call.arguments[0], row, env)
        for row in rows
        if call.filter is None or holds(call.filter, row, env)
    ]
    return [each for each in values if each is not None] if call.ignore_nulls else values


def _nth(values: Sequence[Value], n: int) -> Value:
    """The ``n``-th value, from 1; NULL if there are fewer."""
    return values[n - 1] if n <= len(values) else None


def _neighbour(
    call: WindowCall, partition: Partition, at: int, direction: range, env: Environment
) -> Value:
    """LAG or LEAD: the value some rows (default 1) away, in ``direction``; else the default.

    An offset of 0 is the row itself, a negative one INVALID_ARGUMENT, NULL gives NULL.
    """
    row = partition.rows[at]
    argument, *options = call.arguments
    offset = value_of(options[0], row, env) if options else 1
    if offset is None:
        return None
    if integer(offset) < 0:
        raise failure(Code.INVALID_ARGUMENT, f"{call.function} by a negative number of rows")
    if offset == 0:
        return value_of(argument, row, env)
    values = _arguments(call, partition, direction, env)
    if integer(offset) <= len(values):
        return values[integer(offset) - 1]
    return value_of(options[1], row, env) if len(options) > 1 else None
