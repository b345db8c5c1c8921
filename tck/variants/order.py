"""Make variants with other orders of arrival: ties, or inputs, in reverse order (S-307).

A function returns None if the law does not hold for the case, or if nothing in the case changes.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

from tck.corpus.case import Case
from tck.corpus.ddl import sorted_rowtimes
from tck.corpus.needs import needs_of
from tck.judging.rowtimes import row_order
from tck.protocol import (
    Elapse,
    Event,
    Load,
    Now,
    Rows,
    WireRow,
)

#: Features whose results can depend on the order of ties, or of rows of several inputs (S-307.c).
_BY_ARRIVAL: Final = frozenset(
    {
        *("over", "t-sort", "monotonic-function", "listagg", "any-value", "window-join"),
        *("order-by", "changing-tables", "subqueries", "dml", "standing-inserts", "limit"),
    }
)


def with_ties_reversed(case: Case) -> Case | None:
    """The case with ties of one event in reverse order: the emitted rows are the same.

    None if something depends on the order of ties: another column is ordered, a row is dropped, or
    the case lists the order of the emitted rows.
    """
    places = sorted_rowtimes(case.ddl)
    if not places or not _ignores_arrival(case) or any(step.late for step in case.steps):
        return None
    steps = tuple(
        replace(step, events=tuple(_ties_reversed(event, places) for event in step.events))
        for step in case.steps
    )
    return None if steps == case.steps else replace(case, steps=steps)


def _ties_reversed(event: Event, places: Mapping[str, int]) -> Event:
    """The event with its ties in reverse order, if it has rows of a stream in ``places``.

    ``places`` has the place of the rowtime by stream.
    """
    match event:
        case Rows(name, rows) if name in places:
            return replace(event, rows=tuple(_reverse_ties(rows, places[name])))
        case _:
            return event


def _reverse_ties(rows: Sequence[WireRow], place: int) -> Iterator[WireRow]:
    """The rows, with each run of rows that have the same rowtime reversed."""
    for _, ties in groupby(rows, key=lambda row: row[place]):
        yield from reversed(list(ties))


def with_inputs_reversed(case: Case) -> Case | None:
    """The case with the inputs of each step in reverse order: the emitted rows are the same.

    The events of one input stay in their order.  None if something depends on the order of rows of
    several inputs.
    """
    if not _ignores_arrival(case):
        return None
    steps = tuple(replace(step, events=_inputs_reversed(step.events)) for step in case.steps)
    return None if steps == case.steps else replace(case, steps=steps)


def _inputs_reversed(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """The events by input, the last input first; unchanged if an event has no input."""
    names = [_input(event) for event in events]
    if None in names:
        return events
    inputs = dict.fromkeys(reversed(names))  # each once, the last first
    return tuple(
        event
        for name in inputs
        for event, input in zip(events, names, strict=True)
        if input == name
    )


def _input(event: Event) -> str | None:
    """The input of an event; None: the event is about a table, all inputs, or the session."""
    return None if isinstance(event, Load | Now | Elapse) else event.input


def _ignores_arrival(case: Case) -> bool:
    """Whether the result of a case does not depend on the order in which ties arrive."""
    return (
        case.failure is None
        and case.profile == "calcite"
        and row_order(case) != "exact"
        and _BY_ARRIVAL.isdisjoint(needs_of(case))
    )
