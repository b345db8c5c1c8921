"""The steps at which a backend may emit each expected row, at the tier at which it is judged.

A step is the unit of time at every tier: a backend is polled once, after the step's events, and the
order in which it works between two polls is free.
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
    """An expected row, and the steps at which it may be emitted, from 0, both included.

    ``cells`` is the row as the case writes it.  ``optional``: the query is expected to fail at
    ``last`` or before, and may do so before it emits the row.
    """

    cells: CellRow
    row: ReadRow
    first: int
    last: int
    optional: bool = False


def schedule(case: Case, expected: Sequence[ReadRow], tier: TimedTier) -> tuple[ScheduledRow, ...]:
    """The rows of all steps in the order of their listing, with the steps that this tier allows.

    ``expected`` has the parsed rows of the case.  At ``exact`` the steps are those that the case
    lists.  At ``bounded`` a row without a range may also be emitted later, up to the first step
    after which the output's bound is above its rowtime (S-306): that step forces the row, because
    no later row may be below the bound.

    Defines: S-502.l, S-503.e
    """
    place = rowtime_place(case)
    by_rowtime = row_order(case) == "rowtime"
    bounds = _known_bounds(case, expected if by_rowtime else (), place)
    failing = len(case.steps) - 1 if case.failure else None
    found: list[ScheduledRow] = []
    for each, row in zip(permitted_rows(case), expected, strict=True):
        last = each.last
        if tier == "bounded" and not each.ranged:
            last = _forcing_step(rowtime_of(row, place), each.first, bounds)
        optional = failing is not None and last >= failing
        found.append(ScheduledRow(each.cells, row, each.first, last, optional))
    return tuple(found)


def _forcing_step(rowtime: datetime | None, first: int, bounds: Sequence[datetime]) -> int:
    """The first step from ``first`` on whose bound is above ``rowtime``.

    The last step if there is none, or if the row has no rowtime.
    """
    if rowtime is None:
        return len(bounds) - 1
    return min(max(first, bisect_right(bounds, rowtime)), len(bounds) - 1)


def _known_bounds(case: Case, by_rowtime: Sequence[ReadRow], place: int | None) -> list[datetime]:
    """For each step up to `last_step`, a lower bound of the output's bound after it.

    It follows from each ``clock`` of the case, and from the rowtimes, at ``place``, of the rows
    ``by_rowtime``, which are all rows if they are in that order: no later row is below them (S-303,
    S-103).  The bounds ascend; they are `datetime.min` while no bound is known.
    """
    read = dict(zip(case.all_rows, by_rowtime, strict=False))
    bounds: list[datetime] = []
    known = datetime.min
    for step in case.steps:
        rows = [read[row] for row in (*step.emit, *step.emit_by) if row in read]
        seen = [time for row in rows if (time := rowtime_of(row, place))]
        seen += [bound_time(step.output_bound)] if step.output_bound else []
        known = max(known, *seen) if seen else known
        bounds.append(known)
    return [*bounds, known][: last_step(case) + 1]
