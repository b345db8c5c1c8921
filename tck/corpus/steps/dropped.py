"""Find the places of rows that must be dropped, among all rows fed to their input."""

from collections.abc import Sequence
from dataclasses import replace

from tck.corpus.case import ExpectedLate, Step
from tck.protocol import Rows, WireRow


def with_places(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps, each dropped row with its place among the rows fed to its input, from 0.

    Of several equal rows, the last ones are dropped, because a row that is equal to an earlier late
    row is late, too.  A row that was not fed, but sent by a standing statement, has the place None.
    """
    fed: dict[str, list[WireRow]] = {}  # by input: the rows so far
    dropped: dict[str, set[int]] = {}  # by input: the places of the dropped rows so far
    placed: list[Step] = []
    for step in steps:
        for event in step.events:
            if isinstance(event, Rows):
                fed.setdefault(event.input, []).extend(event.rows)
        late: list[ExpectedLate] = []
        for each in reversed(step.late):
            taken = dropped.setdefault(each.input, set())
            rows = fed.get(each.input, [])
            place = next(
                (i for i in reversed(range(len(rows))) if rows[i] == each.row and i not in taken),
                None,
            )
            taken.update(() if place is None else (place,))
            late.append(replace(each, place=place))
        placed.append(replace(step, late=tuple(reversed(late))))
    return tuple(placed)
