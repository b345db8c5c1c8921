"""The steps of a case that permit each of its rows, as the case lists them."""

from collections.abc import Iterator
from dataclasses import dataclass

from tck.corpus.case import Case, CellRow
from tck.protocol import End


@dataclass(frozen=True, slots=True)
class PermittedRow:
    """A listed row, and the steps at which it may be emitted, from 0, both included.

    ``ranged``: it is listed in ``may_emit``, so that ``last`` may be after ``first``; otherwise in
    ``emit``, and both are the step that lists it.
    """

    cells: CellRow
    first: int
    last: int
    ranged: bool


def last_step(case: Case) -> int:
    """The step that ends all inputs; the number of steps where the kit ends them after the last."""
    ends = [i for i, step in enumerate(case.steps) if End() in step.events]
    return ends[0] if ends else len(case.steps)


def permitted_rows(case: Case) -> tuple[PermittedRow, ...]:
    """The rows of all steps in the order of their listing.

    The n-th listing of a row in ``may_emit`` and its n-th in ``emit_by`` are one range; without the
    latter the range ends with `last_step`.  Thus after each step at most as many equal rows have
    been emitted as were permitted, and at least as many as were due.
    """
    deadlines: dict[CellRow, list[int]] = {}
    for i, step in enumerate(case.steps):
        for row in step.emit_by:
            deadlines.setdefault(row, []).append(i)
    unused = {row: iter(steps) for row, steps in deadlines.items()}
    end = last_step(case)
    found: list[PermittedRow] = []
    for i, step in enumerate(case.steps):
        found += [PermittedRow(row, i, i, ranged=False) for row in step.emit]
        for row in step.may_emit:
            found.append(PermittedRow(row, i, next(unused.get(row, iter(())), end), ranged=True))
    return tuple(found)


def reversed_ranges(case: Case) -> Iterator[CellRow]:
    """The rows whose ``emit_by`` stands at a step before their ``may_emit``: a mistake."""
    yield from (row.cells for row in permitted_rows(case) if row.last < row.first)
