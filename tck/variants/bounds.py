"""Bounds added and removed: they change no rows, only when rows are emitted (S-304).

A function returns None if the law does not hold for the case, or if nothing in the case changes.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from tck.corpus.case import Case, Step
from tck.corpus.ddl import has_implicit_rowtimes, sorted_rowtimes
from tck.corpus.needs import needs_of
from tck.protocol import Bound, Event, Now, Rows

#: Features by which a bound has further effects: on the rows that a history retains, on rows that
#: are late inside the query, on the rows of a table that a stream meets, and on the moment at which
#: the session becomes a producer of a stream that statements write (S-603.j).
_BY_BOUNDS: Final = frozenset(
    {
        *("history-limits", "t-sort", "monotonic-function", "changing-tables", "subqueries"),
        "standing-inserts",
    }
)


def with_bounds_again(case: Case) -> Case | None:
    """Each bound is set twice: the second one equals the first, and has no effect (S-104.a)."""
    if case.failure or any(step.warnings for step in case.steps):
        return None
    if not any(isinstance(e, Bound) for step in case.steps for e in step.events):
        return None
    steps = (replace(step, events=tuple(_doubled(step.events))) for step in case.steps)
    return replace(case, steps=tuple(steps))


def _doubled(events: tuple[Event, ...]) -> Iterator[Event]:
    for event in events:
        yield event
        if isinstance(event, Bound):
            yield event


def with_implied_bounds(case: Case) -> Case | None:
    """After rows of a sorted stream, the bound that they imply is set (S-103.a).

    Only where all rows are accepted: a row that is dropped implies none.
    """
    places = sorted_rowtimes(case.ddl)
    if not places or case.failure or any(step.late or step.warnings for step in case.steps):
        return None
    greatest: dict[str, str] = {}
    steps = tuple(
        replace(step, events=tuple(_implied(step.events, places, greatest))) for step in case.steps
    )
    return None if steps == case.steps else replace(case, steps=steps)


def _implied(
    events: tuple[Event, ...], places: Mapping[str, int], greatest: dict[str, str]
) -> Iterator[Event]:
    """The events, and after rows the bound of their stream; ``greatest`` are the bounds so far."""
    for event in events:
        yield event
        match event:
            case Rows(name, rows) if name in places:
                times = [str(row[places[name]]) for row in rows]
                times += [greatest[name]] if name in greatest else []
                if times:
                    greatest[name] = max(times)
                    yield Bound(name, greatest[name])
            case Bound(name, at):
                # A strict bound excludes its own time, so the rows after it are later, and they
                # alone imply the next bound.
                greatest[name] = max(greatest.get(name, at), at)
                if event.strict:
                    greatest.pop(name)
            case _:
                pass


def without_bounds(case: Case) -> Case | None:
    """No bound is set: in the end the same rows are emitted in the same order (S-304.a).

    Only if no row is late, no bound is the rowtime of rows, and the query reads nothing that
    changes while the stream runs.
    """
    events = [event for step in case.steps for event in step.events]
    if not case.ended or not case.lists_rows or not any(isinstance(e, Bound) for e in events):
        return None
    if any(isinstance(e, Now) for e in events):
        return None
    if any(s.late or s.error or s.warnings for s in case.steps):
        return None
    if not _BY_BOUNDS.isdisjoint(needs_of(case)) or has_implicit_rowtimes(case.ddl):
        return None
    steps = (
        Step(step.line, tuple(event for event in step.events if not isinstance(event, Bound)))
        for step in case.steps
    )
    return replace(case, rows=case.all_rows, steps=tuple(steps))
