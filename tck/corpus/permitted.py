"""Find the steps at which a case permits each of its rows to be emitted."""

from collections.abc import Iterator
from dataclasses import dataclass

from tck.corpus.case import Case, CellRow
from tck.protocol import End


@dataclass(frozen=True, slots=True)
class PermittedRow:
    """A listed row, and the first and the last step, from 0, at which it may be emitted.

    ``ranged``: the row is listed in ``may_emit``, so ``last`` can be after ``first``.  If not, it
    is listed in ``emit``, and both are the step that lists it.
    """

    cells: CellRow
    first: int
    last: int
    ranged: bool


def last_step(case: Case) -> int:
    """The step that ends all inputs.

    If no step of the case ends them, the kit does so in a further step, whose place is the number
    of steps.
    """
    ends = [i for i, step in enumerate(case.steps) if End() in step.events]
    return ends[0] if ends else len(case.steps)


def permitted_rows(case: Case) -> tuple[PermittedRow, ...]:
    """The rows of all steps, in the order in which the case lists them.

    If equal rows are listed several times, the n-th one in ``may_emit`` and the n-th one in
    ``emit_by`` are the two ends of one range.  Without an entry in ``emit_by``, the range ends with
    `last_step`.
    """
    deadlines: dict[CellRow, list[int]] = {}  # by row: the steps that list it in ``emit_by``
    for i, step in enumerate(case.steps):
        for row in step.emit_by:
            deadlines.setdefault(row, []).append(i)
    end = last_step(case)
    found: list[PermittedRow] = []
    for i, step in enumerate(case.steps):
        found += [PermittedRow(row, i, i, ranged=False) for row in step.emit]
        for row in step.may_emit:
            unused = deadlines.get(row)
            found.append(PermittedRow(row, i, unused.pop(0) if unused else end, ranged=True))
    return tuple(found)


def reversed_ranges(case: Case) -> Iterator[CellRow]:
    """The rows whose ``emit_by`` is at a step before their ``may_emit``, which is a mistake."""
    yield from (row.cells for row in permitted_rows(case) if row.last < row.first)
