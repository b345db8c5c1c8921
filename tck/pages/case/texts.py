"""Write values, rows and events as the pages show them: as SQL, times without the case's date."""

from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from functools import partial
from typing import Final

from tck.corpus.case import Case
from tck.corpus.steps.literals import cell_literal
from tck.corpus.values import wire_value
from tck.drawing.event_words import event_words
from tck.judging.rows.reading import ReadRow, ReadValue, read_rows
from tck.judging.rowtimes import END
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
)

#: At most this number of events and input rows of a step is shown.
_MOST_EVENTS: Final = 100


def row_texts(case: Case, row: ReadRow) -> tuple[str, ...]:
    """The values of a row as literals, times without quotes."""
    return tuple(_value_text(case, value) for value in row)


def wire_row_text(case: Case, input: str, row: WireRow) -> str:
    """A row that arrives at an input, read by the types of its columns if these are known."""
    return ", ".join(wire_texts(case, input, row))


def wire_texts(case: Case, input: str, row: WireRow) -> tuple[str, ...]:
    """The values of a row that arrives at an input, as `row_texts`."""
    columns = case.columns.get(input)
    if columns is None:
        return tuple(map(cell_literal, row))
    (read,) = read_rows([row], columns)
    return row_texts(case, read)


def event_texts(case: Case, events: Sequence[Event]) -> tuple[str, ...]:
    """The texts of events: one for each row that arrives or is loaded, and one for any other event.

    If there are more than `_MOST_EVENTS`, a text with the number of the others follows the first.
    """
    texts = tuple(text for event in events for text in _event_lines(case, event))
    more = len(texts) - _MOST_EVENTS
    return texts if more <= 0 else (*texts[:_MOST_EVENTS], f"… and {more} more")


def bound_text(case: Case, bound: str) -> str:
    """A bound of the output in words."""
    return (
        "no later row is emitted"
        if bound == END
        else f"no later row is below {without_date(case, bound)}"
    )


def without_date(case: Case, text: str) -> str:
    """The text of a time, without its date if this is the case's date."""
    return text.removeprefix(f"{case.date} ") if case.date else text


def _value_text(case: Case, value: ReadValue) -> str:
    """A value as a literal; a time without quotes."""
    if value.typed is not None and isinstance(value.typed.value, datetime | date | time):
        return without_date(case, str(wire_value(value.typed, value.type)))
    return value.text


def _event_lines(case: Case, event: Event) -> Iterator[str]:
    """The texts of an event: one for each of its rows, or one if it is an event without rows."""
    match event:
        case Load(name, rows):
            yield from (f"{name} holds {wire_row_text(case, name, row)}" for row in rows)
        case Rows(name, rows, _, weights):
            for row, weight in zip(rows, weights or (1,) * len(rows), strict=True):
                text = f"{'' if weight > 0 else 'delete '}{wire_row_text(case, name, row)}"
                yield " ".join(event_words(event, partial(without_date, case), text))
        case Bound() | OpenProducer() | CloseProducer() | Now() | Elapse() | End():
            yield " ".join(event_words(event, partial(without_date, case)))
