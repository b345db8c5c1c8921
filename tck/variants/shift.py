"""Make variants with all times shifted by four centuries: the times of the result are shifted, too.

A function returns None if the law does not hold for the case, or if nothing in the case changes.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from tck.corpus.case import Case, Cell, CellRow, Columns, ExpectedLate, Step
from tck.corpus.ddl import declared_columns
from tck.corpus.needs import needs_of
from tck.corpus.values import Family, family
from tck.protocol import Bound, ColumnInfo, Event, Load, Now, Rows, Wire, WireRow

#: The Gregorian calendar repeats after four centuries: 146,097 days, which are whole weeks.
_YEARS: Final = 400
#: An interval of one field, such as the size of a window.
_WINDOW: Final = re.compile(
    r"INTERVAL\s+'(\d+)'\s+(YEAR|MONTH|DAY|HOUR|MINUTE|SECOND)", re.IGNORECASE
)
#: Four centuries in each unit.
_UNITS: Final[Mapping[str, int]] = {
    "YEAR": _YEARS,
    "MONTH": 12 * _YEARS,
    "DAY": 146_097,
    "HOUR": 24 * 146_097,
    "MINUTE": 24 * 60 * 146_097,
    "SECOND": 24 * 3_600 * 146_097,
}
#: The start of any interval, also of an interval that `_WINDOW` does not match.
_INTERVAL: Final = re.compile(r"\bINTERVAL\b", re.IGNORECASE)

#: Features that have a fixed time, or convert a time to another value.
_ABSOLUTE: Final = frozenset(
    {
        *("datetime-literals", "current-time", "extract", "extract-century", "extract-epoch"),
        *("timestampdiff", "history-limits", "dml", "check-constraints", "failures", "step"),
    }
)
#: Words of further such features, for which there are no needs.
_OTHER: Final = re.compile(
    r"\b(?:CAST|YEAR|CENTURY|DECADE|MILLENNIUM|EPOCH|CURRENT_\w+|LOCALTIME\w*|DEFAULT)\b",
    re.IGNORECASE,
)
#: A date at the start of a text; the group is its year.
_DATE: Final = re.compile(r"^(\d{4})-\d{2}-\d{2}")
#: The first time that cannot be shifted, because the year would be above 9999.
_LAST: Final = f"{9999 - _YEARS + 1:04}"
#: The first time that is shifted.  0001-01-01 is in the year 0 in some time zone, so an engine with
#: such a zone may fail the case, and yet pass the shifted case.
_FIRST: Final = "0001-01-02"


def four_centuries_later(case: Case) -> Case | None:
    """The case with all events, and all emitted rows, four centuries later (S-101.b).

    None if a text has a fixed time, if a time is converted to another value, or if four centuries
    are not a whole number of each window.
    """
    text = f"{case.ddl}\n{case.sql}\n{case.equal_to or ''}"
    if not _ABSOLUTE.isdisjoint(needs_of(case)) or _OTHER.search(text):
        return None
    if not _has_whole_intervals(text):
        return None
    if case.result is None or has_times_as_texts(case) or not _can_be_shifted(case):
        return None
    result = [column.type for column in case.result]
    return replace(
        case,
        date=None if case.date is None else _later(case.date),
        tables=tuple(Load(e.object, _rows(e.rows, case.columns[e.object])) for e in case.tables),
        steps=tuple(_step(step, case.columns, result) for step in case.steps),
        rows=None if case.rows is None else _cells(case.rows, result),
    )


def has_times_as_texts(case: Case) -> bool:
    """Whether a column of times is fed with texts, which the engine reads as times (S-613).

    No variant changes such a text, because it can have another form than a time of the protocol.
    """
    return any(
        _is_time(declared.type) and not _is_time(fed.type)
        for name, columns in declared_columns(case.ddl).items()
        for declared, fed in zip(columns, case.columns.get(name, columns), strict=False)
    )


def _has_whole_intervals(text: str) -> bool:
    """Whether four centuries are a whole number of every interval in a text.

    Then a shifted row has the same place in its shifted window.  Any interval may be the size of a
    window, so all are tested.
    """
    sizes = [(int(number), unit.upper()) for number, unit in _WINDOW.findall(text)]
    all_match = len(sizes) == len(_INTERVAL.findall(text))
    return all_match and all(number > 0 and _UNITS[unit] % number == 0 for number, unit in sizes)


def _can_be_shifted(case: Case) -> bool:
    """Whether some fed row has a time, and all times are at least `_FIRST` and before `_LAST`.

    The times are those of rows, bounds and the clock.  They are texts that sort like times.
    """
    fed: list[Load | Rows] = [*case.tables]
    fed += [e for step in case.steps for e in step.events if isinstance(e, Rows)]
    times = [
        value
        for event in fed
        for row in event.rows
        for value, column in zip(row, case.columns[_name(event)], strict=False)
        if isinstance(value, str) and _is_time(column.type)
    ]
    bounds = [
        event.at
        for step in case.steps
        for event in step.events
        if isinstance(event, Bound | Now) and _DATE.match(event.at)
    ]
    return bool(times) and all(_FIRST <= each < _LAST for each in (*times, *bounds))


def _name(event: Load | Rows) -> str:
    """The table or input of an event."""
    return event.object if isinstance(event, Load) else event.input


def _later(text: str) -> str:
    """A date, or a time with its date, four centuries later; a text without a date as it is."""
    found = _DATE.match(text)
    return text if found is None else f"{int(found[1]) + _YEARS:04}{text[4:]}"


def _is_time(type: str) -> bool:
    """Whether the values of a type have a date that can be shifted."""
    return family(type) in (Family.TIMESTAMP, Family.DATE)


def _rows(rows: Sequence[WireRow], columns: Sequence[ColumnInfo]) -> tuple[WireRow, ...]:
    """Fed rows, shifted."""
    return tuple(_row(row, columns) for row in rows)


def _row(row: WireRow, columns: Sequence[ColumnInfo]) -> WireRow:
    """A fed row, shifted; a row that must be dropped can have more values than columns."""
    types = [column.type for column in columns] + ["ANY"] * len(row)
    return tuple(_wire(value, type) for value, type in zip(row, types, strict=False))


def _wire(value: Wire, type: str) -> Wire:
    """A fed value, shifted if its type has a date."""
    return _later(value) if isinstance(value, str) and _is_time(type) else value


def _cells(rows: Sequence[CellRow], types: Sequence[str]) -> tuple[CellRow, ...]:
    """Expected rows, shifted."""
    return tuple(
        tuple(_cell(cell, type) for cell, type in zip(row, types, strict=True)) for row in rows
    )


def _changes(
    changes: Sequence[tuple[CellRow, int]], types: Sequence[str]
) -> tuple[tuple[CellRow, int], ...]:
    """Expected changes, with their rows shifted."""
    rows = _cells([row for row, _ in changes], types)
    return tuple((row, weight) for row, (_, weight) in zip(rows, changes, strict=True))


def _cell(cell: Cell, type: str) -> Cell:
    """An expected value, shifted if its type has a date."""
    return _later(cell) if isinstance(cell, str) and _is_time(type) else cell


def _step(step: Step, columns: Columns, result: Sequence[str]) -> Step:
    """A step, shifted; ``columns`` are those of the inputs, and ``result`` the result's types."""
    return replace(
        step,
        events=tuple(_event(event, columns) for event in step.events),
        emit=_cells(step.emit, result),
        may_emit=_cells(step.may_emit, result),
        emit_by=_cells(step.emit_by, result),
        changes=_changes(step.changes, result),
        output_bound=None if step.output_bound is None else _later(step.output_bound),
        late=tuple(
            ExpectedLate(each.input, _row(each.row, columns[each.input]), each.code)
            for each in step.late
        ),
    )


def _event(event: Event, columns: Columns) -> Event:
    """An event with its rows, its bound or its time shifted."""
    match event:
        case Rows(name, rows):
            return replace(event, rows=_rows(rows, columns[name]))
        case Load(name, rows):
            return Load(name, _rows(rows, columns[name]))
        case Bound(at=at):
            return replace(event, at=_later(at))
        case Now(at):
            return Now(_later(at))
        case _:
            return event
