"""Make variants in which inserts are undone and made again: the rows after a step are the same.

A function returns None if the law does not hold for the case, or if nothing in the case changes.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from tck.corpus.case import Case
from tck.protocol import Event, Rows, WireRow, weighted

#: The declaration of a stream with changes; the group is its name.
_CHANGING: Final = re.compile(
    r"\bCREATE\s+STREAM\s+(\w+)\s*\((?:[^()]|\([^()]*\))*\)\s*WITH\s+CHANGES\b", re.IGNORECASE
)


def with_changes_undone(case: Case) -> Case | None:
    """The case with each insert into a stream WITH CHANGES undone and made again (S-1005).

    None if a row is dropped, because its place among the rows would change.
    """
    names = {name.upper() for name in _CHANGING.findall(case.ddl)}
    if case.failure or any(step.late for step in case.steps):
        return None
    steps = tuple(
        replace(step, events=tuple(_undone(event, names) for event in step.events))
        for step in case.steps
    )
    return None if steps == case.steps else replace(case, steps=steps)


def _undone(event: Event, names: set[str]) -> Event:
    """The event, with its inserts undone and made again if its input is one of the ``names``."""
    match event:
        case Rows(name, rows, weights=weights) if name in names and rows:
            changes = [
                change
                for row, weight in weighted(rows, weights)
                for change in (_insert_twice(row) if weight > 0 else [(row, weight)])
            ]
            rows, weights = zip(*changes, strict=True)
            return replace(event, rows=rows, weights=weights)
        case _:
            return event


def _insert_twice(row: WireRow) -> Iterator[tuple[WireRow, int]]:
    """The insert of a row, its delete, and the insert again."""
    yield from ((row, 1), (row, -1), (row, 1))
