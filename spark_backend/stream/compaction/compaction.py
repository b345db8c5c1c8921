"""State compaction: a few rows for each partition replace its rows before a horizon (S-505).

A frame that starts with its partition contains all earlier rows, and a ROWS frame may contain rows
of any age, but no micro-batch should read all of them again.  So the input rows of OVER before the
*horizon* of the compaction, which are final (S-306), are replaced by tables with

- one row for each partition: the accumulators of the calls that have one
  (`spark_backend.stream.compaction.partial_aggregates`);
- the rows that other calls still read, in their order
  (`spark_backend.stream.compaction.retained_prefix`).

OVER is then evaluated over the second table, followed by the rows from the horizon on; each row has
the accumulators of its partition as further columns.  Output rows before the horizon are missing.
So the horizon is chosen before all times at which the plan still reads the output of OVER
(`spark_backend.stream.retention.retention`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from algebra.build import at_least, less
from algebra.catalog import Table
from algebra.expression import Expression, InputRef, Literal, WindowCall
from algebra.plan import (
    Filter,
    Plan,
    Project,
    Window,
    WindowGroup,
    column_names,
    columns,
    inputs_of,
    row_type,
    with_inputs,
)
from spark_backend.order.times import HiddenName
from spark_backend.stream.compaction.accumulators import Accumulator
from spark_backend.stream.compaction.partial_aggregates import PartialAggregates
from spark_backend.stream.compaction.retained_prefix import PrefixRows, RetainedPrefix
from spark_backend.stream.retention.pending_frames import ProgressOf

#: The replacement of the rows before the horizon in a call.  None: the call reads no such rows, or
#: only back to a known time.
Part: TypeAlias = Accumulator | PrefixRows | None


@dataclass(frozen=True, slots=True)
class Compaction:
    """An OVER whose input rows can be compacted.

    ``time`` is the place of the input's rowtime, by which the window is ordered. ``parts`` has the
    replacement for each call of each group. ``back`` is the number of milliseconds by which frames
    start or end before their row: output rows are only right this long after the horizon.
    ``partials`` has the tables of accumulators, by the number of the group; ``prefix`` the table of
    rows, for the other calls. Rows that are equal in one of the expressions ``peers`` must be on
    the same side of the horizon.
    """

    window: Window
    time: int
    parts: tuple[tuple[Part, ...], ...]
    back: int
    partials: Mapping[int, PartialAggregates]
    prefix: RetainedPrefix | None
    peers: tuple[Expression, ...]

    @property
    def tables(self) -> tuple[Table, ...]:
        """The tables that replace the rows before the horizon."""
        prefix = () if self.prefix is None else (self.prefix.table,)
        return (*(each.table for each in self.partials.values()), *prefix)

    def from_horizon(self, horizon: Expression) -> Expression:
        """The condition that an input row is at or after the horizon."""
        return at_least(self._time, horizon)

    def over(self, input: Plan, horizon: int) -> Plan:
        """The output of OVER, computed from the tables and the rows of ``input`` after the horizon.

        It begins `back` milliseconds after the horizon.
        """
        window, width = self.window, len(row_type(input))
        rows: Plan = Filter(input, self.from_horizon(self._at(horizon)))
        #: The value of each call, by the place of its group and its place in the group.
        values: dict[tuple[int, int], Expression] = {}
        # 1. The calls that read the rows of the prefix.  The prefix itself is then left out.
        if self.prefix is not None:
            prefix_calls = list(self._calls_before_horizon())
            rows = _window(self.prefix.followed_by(rows), [group for _, group in prefix_calls])
            rows = Filter(rows, self.from_horizon(self._at(horizon)))
            results = iter(columns(rows)[width:])
            values = {place: next(results) for places, _ in prefix_calls for place in places}
        # 2. The other calls, and the accumulators over the rows from the horizon on.
        start = len(row_type(rows))
        rows = _window(rows, list(self._others()))
        newer = iter(columns(rows)[start:])
        # 3. The accumulators over the rows before the horizon.  A join appends them to each row:
        # the keys of the partition, and then the accumulators.  Both accumulators are combined.
        for i, parts in enumerate(self.parts):
            older: Iterator[InputRef] = iter(())
            if i in self.partials:
                first = len(row_type(rows)) + len(window.groups[i].partition)
                rows = self.partials[i].joined_to(rows)
                older = iter(columns(rows)[first:])
            for j, part in enumerate(parts):
                if isinstance(part, Accumulator):
                    before = [next(older) for _ in part.calls]
                    since = [next(newer) for _ in part.calls]
                    values[i, j] = part.value(part.combine(before, since))
                elif part is None:
                    values[i, j] = next(newer)
        own = columns(window)[:width]
        calls = [values[i, j] for i, parts in enumerate(self.parts) for j in range(len(parts))]
        found: Plan = Project(rows, (*own, *calls), column_names(window))
        return (
            Filter(found, self.from_horizon(self._at(horizon + self.back))) if self.back else found
        )

    def contents(
        self, before: int | None, horizon: int, progress_of: ProgressOf
    ) -> Iterator[tuple[Table, Plan]]:
        """The contents of each table at ``horizon``, computed from the contents at ``before``.

        ``progress_of`` returns the bounds of expressions over the input rows from the horizon on. A
        partition is complete, and is evicted, when such a bound has passed it.
        """
        rows: Plan = Filter(self.window.input, less(self._time, self._at(horizon)))
        if before is not None:
            rows = Filter(rows, self.from_horizon(self._at(before)))
        for partials in self.partials.values():
            yield partials.table, partials.after(rows, progress_of)
        if self.prefix is not None:
            yield self.prefix.table, self.prefix.after(rows, progress_of)

    def wider(self, window: Window) -> "Compaction":
        """The compaction of ``window``: this one's window with more input columns and groups.

        The calls of the added groups read no row before the horizon.
        """
        more = window.groups[len(self.parts) :]
        parts = tuple((None,) * len(group.calls) for group in more)
        return replace(self, window=window, parts=(*self.parts, *parts))

    @property
    def _time(self) -> InputRef:
        """The rowtime column of the input."""
        return columns(self.window.input)[self.time]

    def _at(self, time: int) -> Literal:
        """A time in milliseconds as a constant, which can be compared with the rowtime."""
        return Literal(time, self._time.type)

    def _calls_before_horizon(self) -> Iterator[tuple[list[tuple[int, int]], WindowGroup]]:
        """The calls of each group that read rows of the prefix, and their places as in `over`."""
        for i, (group, parts) in enumerate(zip(self.window.groups, self.parts, strict=True)):
            places = [j for j, part in enumerate(parts) if isinstance(part, PrefixRows)]
            if places:
                calls = tuple(group.calls[j] for j in places)
                yield [(i, j) for j in places], replace(group, calls=calls)

    def _others(self) -> Iterator[WindowGroup]:
        """The calls of each group that read no rows of the prefix, or their accumulators."""
        for group, parts in zip(self.window.groups, self.parts, strict=True):
            calls: list[WindowCall] = []
            for call, part in zip(group.calls, parts, strict=True):
                if not isinstance(part, PrefixRows):
                    calls += [call] if part is None else part.calls
            if calls:
                yield replace(group, calls=tuple(calls))


def table_name(of: str) -> HiddenName:
    """The name, in a plan, of a table of a compaction; ``of`` distinguishes the tables."""
    return HiddenName(f"$TOTALS.{of}")


def _window(rows: Plan, groups: list[WindowGroup]) -> Plan:
    """OVER with these groups; ``rows`` themselves if there are no groups."""
    names = tuple(f"$F{i}" for i in range(sum(len(each.calls) for each in groups)))
    return Window(rows, tuple(groups), names) if groups else rows


def compacted(plan: Plan, compaction: Compaction, horizon: int) -> Plan:
    """``plan``, in which the OVER of ``compaction`` reads the tables and rows from the horizon on.

    Other nodes, and a plan without this OVER, are unchanged.
    """
    below = [compacted(each, compaction, horizon) for each in inputs_of(plan)]
    return (
        compaction.over(below[0], horizon)
        if plan == compaction.window
        else with_inputs(plan, below)
    )
