"""A folded window: a few rows for each partition stand for its rows before a cut (S-505).

Frames that start with their partition hold all rows that are past, which no micro-batch is to read
again; so may frames of rows, whatever their age.  So a window is *folded* at a cut.  Of its input's
rows before it, which are final (S-306), tables have

- one row for each partition, with the accumulators of the calls that have such
  (`spark_backend.stream.compaction.partial_aggregates`);
- the rows that other calls still see, in their order
(`spark_backend.stream.compaction.retained_prefix`).

The window is then one over the rows from the cut on, with the rows of the second table in front of
them, and the totals of its partition beside each.  The window's own rows before the cut are
missing: the cut is where nobody reads them (`spark_backend.stream.retention.retention`), less what
other frames reach back.
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
from spark_backend.stream.compaction.accumulators import Accumulator
from spark_backend.stream.compaction.partial_aggregates import PartialAggregates
from spark_backend.stream.compaction.retained_prefix import Past, PrefixRows
from spark_backend.stream.retention.pending_frames import ProgressOf
from spark_backend.stream.times import HiddenName

#: What stands for the rows before the cut in a call; None: it sees back to a time, or not at all.
Part: TypeAlias = Accumulator | PrefixRows | None


@dataclass(frozen=True, slots=True)
class Fold:
    """A window that can be folded; ``time`` is the place of its input's time, which orders it.

    ``parts``: those of the calls of each group.  ``back``: how far frames reach back from a row by
    a time, or end before it, in milliseconds; the rows of the window from the cut on are right only
    so far behind it.  ``partials``: by the number of each group with accumulators; ``past``: if a
    part wants rows.  ``peers``: expressions by which rows are equal that must be on one side of the
    cut.
    """

    window: Window
    time: int
    parts: tuple[tuple[Part, ...], ...]
    back: int
    partials: Mapping[int, PartialAggregates]
    past: Past | None
    peers: tuple[Expression, ...]

    @property
    def tables(self) -> tuple[Table, ...]:
        """The tables that stand for the rows before the cut."""
        past = () if self.past is None else (self.past.table,)
        return (*(each.table for each in self.partials.values()), *past)

    def from_cut(self, cut: Expression) -> Expression:
        """Whether a row of the input is not before the cut."""
        return at_least(self._time, cut)

    def over(self, input: Plan, cut: int) -> Plan:
        """The window's rows that are right, of its input's rows from the cut on and the tables."""
        window, width = self.window, len(row_type(input))
        rows: Plan = Filter(input, self.from_cut(self._at(cut)))
        values: dict[tuple[int, int], Expression] = {}
        seeing = list(self._seeing())
        if self.past is not None:
            rows = _window(self.past.in_front_of(rows), [group for _, group in seeing])
            rows = Filter(rows, self.from_cut(self._at(cut)))
            found_past = iter(columns(rows)[width:])
            values = {place: next(found_past) for places, _ in seeing for place in places}
        start = len(row_type(rows))
        rows = _window(rows, list(self._others()))
        newer = iter(columns(rows)[start:])
        for i, parts in enumerate(self.parts):
            older: Iterator[InputRef] = iter(())
            if i in self.partials:
                keys = len(row_type(rows)) + len(window.groups[i].partition)
                rows = self.partials[i].beside(rows)
                older = iter(columns(rows)[keys:])
            for j, part in enumerate(parts):
                if isinstance(part, Accumulator):
                    before = [next(older) for _ in part.calls]
                    values[i, j] = part.value(part.added(before, [next(newer) for _ in part.calls]))
                elif part is None:
                    values[i, j] = next(newer)
        own = columns(window)[:width]
        calls = [values[i, j] for i, parts in enumerate(self.parts) for j in range(len(parts))]
        found: Plan = Project(rows, (*own, *calls), column_names(window))
        return Filter(found, self.from_cut(self._at(cut + self.back))) if self.back else found

    def contents(
        self, before: int | None, cut: int, progress_of: ProgressOf
    ) -> Iterator[tuple[Table, Plan]]:
        """What each table is to have at ``cut``, if it has what it had at ``before``.

        ``progress_of`` says how far expressions on the input's rows from the cut on have come:
        a partition that one of these has passed is complete, and goes.
        """
        rows: Plan = Filter(self.window.input, less(self._time, self._at(cut)))
        if before is not None:
            rows = Filter(rows, self.from_cut(self._at(before)))
        for partials in self.partials.values():
            yield partials.table, partials.after(rows, progress_of)
        if self.past is not None:
            yield self.past.table, self.past.after(rows, progress_of)

    def wider(self, window: Window) -> "Fold":
        """The same of a window with more columns in its input, and more groups of calls behind."""
        more = window.groups[len(self.parts) :]
        parts = tuple((None,) * len(group.calls) for group in more)
        return replace(self, window=window, parts=(*self.parts, *parts))

    @property
    def _time(self) -> InputRef:
        return columns(self.window.input)[self.time]

    def _at(self, time: int) -> Literal:
        return Literal(time, self._time.type)

    def _seeing(self) -> Iterator[tuple[list[tuple[int, int]], WindowGroup]]:
        """Of each group the calls that see rows before the cut; where they stand in the window."""
        for i, (group, parts) in enumerate(zip(self.window.groups, self.parts, strict=True)):
            places = [j for j, part in enumerate(parts) if isinstance(part, PrefixRows)]
            if places:
                calls = tuple(group.calls[j] for j in places)
                yield [(i, j) for j in places], replace(group, calls=calls)

    def _others(self) -> Iterator[WindowGroup]:
        """Of each group the other calls, or their accumulators."""
        for group, parts in zip(self.window.groups, self.parts, strict=True):
            calls: list[WindowCall] = []
            for call, part in zip(group.calls, parts, strict=True):
                if not isinstance(part, PrefixRows):
                    calls += [call] if part is None else part.calls
            if calls:
                yield replace(group, calls=tuple(calls))


def table_name(of: str) -> HiddenName:
    """The name of a table of a fold."""
    return HiddenName(f"$TOTALS.{of}")


def _window(rows: Plan, groups: list[WindowGroup]) -> Plan:
    names = tuple(f"$F{i}" for i in range(sum(len(each.calls) for each in groups)))
    return Window(rows, tuple(groups), names) if groups else rows


def with_fold(plan: Plan, fold: Fold, cut: int) -> Plan:
    """The plan, its folded window made of its tables and of the rows from the cut on."""
    below = [with_fold(each, fold, cut) for each in inputs_of(plan)]
    return fold.over(below[0], cut) if plan == fold.window else with_inputs(plan, below)
