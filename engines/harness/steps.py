"""The events and the rows at the steps of a case, as short texts for tables."""

from collections.abc import Iterable, Iterator, Sequence

from tck.corpus.case import Case, CellRow
from tck.corpus.permitted import permitted_rows
from tck.corpus.steps.literals import cell_literal
from tck.corpus.values import read_value, wire_value
from tck.drawing.event_words import event_words
from tck.protocol import Event, Rows, Wire, WireRow


def events_text(case: Case, events: Iterable[Event]) -> str:
    """The events of a step in words, separated by semicolons."""
    texts: list[str] = []
    for event in events:
        rows = [_weighted_text(case, event)] if isinstance(event, Rows) else []
        words = event_words(event, lambda time: _short(case, time), *rows)
        texts.append(": ".join(words))
    return "; ".join(texts)


def expected_texts(case: Case) -> Iterator[str]:
    """The rows that the case expects at each step (`result_text`).

    Of a changelog they are the changes: ``+`` stands before a row that the fold gains, and ``-``
    before one that it loses.
    """
    permitted = permitted_rows(case)
    for place, step in enumerate(case.steps):
        emitted = [each.cells for each in permitted if each.first == place]
        changes = [_signed(result_text(case, [row]), weight) for row, weight in step.changes]
        yield result_text(case, emitted) or ", ".join(changes)


def result_text(case: Case, rows: Iterable[CellRow]) -> str:
    """Rows that a case expects, as `rows_text` has them if an engine sends them."""
    types = [each.type for each in case.result or ()]
    return rows_text(case, (_wire_row(row, types, case.date) for row in rows))


def rows_text(case: Case, rows: Iterable[Sequence[Wire]]) -> str:
    """Rows in parentheses, separated by commas; the empty text if there are none.

    Their times are without the date that all times of the case have.
    """
    return ", ".join(f"({', '.join(_cell_text(case, cell) for cell in row)})" for row in rows)


def _weighted_text(case: Case, event: Rows) -> str:
    """The rows of an event; a row that it deletes again has ``-`` before it."""
    if not event.weights:
        return rows_text(case, event.rows)
    weighted = zip(event.rows, event.weights, strict=True)
    return ", ".join(_signed(rows_text(case, [row]), weight) for row, weight in weighted)


def _signed(text: str, weight: int) -> str:
    return f"{'+' if weight > 0 else '-'} {text}"


def _wire_row(row: CellRow, types: Sequence[str], day: str | None) -> WireRow:
    return tuple(
        wire_value(read_value(cell, type, day), type) for cell, type in zip(row, types, strict=True)
    )


def _cell_text(case: Case, cell: Wire) -> str:
    return _short(case, cell if isinstance(cell, str) else cell_literal(cell))


def _short(case: Case, text: str) -> str:
    """A time without the case's date."""
    return text.removeprefix(f"{case.date} ")
