"""State retention by rowtime: the rows of each stream of which a later row can still be made.

`algebra.metadata.history` says how far back a query over histories reaches.  The rows that a
streaming query is still to emit are those at or after its bound; so it retains what a relational
query for those rows would read.  Conditions of filters count as unknown, but for those between the
sides of a join: progress is never judged by conditions (S-305), and the rows that hold a bound back
must be retained, too.

A row that is the partner of another in an outer window join keeps that from being emitted alone, up
to the length of its window later than the pair was emitted.  So the question is asked of the pairs
alone, and as far before the bound as all such windows together are long.

**State without a bound.**  All rows are retained, as long as the stream goes on, by

- frames that start with their partition, of calls that have no exact accumulator and see more than
  a few rows, or that are in an order other than that of time (else see
  `spark_backend.stream.compaction.compactor`), unless an expression of PARTITION BY progresses, so
  that partitions end (`retained_rows`);
- groups, joins and MONOTONIC over the windows of a HOP, where no rowtime decides; without a HOP
  `retained_rows` and `join_state` decide row by row.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from algebra.build import TRUE, at_least
from algebra.catalog import Column, History, Ordering, QualifiedName, Stream
from algebra.expression import Call, Expression, InputRef, Literal, Op, Value
from algebra.metadata.history import needed_history
from algebra.metadata.least_rowtime import NOW
from algebra.parts.mentions import own_monotonic_calls
from algebra.plan import (
    Changes,
    Delta,
    Filter,
    Plan,
    Reads,
    RowsWindow,
    Scan,
    Window,
    WindowJoin,
    inputs_of,
    nodes,
    row_type,
    with_inputs,
)
from algebra.rewrite import rewritten
from algebra.types import MAX_TIMESTAMP, MIN_TIMESTAMP, TIMESTAMP, Kind
from grammar.tree import JoinKind

#: The name of a window's rows in what `reading` returns.
WINDOW: Final[QualifiedName] = ("$WINDOW",)


@dataclass(frozen=True, slots=True)
class Retention:
    """For each stream the least rowtimes that a plan still reads, one for each scan.

    They are expressions of `NOW`, which stands for the bound of the plan's output, less ``reach``
    milliseconds; None: all rows are read.
    """

    needs: Mapping[QualifiedName, Sequence[Expression | None]]
    reach: int | None = 0

    def since(
        self, stream: QualifiedName, bound: int, value_of: Callable[[Expression], Value]
    ) -> int | None:
        """The least rowtime of a row to retain, where no row below ``bound`` is to be emitted.

        None: all are retained.  ``value_of`` computes an expression without columns.
        """
        if self.reach is None:
            return None
        at = Literal(min(bound - self.reach, MAX_TIMESTAMP), TIMESTAMP)
        least: list[int] = []
        for need in self.needs.get(stream, ()):
            if need is None:
                return None
            value = _evaluated(need, at, value_of)
            if value is None:
                continue  # compared with NULL: no row is needed
            least.append(value)
        return min(least, default=None)


def has_monotonic(plan: Plan) -> bool:
    """Whether a MONOTONIC stands in a plan: rows are late by one that may be old (S-407)."""
    return any(map(own_monotonic_calls, nodes(plan)))


def retention(plan: Plan, time: int | None, read: Expression | None = None) -> Retention:
    """What ``plan``, below the Delta, still reads; ``time`` is the place of its rows' time.

    ``read``: which rows are read of the input of its window, if that is compacted
    (`spark_backend.stream.compaction.compaction`).
    """
    if read is None:
        return _retention(plan, time, lambda window, rows: replace(window, input=rows))
    return _retention(plan, time, lambda window, rows: replace(window, input=Filter(rows, read)))


def reading(plan: Plan, time: int | None, window: Window, place: int) -> Retention:
    """From when on ``plan`` reads the rows of its window, as if `WINDOW` were their stream.

    ``place`` is that of the window's own time.
    """
    columns = tuple(
        Column("ROWTIME" if i == place else f"C{i}", each.type, Ordering() if i == place else None)
        for i, each in enumerate(row_type(window))
    )
    rows = Scan(Stream(WINDOW, columns, history=History()), Reads.HISTORY)
    return _retention(plan, time, lambda _window, _rows: rows)


#: What is read of a window: made of it, and of its input over histories.
_ReadOf: TypeAlias = Callable[[Window, Plan], Plan]


def _retention(plan: Plan, time: int | None, read: _ReadOf) -> Retention:
    required = _over_histories(plan, read)
    if time is not None:
        column = InputRef(time, row_type(plan)[time].type)
        if column.type.kind is Kind.TIMESTAMP:
            required = Filter(required, at_least(column, NOW))
    needs: dict[QualifiedName, list[Expression | None]] = {}
    for each in needed_history(required):
        needs.setdefault(each.scan.source.name, []).append(each.since)
    return Retention(needs, reach(plan))


def _evaluated(
    need: Expression, at: Literal, value_of: Callable[[Expression], Value]
) -> int | None:
    """The value of a least rowtime, the bound being ``at``."""
    match need:
        case Literal(value):
            found = value
        case _ if need == NOW:
            found = at.value
        case Call(Op.DATETIME_PLUS, (first, Literal(int() as distance))) if first == NOW:
            assert isinstance(at.value, int), "a bound is a time"
            found = at.value + distance
        case _:
            assert isinstance(at.value, int), "a bound is a time"
            now = replace(at, value=max(MIN_TIMESTAMP, at.value))
            found = value_of(rewritten(need, lambda leaf: now if leaf == NOW else leaf, {NOW}))
    assert found is None or isinstance(found, int), "a rowtime is a time"
    return found


def _over_histories(plan: Plan, read: _ReadOf) -> Plan:
    """The plan as a relational query over histories, without the conditions of filters."""

    def below(input: Plan) -> Plan:
        return _over_histories(input, read)

    match plan:
        case Scan(Stream() as stream, Reads.STREAM):
            return Scan(replace(stream, history=History()), Reads.HISTORY)
        case Filter(input) | Delta(input) | Changes(input):
            return below(input)
        case Window(input):
            return read(plan, below(input))
        case WindowJoin(kind=JoinKind.LEFT | JoinKind.RIGHT | JoinKind.FULL):
            pairs = replace(plan, kind=JoinKind.INNER, condition=TRUE)
            return with_inputs(pairs, [below(each) for each in inputs_of(plan)])
        case _:  # the same node over histories
            return with_inputs(plan, [below(each) for each in inputs_of(plan)])


def reach(plan: Plan) -> int | None:
    """The length of all windows of joins that pad a side, in milliseconds; None: of ROWS."""
    length = 0
    for each in nodes(plan):
        if isinstance(each, WindowJoin) and each.kind is not JoinKind.INNER:
            for window in (each.left_window, each.right_window):
                if isinstance(window, RowsWindow):
                    return None
                length += window.preceding + window.following
    return length
