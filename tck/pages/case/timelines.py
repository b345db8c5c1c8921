"""Make the timeline of a case: its events, and its expected or emitted rows, over rowtime."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from tck.corpus.case import Case
from tck.corpus.ddl import rowtimes
from tck.corpus.values import UnreadableError, read_value
from tck.drawing.event_words import event_words
from tck.drawing.timeline import ArrivedRow, EmittedRow, Entry, Fault, ProducerBound, Timeline
from tck.judging.rowtimes import END, rowtime_place
from tck.pages.case.answers import Line, StepAnswer, steps_of
from tck.pages.case.texts import wire_texts, without_date
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
    Wire,
)

#: A timeline with more events and rows is not drawn, because it would be longer than two screens.
_MOST_LINES: Final = 60
_EPOCH: Final = datetime(1970, 1, 1)


def timeline_of(
    case: Case, title: str, answer: Sequence[StepAnswer], *, timed: bool = True
) -> Timeline | None:
    """The timeline of an answer, whose steps are those of the case.

    The rows of a step are drawn at its last event, because a backend is polled there.  ``timed``: a
    row at another step than expected is a fault.  None if the result has no rowtime, if no input
    row has one, or if there is too much to draw.
    """
    place = rowtime_place(case)
    if place is None or sum(len(step.lines) + len(step.events) for step in answer) > _MOST_LINES:
        return None
    maker = _EntryMaker(case, place, timed=timed)
    entries = tuple(
        entry
        for events, step in zip(steps_of(case), answer, strict=True)
        for entry in maker.entries(events, step)
    )
    if not any(row.time is not None for entry in entries for row in entry.arrived):
        return None
    return Timeline(
        title=title,
        sql=(case.sql or "").strip(),
        inputs={
            name: ", ".join(column.name for column in case.columns[name]) for name in maker.inputs
        },
        columns=", ".join(column.name for column in case.result or ()),
        day=case.date or "",
        entries=entries,
    )


class _EntryMaker:
    """Makes the entries of a timeline, step by step.

    ``place`` is that of the rowtime among the columns of the result; ``timed`` is as in
    `timeline_of`.
    """

    def __init__(self, case: Case, place: int, *, timed: bool) -> None:
        self._case = case
        self._rowtime = place
        self._timed = timed
        self._arrived: Counter[str] = Counter()  # the number of rows by input so far
        self._emitted = 0  # the number of emitted rows so far
        self._bound = -math.inf  # the output's bound, in milliseconds
        #: The inputs that have had rows so far, in their order.
        self.inputs: dict[str, None] = {}

    def entries(self, events: Sequence[Event], step: StepAnswer) -> Iterator[Entry]:
        """An entry for each event of a step, and for each row that arrives.

        The last entry has the emitted rows, and the output's bound after the step.
        """
        before = self._bound
        if step.bound is not None:
            self._bound = math.inf if step.bound == END else self._millis(step.bound)
        listed = list(_one_by_one(events))
        for place, event in enumerate(listed, 1):
            last = place == len(listed)
            rows = self._row_texts(event)
            yield Entry(
                text=self._text(event, rows),
                arrived=tuple(self._arrivals(event, rows)),
                bounds=tuple(self._bounds(event)),
                emitted=tuple(self._rows(step)) if last else (),
                input_bounds={},
                output_bound=self._bound if last else before,
                failure=step.failure if last else "",
            )

    def _row_texts(self, event: Event) -> list[tuple[str, ...]]:
        """The values of each row that arrives."""
        if not isinstance(event, Rows):
            return []
        return [wire_texts(self._case, event.input, row) for row in event.rows]

    def _text(self, event: Event, rows: Sequence[tuple[str, ...]]) -> str:
        """The words of an event, with the rowtimes of its rows."""
        times = list[str]()
        if isinstance(event, Rows):
            place = self._time_place(event.input)
            times = [row[place] for row in rows if place is not None and place < len(row)]
        return "  ".join(event_words(event, partial(without_date, self._case), *times))

    def _arrivals(self, event: Event, rows: Sequence[tuple[str, ...]]) -> Iterator[ArrivedRow]:
        """The rows that arrive with an event; ``rows`` has their texts."""
        if not isinstance(event, Rows):
            return
        name, place = event.input, self._time_place(event.input)
        self.inputs.setdefault(name)
        for row, texts in zip(event.rows, rows, strict=True):
            others = ", ".join(text for i, text in enumerate(texts) if i != place)
            time = None if place is None or place >= len(row) else self._time(row[place])
            yield ArrivedRow(name, time, others, (name, self._arrived[name]))
            self._arrived[name] += 1

    def _bounds(self, event: Event) -> Iterator[ProducerBound]:
        """The bounds that an event sets; None as a bound: the input ends."""
        match event:
            case Bound(name, at, strict):
                yield ProducerBound(name, self._millis(at), strict)
            case End(name):
                yield from (
                    ProducerBound(each, None) for each in self.inputs if name in (None, each)
                )
            case Load() | Rows() | OpenProducer() | CloseProducer() | Now() | Elapse():
                pass

    def _rows(self, step: StepAnswer) -> Iterator[EmittedRow]:
        """The rows that are drawn at a step."""
        for line in step.lines:
            for texts, fault in self._sides(line):
                note = f"  ({line.note})" if line.note and fault else ""
                time = self._time(texts[self._rowtime]) if self._rowtime < len(texts) else None
                yield EmittedRow(self._emitted, time, ", ".join(texts) + note, fault=fault)
                self._emitted += 1

    def _sides(self, line: Line) -> Iterator[tuple[tuple[str, ...], Fault]]:
        """The rows of a line that are drawn, each with its fault.

        If the rows of a line differ, the expected row is drawn as missing, and the emitted row as
        extra.  A difference of order is not a fault on a timeline: only the emitted row is drawn.
        """
        match line.comparison:
            case "same":
                yield line.expected or line.actual or (), ""
            case "order":
                yield line.actual or (), ""
            case "moved" if not self._timed:
                if line.actual:  # the line of the step at which the row was emitted
                    yield line.actual, ""
            case "missing" | "extra" | "differs" | "moved":
                if line.expected:
                    yield line.expected, "missing"
                if line.actual:
                    yield line.actual, "extra"

    # --- times ----------------------------------------------------------------------------------

    def _time_place(self, name: str) -> int | None:
        """The place of the rowtime in the rows of an input; None: it has none."""
        return rowtimes(self._case.ddl).get(name)

    def _time(self, value: Wire) -> int | None:
        """The milliseconds of a TIMESTAMP; None if the value is NULL, or not a TIMESTAMP."""
        try:
            return None if value is None else self._millis(str(value))
        except UnreadableError:
            return None

    def _millis(self, at: str) -> int:
        """The milliseconds of a time; a time without a date has the date of the case."""
        moment = read_value(at, "TIMESTAMP(3)", self._case.date).value
        assert isinstance(moment, datetime), "a TIMESTAMP is read as one"
        return (moment - _EPOCH) // timedelta(milliseconds=1)


def _one_by_one(events: Sequence[Event]) -> Iterator[Event]:
    """The events, with each row that arrives as an event of its own."""
    for event in events:
        if isinstance(event, Rows):
            yield from (replace(event, rows=(row,)) for row in event.rows)
        else:
            yield event
