"""State retention by rowtime: the rows of each stream on which a later output row can depend.

A streaming query will emit the rows at or after its bound.  So it retains the rows that a
relational query for those rows would read: `algebra.metadata.history` finds the time back to which
a query over histories reads.  Conditions of filters are ignored, except for those between the sides
of a join: progress does not depend on conditions (S-305), and rows that hold back a bound must be
retained, too.

In an outer window join, a row that matches another one prevents the other row from being emitted as
unmatched, for up to the length of its window after the pair was emitted.  So only the pairs are
considered, from a time before the bound that is earlier by the total length of all such windows.

**Unbounded state.** Two kinds of operators retain all rows until the stream ends:

- Frames that start with their partition, if their call has no exact accumulator and reads more than
  a few rows, or if they are not ordered by time.  In other cases rows are compacted
  (`spark_backend.stream.compaction.compactor`).  If an expression of PARTITION BY makes progress,
  partitions end, and their rows are evicted (`retained_rows`).
- Groups, joins and MONOTONIC over the windows of a HOP, if the needed rows do not depend on the
  rowtime alone.  Without a HOP, `retained_rows` and `join_state` decide for each row.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from algebra.build import TRUE, at_least
from algebra.catalog import Column, History, Ordering, QualifiedName, Stream
from algebra.expression import Call, Expression, InputRef, Literal, Op, Value
from algebra.metadata.history import needed_history
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

#: The name that stands for the input of OVER in the result of `retention_of_window`.
WINDOW: Final[QualifiedName] = ("$WINDOW",)
#: CURRENT_TIMESTAMP, which stands here for the time from which rows are still emitted.  For outer
#: window joins it is earlier than the bound, as explained above (`Retention.reach`).
NOW: Final = Call(Op.CURRENT_TIMESTAMP, (), TIMESTAMP.as_nullable(False))


@dataclass(frozen=True, slots=True)
class Retention:
    """For each stream the least rowtimes that a plan still reads, one for each scan.

    These rowtimes, ``needs``, are expressions of `NOW`.  There `NOW` stands for the bound of the
    plan's output minus ``reach`` milliseconds (`total_window_length`).  If a need or ``reach`` is
    None, all rows are read.
    """

    needs: Mapping[QualifiedName, Sequence[Expression | None]]
    reach: int | None = 0

    def since(
        self, stream: QualifiedName, bound: int, value_of: Callable[[Expression], Value]
    ) -> int | None:
        """The least rowtime to retain of a stream, if no row below ``bound`` will be emitted.

        None if all rows are retained. ``value_of`` computes an expression without columns.
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
                continue  # a comparison with NULL: no row is needed
            least.append(value)
        return min(least, default=None)


def has_monotonic(plan: Plan) -> bool:
    """Whether a plan has a MONOTONIC, whose bound a very old row may define (S-407)."""
    return any(map(own_monotonic_calls, nodes(plan)))


def retention(plan: Plan, time: int | None, read: Expression | None = None) -> Retention:
    """The rows that ``plan``, below the Delta, still reads; ``time`` is the place of its rowtime.

    If its OVER is compacted, ``read`` is the condition on those input rows of OVER that are still
    read (`spark_backend.stream.compaction.compaction`).
    """
    if read is None:
        return _retention(plan, time, lambda window, rows: replace(window, input=rows))
    return _retention(plan, time, lambda window, rows: replace(window, input=Filter(rows, read)))


def retention_of_window(plan: Plan, time: int | None, window: Window, place: int) -> Retention:
    """The output rows of its OVER, ``window``, that ``plan`` still reads.

    In the result they are the rows of a stream `WINDOW`, which takes the place of OVER. ``time`` is
    the place of the plan's rowtime; ``place`` is that of the rowtime of OVER.
    """
    columns = tuple(
        Column("ROWTIME" if i == place else f"C{i}", each.type, Ordering() if i == place else None)
        for i, each in enumerate(row_type(window))
    )
    rows = Scan(Stream(WINDOW, columns, history=History()), Reads.HISTORY)
    return _retention(plan, time, lambda _window, _rows: rows)


#: A function that takes an OVER, and its input as a plan over histories.  It returns a plan of the
#: output rows of OVER that are read.
_ReadOf: TypeAlias = Callable[[Window, Plan], Plan]


def _retention(plan: Plan, time: int | None, read: _ReadOf) -> Retention:
    """The rows that ``plan`` still reads, if ``read`` returns the rows that are read of OVER."""
    required = _relational(plan, read)
    if time is not None:
        column = InputRef(time, row_type(plan)[time].type)
        if column.type.kind is Kind.TIMESTAMP:  # only later rows will be emitted
            required = Filter(required, at_least(column, NOW))
    needs: dict[QualifiedName, list[Expression | None]] = {}
    for each in needed_history(required):
        needs.setdefault(each.scan.source.name, []).append(each.since)
    return Retention(needs, total_window_length(plan))


def _evaluated(
    need: Expression, at: Literal, value_of: Callable[[Expression], Value]
) -> int | None:
    """The value of ``need``, a least rowtime, if `NOW` is the time ``at``; None if it is NULL.

    ``value_of`` computes an expression by a query, which the usual forms do not need.
    """
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


def _relational(plan: Plan, read: _ReadOf) -> Plan:
    """The plan as a relational query over histories, without the conditions of filters.

    ``read`` returns the rows that are read of OVER.  Outer window joins become inner joins.
    """

    def below(input: Plan) -> Plan:
        return _relational(input, read)

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


def total_window_length(plan: Plan) -> int | None:
    """The total length of the windows of outer joins, in milliseconds; None for windows ROWS n."""
    length = 0
    for each in nodes(plan):
        if isinstance(each, WindowJoin) and each.kind is not JoinKind.INNER:
            for window in (each.left_window, each.right_window):
                if isinstance(window, RowsWindow):
                    return None
                length += window.preceding + window.following
    return length
