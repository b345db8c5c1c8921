"""Compute the steps at which a backend may emit each expected row, at the tier of the judgement.

A step is the unit of time at every tier: the kit polls a backend once after the events of a step,
and cannot see in which order the backend emits rows between two polls.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from tck.corpus.case import Case, CellRow
from tck.corpus.permitted import last_step, permitted_rows
from tck.judging.rows.reading import ReadRow
from tck.judging.rowtimes import bound_time, row_order, rowtime_of, rowtime_place

#: The tiers that judge when rows are emitted.
TimedTier: TypeAlias = Literal["bounded", "exact"]


@dataclass(frozen=True, slots=True)
class ScheduledRow:
    """An expected row, and the first and the last step, from 0, at which it may be emitted.

    ``cells`` is the row as the case writes it.  ``optional``: the query is expected to fail at
    ``last`` or before, so it may fail before it emits the row.
    """

    cells: CellRow
    row: ReadRow
    first: int
    last: int
    optional: bool = False


def schedule(case: Case, expected: Sequence[ReadRow], tier: TimedTier) -> tuple[ScheduledRow, ...]:
    """The rows of all steps, in the order in which the case lists them, with the allowed steps.

    ``expected`` has the values that were read from these rows.  At ``exact`` a row is allowed at
    the steps that the case gives for it.  At ``bounded`` a row for which the case gives one step,
    and not a range, may also be emitted later.  The last allowed step is then the first one after
    which the output's bound is above the row's rowtime, because no later row may be below the bound
    (S-306).

    Defines: S-502.l, S-503.e
    """
    place = rowtime_place(case)
    by_rowtime = row_order(case) == "rowtime"
    bounds = _known_bounds(case, expected if by_rowtime else (), place)
    failing = len(case.steps) - 1 if case.failure else None  # the step at which the query must fail
    found: list[ScheduledRow] = []
    for each, row in zip(permitted_rows(case), expected, strict=True):
        last = each.last
        if tier == "bounded" and not each.ranged:
            last = _forcing_step(rowtime_of(row, place), each.first, bounds)
        optional = failing is not None and last >= failing
        found.append(ScheduledRow(each.cells, row, each.first, last, optional))
    return tuple(found)


def _forcing_step(rowtime: datetime | None, first: int, bounds: Sequence[datetime]) -> int:
    """The first step, not before ``first``, whose bound is above ``rowtime``.

    It is the last step if no bound is above it, or if ``rowtime`` is None.  ``bounds`` has an
    ascending bound for each step.
    """
    if rowtime is None:
        return len(bounds) - 1
    return min(max(first, bisect_right(bounds, rowtime)), len(bounds) - 1)


def _known_bounds(case: Case, ordered: Sequence[ReadRow], place: int | None) -> list[datetime]:
    """By step, up to `last_step`: a time that the output's bound has reached after the step.

    Such a time is the step's ``output_bound`` in the case.  If the rows must be ordered by rowtime,
    the rowtime of a row due at the step is such a time, too, because no later row may be below it
    (S-303, S-103).  Then ``ordered`` has all expected rows; if not, it is empty.  ``place`` is that
    of the rowtime column.  The times ascend; `datetime.min` stands for a step without a known time.
    """
    row_of_cells = dict(zip(case.all_rows, ordered, strict=False))
    bounds: list[datetime] = []
    known = datetime.min
    for step in case.steps:
        due = (*step.emit, *step.emit_by)
        rows = [row_of_cells[cells] for cells in due if cells in row_of_cells]
        times = [time for row in rows if (time := rowtime_of(row, place))]
        times += [bound_time(step.output_bound)] if step.output_bound else []
        known = max(known, *times) if times else known
        bounds.append(known)
    return [*bounds, known][: last_step(case) + 1]
