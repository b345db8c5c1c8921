"""The steps at which a backend may emit each expected row, at the tier at which it is judged.

A step is the unit of time at every tier: a backend is polled once, after the step's events, and
nothing is demanded of the order in which it works between two polls.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tck.corpus.case import Case, CellRow
from tck.corpus.permitted import last_step, permitted_rows
from tck.judging.matching import ReadRow, read_row
from tck.judging.rowtimes import row_order, rowtime_of, rowtime_place, sortable_bound
from tck.protocol import Accepted

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


def schedule(case: Case, accepted: Accepted, tier: TimedTier) -> tuple[ScheduledRow, ...]:
    """The rows of all steps in the order of their listing, with the steps that this tier allows.

    At ``exact`` these are the steps that the case lists.  At ``bounded`` a row without a range may
    also be emitted later, up to the first step after which the output's bound is above its rowtime
    (S-306): that step forces the row, since no later row may be below the bound.

    Defines: S-503.e
    """
    bounds = _known_bounds(case, accepted)
    place = rowtime_place(accepted)
    failing = len(case.steps) - 1 if case.failure else None
    found: list[ScheduledRow] = []
    for each in permitted_rows(case):
        row = read_row(each.cells, accepted.columns, case.date)
        last = each.last
        if tier == "bounded" and not each.ranged:
            last = _forcing_step(rowtime_of(row, place), each.first, bounds)
        optional = failing is not None and last >= failing
        found.append(ScheduledRow(each.cells, row, each.first, last, optional))
    return tuple(found)


def _forcing_step(rowtime: str | None, first: int, bounds: Sequence[str]) -> int:
    """The first step from ``first`` on whose bound is above ``rowtime``.

    The last step where there is none, and where the row has no rowtime.
    """
    for step in range(first, len(bounds)):
        if rowtime is not None and bounds[step] > rowtime:
            return step
    return len(bounds) - 1


def _known_bounds(case: Case, accepted: Accepted) -> list[str]:
    """For each step up to `last_step`, a lower bound of the output's bound after it.

    It follows from what the case lists: from each ``clock``, and, where rows are ordered by
    rowtime, from the rowtimes of earlier rows, since no later row is below them (S-303, S-103).
    Values are those of `sortable_bound`, empty as long as nothing is known.
    """
    ordered = row_order(case, accepted) == "rowtime"
    place = rowtime_place(accepted)
    bounds: list[str] = []
    known = ""
    for step in case.steps:
        rows = (*step.emit, *step.emit_by) if ordered else ()
        read = [read_row(row, accepted.columns, case.date) for row in rows]
        seen = [time for row in read if (time := rowtime_of(row, place))]
        seen += [sortable_bound(step.output_bound)] if step.output_bound else []
        known = max(known, *seen) if seen else known
        bounds.append(known)
    return [*bounds, ""][: last_step(case) + 1]
