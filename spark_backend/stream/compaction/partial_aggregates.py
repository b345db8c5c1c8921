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
    """The table for the calls of a group that have accumulators, which are ``parts``."""

    name: HiddenName
    group: WindowGroup
    parts: tuple[Accumulator, ...]

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
        """The contents of the table after these input rows of OVER are added.

        ``progress_of`` returns the bounds of expressions over the later rows.  A partition is
        complete, and is evicted, when such a bound has passed it.
        """
        keys, width = len(self.group.partition), len(row_type(rows))
        placed = [each for each in self._calls if isinstance(each.function, WindowFunction)]
        if placed:
            whole = replace(self.group, frame=WHOLE, calls=tuple(placed))
            rows = Window(rows, (whole,), tuple(f"$W{i}" for i in range(len(placed))))
        found = (InputRef(width + i, each.type) for i, each in enumerate(placed))
        measures = tuple(_measure(each, found) for each in self._calls)
        table = self.table
        names = tuple(each.name for each in table.columns)
        fresh = Aggregate(rows, self.group.partition, (tuple(range(keys)),), measures, names)
        old = [InputRef(i, each.type) for i, each in enumerate(table.columns)]
        new = [InputRef(len(old) + i, each.type) for i, each in enumerate(row_type(fresh))]
        same = alike(old[:keys], new[:keys])
        both = Join(Scan(table, Reads.TABLE), fresh, JoinKind.FULL, same)
        columns: list[Expression] = [
            Call(Op.COALESCE, (a, b), a.type) for a, b in zip(old[:keys], new[:keys], strict=True)
        ]
        place = keys
        for each in self.parts:
            size = len(each.calls)
            columns += each.added(old[place : place + size], new[place : place + size])
            place += size
        partials = Project(both, tuple(columns), names)
        complete = (
            has_passed(key, *progress)
            for key, each in zip(old, self.group.partition, strict=False)
            if (progress := progress_of(each)) is not None
        )
        return Filter(partials, is_not_true(or_(*complete)))

    @property
    def _calls(self) -> list[WindowCall]:
        return [call for each in self.parts for call in each.calls]


def _measure(call: WindowCall, found: Iterator[InputRef]) -> AggregateCall:
    """A call over all rows of a partition; ``found`` yields the column that has its value."""
    if isinstance(call.function, AggregateFunction):
        return AggregateCall(
            call.function,
            call.arguments,
            call.type.as_nullable(),
            distinct=call.distinct,
            filter=call.filter,
        )
    return AggregateCall(AggregateFunction.MAX, (next(found),), call.type.as_nullable())
