"""Find the place of each row that must be dropped, among all rows that are fed to its input.

A case lists such a row by its values; a backend reports it by its place.
"""

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
            equal = [i for i, row in enumerate(rows) if row == each.row and i not in taken]
            place = equal[-1] if equal else None
            if place is not None:
                taken.add(place)
            late.append(replace(each, place=place))
        placed.append(replace(step, late=tuple(reversed(late))))
    return tuple(placed)
