"""Describe the steps of a case and their events in words, as reports show them."""

from collections.abc import Sequence

from tck.corpus.case import Case
from tck.corpus.steps.literals import row_literal
from tck.protocol import (
    Bound,
    CloseProducer,
    Elapse,
    End,
    Event,
    Load,
    Now,
    OpenProducer,
    Rows,
    WireRow,
    sender,
)


def moment(case: Case, step: int) -> str:
    """A step with its events: ``step 5 (line 35), after ORDERS: bound 2015-02-15 13:00:00``."""
    name = step_name(case, step)
    return name if step >= len(case.steps) else f"{name}, after {step_text(case, step)}"


def step_name(case: Case, step: int) -> str:
    """The name of a step, counted from 0: ``step 2 (line 41)``.

    At the step after the last, the kit ends all inputs.
    """
    if step >= len(case.steps):
        return "the end of all inputs"
    line = case.steps[step].line
    return f"step {step + 1} (line {line})" if line else f"step {step + 1}"


def step_text(case: Case, step: int) -> str:
    """The events of a step: ``ORDERS: 2 rows; TRADES: bound 2015-02-15 10:11:00``.

    If only one row arrives, it is shown: ``ORDERS: ('2015-02-15 10:15:00', 30)``.
    """
    events: Sequence[Event] = case.steps[step].events if step < len(case.steps) else (End(),)
    return "; ".join(map(_event_text, events)) or "nothing happens"


def _event_text(event: Event) -> str:
    """An event in words, after the input or producer that it is about."""
    match event:
        case Load(name, rows):
            return f"{name}: {_rows_text(rows)}"
        case Rows(name, rows, producer, weights):
            return f"{sender(name, producer)}: {_rows_text(rows, weights)}"
        case Bound(name, at, strict, producer):
            return f"{sender(name, producer)}: {'strict ' if strict else ''}bound {at}"
        case OpenProducer(name, producer):
            return f"{sender(name, producer)}: opens"
        case CloseProducer(name, producer):
            return f"{sender(name, producer)}: closes"
        case Now(at):
            return f"now {at}"
        case Elapse(span):
            return f"{span} of wall-clock time pass"
        case End(None):
            return "the end of all inputs"
        case End(name):
            return f"{name}: end"


def _rows_text(rows: Sequence[WireRow], weights: Sequence[int] = ()) -> str:
    """The row, if there is only one; else the number of rows.

    ``weights`` are those of the rows; empty: all rows are inserts.
    """
    if len(rows) != 1:
        return f"{len(rows)} rows"
    deletes = bool(weights) and weights[0] < 0
    return f"{'delete ' if deletes else ''}{row_literal(rows[0])}"
