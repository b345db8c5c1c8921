"""Make variants with bounds added or removed: the same rows are emitted at other steps (S-304).

A function returns None if the law does not hold for the case, or if nothing in the case changes.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from tck.corpus.case import Case, Step
from tck.corpus.ddl import has_implicit_rowtimes, sorted_rowtimes
from tck.corpus.needs import needs_of
from tck.protocol import Bound, Event, Now, Rows

#: Features with which a bound can change rows.  It changes the rows that a history retains, the
#: rows that are late inside the query, the contents of a table when a stream reads it, or the
#: moment at which the session becomes a producer of a stream that statements write (S-603.j).
_BY_BOUNDS: Final = frozenset(
    {
        *("history-limits", "t-sort", "monotonic-function", "changing-tables", "subqueries"),
        "standing-inserts",
    }
)


def with_bounds_again(case: Case) -> Case | None:
    """The case with each bound set twice: the second time has no effect (S-104.a)."""
    if case.failure or any(step.warnings for step in case.steps):
        return None
    if not any(isinstance(e, Bound) for step in case.steps for e in step.events):
        return None
    steps = (replace(step, events=tuple(_doubled(step.events))) for step in case.steps)
    return replace(case, steps=tuple(steps))


def _doubled(events: tuple[Event, ...]) -> Iterator[Event]:
    """The events, each bound twice."""
    for event in events:
        yield event
        if isinstance(event, Bound):
            yield event


def with_implied_bounds(case: Case) -> Case | None:
    """The case with an explicit bound after the rows of a sorted stream (S-103.a).

    The rows imply this bound already, so it changes nothing.  None if a row is dropped, because
    such a row implies no bound.
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
    """The events, and after rows of a stream the bound that they imply.

    ``places`` has the place of the rowtime by stream.  ``greatest`` has the implied bounds by
    stream so far; it is updated.
    """
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
                greatest[name] = max(greatest.get(name, at), at)
                if event.strict:
                    # A bound that is set next at the same time would be lower, because it would not
                    # be strict.  So only the rows after the strict bound imply the next bound.
                    greatest.pop(name)
            case _:
                pass


def without_bounds(case: Case) -> Case | None:
    """The case without bounds: in the end the same rows are emitted in the same order (S-304.a).

    None if a row is late, if bounds are the rowtimes of rows (implicit rowtimes), or if the query
    reads something that changes while the stream runs.
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
