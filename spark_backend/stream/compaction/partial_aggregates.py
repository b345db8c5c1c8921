"""Partial aggregates: a table with a row for each partition, which replaces evicted rows (S-505).

Its columns are the keys of the partition and the accumulators of calls whose frames start with
their partition (`spark_backend.stream.compaction.accumulators`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from algebra.build import alike, is_not_true, or_
from algebra.catalog import Column, Table
from algebra.expression import (
    AggregateCall,
    AggregateFunction,
    Call,
    Expression,
    InputRef,
    Op,
    WindowCall,
    WindowFunction,
)
from algebra.parts.frames import WHOLE
from algebra.plan import (
    Aggregate,
    Filter,
    Join,
    Plan,
    Project,
    Reads,
    Scan,
    Window,
    WindowGroup,
    row_type,
)
from grammar.tree import JoinKind
from spark_backend.order.times import HiddenName
from spark_backend.stream.compaction.accumulators import Accumulator
from spark_backend.stream.retention.pending_frames import (
    ProgressOf,
    has_passed,
)


@dataclass(frozen=True, slots=True)
class PartialAggregates:
    """The table for those window calls of ``group`` that have accumulators.

    ``name`` is the name of the table, and ``accumulators`` are those of the calls.
    """

    name: HiddenName
    group: WindowGroup
    accumulators: tuple[Accumulator, ...]

    @property
    def table(self) -> Table:
        """The table: the keys of a partition, followed by all accumulators."""
        keys = [Column(f"K{i}", e.type.as_nullable()) for i, e in enumerate(self.group.partition)]
        columns = [Column(f"A{i}", e.type.as_nullable()) for i, e in enumerate(self._calls)]
        return Table((self.name,), (*keys, *columns))

    def joined_to(self, rows: Plan) -> Join:
        """``rows`` LEFT JOIN the table on the keys of their partition."""
        table, partition = self.table, self.group.partition
        place = len(row_type(rows))
        keys = [InputRef(place + i, table.columns[i].type) for i in range(len(partition))]
        return Join(rows, Scan(table, Reads.TABLE), JoinKind.LEFT, alike(partition, keys))

    def after(self, rows: Plan, progress_of: ProgressOf) -> Plan:
        """A plan of the table's contents after these input rows of OVER are added.

        ``progress_of`` returns the bounds of expressions over the later rows.  A partition is
        complete when such a bound has passed one of its keys; it is then not in the contents.
        """
        key_count = len(self.group.partition)
        table, fresh = self.table, self._aggregated(rows)
        old = [InputRef(i, each.type) for i, each in enumerate(table.columns)]
        new = [InputRef(len(old) + i, each.type) for i, each in enumerate(row_type(fresh))]
        old_keys, new_keys = old[:key_count], new[:key_count]
        # A partition is in the table, in the new rows, or in both.
        same_key = alike(old_keys, new_keys)
        both = Join(Scan(table, Reads.TABLE), fresh, JoinKind.FULL, same_key)
        columns: list[Expression] = [
            Call(Op.COALESCE, (a, b), a.type) for a, b in zip(old_keys, new_keys, strict=True)
        ]
        place = key_count
        for each in self.accumulators:
            size = len(each.calls)
            columns += each.combine(old[place : place + size], new[place : place + size])
            place += size
        sums = Project(both, tuple(columns), tuple(each.name for each in table.columns))
        is_complete = (
            has_passed(key, *progress)
            for key, each in zip(old, self.group.partition, strict=False)
            if (progress := progress_of(each)) is not None
        )
        return Filter(sums, is_not_true(or_(*is_complete)))

    def _aggregated(self, rows: Plan) -> Aggregate:
        """The accumulators of ``rows`` alone, with the columns of the table."""
        width = len(row_type(rows))
        # FIRST_VALUE and the like are not aggregates: a window computes them first.
        of_windows = [each for each in self._calls if isinstance(each.function, WindowFunction)]
        if of_windows:
            whole = replace(self.group, frame=WHOLE, calls=tuple(of_windows))
            rows = Window(rows, (whole,), tuple(f"$W{i}" for i in range(len(of_windows))))
        values = (InputRef(width + i, each.type) for i, each in enumerate(of_windows))
        measures = tuple(_measure(each, values) for each in self._calls)
        names = tuple(each.name for each in self.table.columns)
        partition = self.group.partition
        return Aggregate(rows, partition, (tuple(range(len(partition))),), measures, names)

    @property
    def _calls(self) -> list[WindowCall]:
        """The calls of all accumulators, one for each column after the keys."""
        return [call for each in self.accumulators for call in each.calls]


def _measure(call: WindowCall, values: Iterator[InputRef]) -> AggregateCall:
    """A call over all rows of a partition; for a window function, MAX of the next of ``values``.

    FIRST_VALUE and LAST_VALUE have one value in all rows; ROW_NUMBER and the like have their value
    over the partition in its last row, which is the greatest.
    """
    if isinstance(call.function, AggregateFunction):
        return AggregateCall(
            call.function,
            call.arguments,
            call.type.as_nullable(),
            distinct=call.distinct,
            filter=call.filter,
        )
    return AggregateCall(AggregateFunction.MAX, (next(values),), call.type.as_nullable())
