"""Make variants with other batches: the result does not depend on how rows are batched (S-104.d).

A function returns None if the law does not hold for the case, or if nothing in the case changes.
"""

from collections.abc import Iterator
from dataclasses import replace

from tck.corpus.case import Case, Step
from tck.protocol import Event, Rows, weighted


def one_at_a_time(case: Case) -> Case | None:
    """The case with each row in an event of its own, in the same step; the result is the same."""
    steps = tuple(
        replace(step, events=tuple(each for event in step.events for each in _single(event)))
        for step in case.steps
    )
    return None if steps == case.steps or case.failure else replace(case, steps=steps)


def _single(event: Event) -> Iterator[Event]:
    """An event for each of the rows of an event.

    Any other event stays as it is, and so does an event that inserts and deletes the same row.
    """
    match event:
        case Rows(rows=rows, weights=weights) if not _come_and_go(event):
            for row, weight in weighted(rows, weights):
                yield replace(event, rows=(row,), weights=(weight,) if weights else ())
        case _:
            yield event


def _come_and_go(rows: Rows) -> bool:
    """Whether an event inserts and deletes the same row.

    Such an event stays whole, because an expression could fail on the row if it were only inserted.
    """
    changes = list(weighted(rows.rows, rows.weights))
    deleted = [row for row, weight in changes if weight < 0]
    return any(weight > 0 and row in deleted for row, weight in changes)


def in_one_step(case: Case) -> Case | None:
    """The case with all events, and all emitted rows, in one step, because a step is polled once.

    None if the case does not end its inputs, because then a row that it permits at several steps
    may be emitted or not.  After the end of the inputs all rows of the result are emitted.
    """
    if len(case.steps) < 2 or case.failure or not case.ended:
        return None
    events = tuple(event for step in case.steps for event in step.events)
    late = tuple(each for step in case.steps for each in step.late)
    changes = tuple(change for step in case.steps for change in step.changes)
    # The step lists the rows, unless the case has the whole result in `rows`, or is a changelog.
    emit = () if case.rows is not None or changes else case.all_rows
    warnings = tuple(each for step in case.steps for each in step.warnings)
    step = Step(
        case.steps[0].line,
        events,
        emit,
        output_bound=case.steps[-1].output_bound,
        late=late,
        warnings=warnings,
        changes=changes,
    )
    return replace(case, steps=(step,))
