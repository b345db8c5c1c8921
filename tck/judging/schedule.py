"""When each expected row is due: from which step on it may come, and by which it must have.

A step is the unit of time at every tier: a backend is asked once, when the step's events have been
taken, and nothing is said of what it does between them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tck.corpus.case import Case, CellRow
from tck.judging.matching import ReadRow, read_row
from tck.judging.rowtimes import moment, order_of, rowtime_of, rowtime_place
from tck.protocol import Accepted, End

#: The tiers that judge when rows come.
Timed: TypeAlias = Literal["bounded", "exact"]


@dataclass(frozen=True, slots=True)
class Span:
    """A row as the case writes it, and the steps that may bring it, from 0, both included.

    ``ranged``: the case gives it a range, with ``may_emit``; else ``first`` is where it stands.
    """

    cells: CellRow
    first: int
    last: int
    ranged: bool


@dataclass(frozen=True, slots=True)
class Due:
    """An expected row, and the steps that may bring it, from 0, both included.

    ``optional``: the query fails by the last of them, and may do so before the row has come.
    """

    cells: CellRow
    row: ReadRow
    first: int
    last: int
    optional: bool = False


def last_step(case: Case) -> int:
    """The step after which no row comes: that which ends all inputs, or the kit's own after all."""
    ends = [i for i, step in enumerate(case.steps) if End() in step.events]
    return ends[0] if ends else len(case.steps)


def spans(case: Case) -> tuple[Span, ...]:
    """The rows of all steps in the order of their listing, each with its steps as written.

    Of equal rows that have ranges the first to be allowed is the first to be due: by each step no
    more have come than were allowed, and no fewer than were due.
    """
    end = last_step(case)
    dues: dict[CellRow, list[int]] = {}
    for i, step in enumerate(case.steps):
        for row in step.emit_by:
            dues.setdefault(row, []).append(i)
    left = {row: iter(steps) for row, steps in dues.items()}
    found: list[Span] = []
    for i, step in enumerate(case.steps):
        found += [Span(row, i, i, ranged=False) for row in step.emit]
        for row in step.may_emit:
            found.append(Span(row, i, next(left.get(row, iter(())), end), ranged=True))
    return tuple(found)


def schedule(case: Case, accepted: Accepted, tier: Timed) -> tuple[Due, ...]:
    """The rows of all steps, each with the steps that may bring it at this tier.

    At ``exact`` those are as written.  At ``bounded`` a row without a range may be held until the
    output's bound is above its rowtime (S-306): it is then forced, since after that step no row
    below the bound may come.
    """
    clocks = _least_clocks(case, accepted)
    place = rowtime_place(accepted)
    failing = len(case.steps) - 1 if case.failure else None
    found: list[Due] = []
    for span in spans(case):
        row = read_row(span.cells, accepted.columns, case.date)
        last = span.last
        if tier == "bounded" and not span.ranged:
            last = _forced(rowtime_of(row, place), span.first, clocks)
        found.append(
            Due(span.cells, row, span.first, last, failing is not None and last >= failing)
        )
    return tuple(found)


def _forced(rowtime: str | None, first: int, clocks: Sequence[str]) -> int:
    """The first step, from ``first`` on, with the output's clock above a rowtime; else the last."""
    for step in range(first, len(clocks)):
        if rowtime is not None and clocks[step] > rowtime:
            return step
    return len(clocks) - 1


def _least_clocks(case: Case, accepted: Accepted) -> list[str]:
    """After each step until the last, the least that the right clock of the output can be.

    It is known from what the case says: from each ``clock``, and where rows are ordered by rowtime,
    from those that have come, since none that comes later is below them (S-303, S-103).
    """
    ordered = order_of(case, accepted) == "rowtime"
    place = rowtime_place(accepted)
    clocks: list[str] = []
    least = ""
    for step in case.steps:
        rows = (*step.emit, *step.emit_by) if ordered else ()
        read = [read_row(row, accepted.columns, case.date) for row in rows]
        seen = [time for row in read if (time := rowtime_of(row, place))]
        seen += [moment(step.clock)] if step.clock else []
        least = max(least, *seen) if seen else least
        clocks.append(least)
    return [*clocks, ""][: last_step(case) + 1]


def unordered_ranges(case: Case) -> Iterator[CellRow]:
    """Rows that are due by a step before the one that allows them."""
    yield from (span.cells for span in spans(case) if span.last < span.first)
