"""The places of the rows that a case expects to be dropped, among all rows fed to their input."""

from collections.abc import Sequence
from dataclasses import replace

from tck.corpus.case import ExpectedLate, Step
from tck.protocol import Rows, WireRow


def with_places(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps, each dropped row with its place among the rows fed to its input, from 0.

    Of equal rows the last ones are meant: where a row is late, an equal one that follows is late,
    too.  A row that was not fed, but sent by a standing statement, keeps the place None.
    """
    fed: dict[str, list[WireRow]] = {}
    meant: dict[str, set[int]] = {}
    placed: list[Step] = []
    for step in steps:
        for event in step.events:
            if isinstance(event, Rows):
                fed.setdefault(event.input, []).extend(event.rows)
        late: list[ExpectedLate] = []
        for each in reversed(step.late):
            taken = meant.setdefault(each.input, set())
            rows = fed.get(each.input, [])
            place = next(
                (i for i in reversed(range(len(rows))) if rows[i] == each.row and i not in taken),
                None,
            )
            taken.update(() if place is None else (place,))
            late.append(replace(each, place=place))
        placed.append(replace(step, late=tuple(reversed(late))))
    return tuple(placed)
