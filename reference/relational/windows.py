"""The definition of OVER: each input row with the values of calls over its frame (S-505).

The calls of a query that have the same window are a *group of calls*; *window order* is the order
of its ORDER BY.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

from algebra.expression import AggregateFunction, Value, WindowCall, WindowFunction
from algebra.plan import WindowGroup
from grammar.codes import Code
from grammar.source import SqlError, located
from reference.environment import Environment
from reference.relation import Relation, Row, identity_of
from reference.relational.aggregates import aggregate_value
from reference.relational.frames import Partition
from reference.scalar.expression import meaning_of, row_of, value_of
from reference.values import failure, integer


def window(rows: Relation, groups: Sequence[WindowGroup], env: Environment) -> Relation:
    """The rows in input order, each with the values of all calls appended, group by group.

    Defines: S-505.a
    """
    columns = [column for group in groups for column in _columns(rows, group, env)]
    return [(*row, *added) for row, *added in zip(rows, *columns, strict=True)]


def _columns(rows: Relation, group: WindowGroup, env: Environment) -> list[list[Value]]:
    """For each call of ``group``, its values for all rows, in their order."""
    columns: list[list[Value]] = [[None] * len(rows) for _ in group.calls]
    for places in _partitions(rows, group, env):
        members, orders = [rows[place] for _, place in places], [order for order, _ in places]
        values = env.forms.window_columns(members, orders, group, env)
        for column, of_call in zip(columns, values, strict=True):
            for (_, place), value in zip(places, of_call, strict=True):
                column[place] = value
    return columns


def window_columns(
    rows: Relation, orders: Relation, group: WindowGroup, env: Environment
) -> list[list[Value]]:
    """For each call of ``group``, its values for the ``rows`` of a partition, in window order.

    ``orders`` are the values of the rows' sort keys.
    """
    partition = Partition(tuple(rows), tuple(orders), group.order)
    frames = [partition.frame(place, group.frame) for place in range(len(rows))]
    return [
        [call_value(call, partition, place, frame, env) for place, frame in enumerate(frames)]
        for call in group.calls
    ]


def _partitions(
    rows: Relation, group: WindowGroup, env: Environment
) -> list[list[tuple[Row, int]]]:
    """The partitions, each as a list of pairs (values of the sort keys, place among ``rows``).

    The pairs are in window order; rows with equal sort keys stay in order of arrival.  NULLs in
    PARTITION BY are one partition.
    """
    keys = tuple(key.expression for key in group.order)
    partitions: dict[tuple[object, ...], list[tuple[Row, int]]] = {}
    partition_of, order_of = row_of(group.partition, env), row_of(keys, env)
    for place, row in enumerate(rows):
        partition = identity_of(partition_of(row))
        partitions.setdefault(partition, []).append((order_of(row), place))
    return [env.forms.in_order(each, group.order) for each in partitions.values()]


def call_value(
    call: WindowCall, partition: Partition, at: int, frame: Sequence[int], env: Environment
) -> Value:
    """The value of one call for the row at the place ``at``; ``frame`` has its frame's places."""
    try:
        return _call_value(call, partition, at, frame, env)
    except SqlError as error:
        raise located(error, call.location) from None


def _call_value(
    call: WindowCall, partition: Partition, at: int, frame: Sequence[int], env: Environment
) -> Value:
    """As `call_value`, but the error has no place in the text.

    Ranks, NTILE, LAG and LEAD depend on the partition, all other calls on the frame.

    Defines: S-203.l
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
            return partition.groups[at] + 1
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
            return _nth(_arguments(call, partition, frame[::-1], env), 1)
        case WindowFunction.NTH_VALUE:
            n = _positive(value_of(call.arguments[1], row, env), "NTH_VALUE")
            return None if n is None else _nth(_arguments(call, partition, frame, env), n)
        case WindowFunction.LAG:
            return _neighbour(call, partition, at, range(at - 1, -1, -1), env)
        case WindowFunction.LEAD:
            return _neighbour(call, partition, at, range(at + 1, len(rows)), env)


def _tile(at: int, rows: int, buckets: int) -> int:
    """The bucket, from 1, of the row at ``at``, if ``rows`` rows are divided into ``buckets``.

    The sizes of buckets differ by at most one, and the larger buckets are first.
    """
    size, larger = divmod(rows, buckets)
    in_larger = larger * (size + 1)
    return at // (size + 1) + 1 if at < in_larger else (at - in_larger) // size + larger + 1


def _positive(value: Value, function: str) -> int | None:
    """``value`` as a positive integer; None for NULL.

    Raises INVALID_ARGUMENT, with the name of ``function``, for 0 and less.
    """
    if value is not None and integer(value) <= 0:
        raise failure(Code.INVALID_ARGUMENT, f"{function} of a number that is not positive")
    return None if value is None else integer(value)


def _arguments(
    call: WindowCall, partition: Partition, places: Sequence[int], env: Environment
) -> Iterator[Value]:
    """The first argument on the rows at ``places``, without NULLs if the call ignores them.

    Defines: S-203.o
    """
    argument = meaning_of(call.arguments[0], env)
    for place in places:
        value = argument(partition.rows[place])
        if value is not None or not call.ignore_nulls:
            yield value


def _nth(values: Iterator[Value], n: int) -> Value:
    """The ``n``-th value, from 1; NULL if there are fewer. Later values are not evaluated."""
    return next(islice(values, n - 1, None), None)


def _neighbour(
    call: WindowCall, partition: Partition, at: int, direction: range, env: Environment
) -> Value:
    """LAG or LEAD: the value that is the offset-th (1 if not given) in ``direction``.

    ``direction`` has the places before or after the row at ``at``, the nearest first.  If there are
    fewer values, the result is the call's default value.  The offset 0 means the row itself, and
    for the offset NULL the result is NULL.  Raises INVALID_ARGUMENT for a negative offset.

    Defines: S-203.aa, S-203.ab
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
    rest = islice(_arguments(call, partition, direction, env), integer(offset) - 1, None)
    for found in rest:
        return found
    return value_of(options[1], row, env) if len(options) > 1 else None
