"""Make large variants: many copies of the input, each later than the last by whole windows.

The result is copied in the same way.  A large variant can detect an engine that loses rows at the
end of a buffer.  A case has none if its copies would not be independent of one another.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Final

from tck.corpus.case import Case, Cell, CellRow, Step
from tck.corpus.ddl import sorted_rowtimes
from tck.corpus.needs import needs_of, says_stream
from tck.corpus.values import Family, family, read_value, wire_value
from tck.protocol import Bound, ColumnInfo, End, Event, Rows, Wire, WireRow
from tck.variants.shift import has_times_as_texts

#: The approximate number of rows that are fed by default.
_ROWS: Final = 240
#: The number of steps with the copies of the input; then the input ends.
_STEPS: Final = 4

#: The milliseconds of a week.
_WEEK: Final = 7 * 86_400_000
#: The start of any interval, also of an interval that `_SIZE` does not match.
_INTERVAL: Final = re.compile(r"\bINTERVAL\b", re.IGNORECASE)
#: An interval of one field that is a number of milliseconds.
_SIZE: Final = re.compile(
    r"INTERVAL\s+'(\d+)'\s+(DAY|HOUR|MINUTE|SECOND)\b(?!\s*TO)", re.IGNORECASE
)
#: The milliseconds of each unit in `_SIZE`.
_MILLIS: Final[Mapping[str, int]] = {
    "DAY": 86_400_000,
    "HOUR": 3_600_000,
    "MINUTE": 60_000,
    "SECOND": 1_000,
}
#: Words by which copies are not independent or not equal: units that do not divide weeks, values
#: that are converted or fixed, and joins that look back without a limit.
_OTHER: Final = re.compile(
    r"\b(?:YEAR|QUARTER|MONTH|DECADE|CENTURY|MILLENNIUM|EPOCH|CAST|CURRENT_\w+|LOCALTIME\w*"
    r"|DEFAULT|ASOF)\b",
    re.IGNORECASE,
)
#: Needs by which rows of one copy can depend on rows of another copy, or on a fixed time.
_TOGETHER: Final = frozenset(
    {
        *("over", "t-sort", "monotonic-function", "window-join", "changing-tables", "subqueries"),
        *("dml", "standing-inserts", "limit", "history-limits", "current-time", "extract"),
        *("extract-century", "extract-epoch", "timestampdiff", "datetime-literals", "step"),
        *("check-constraints", "failures"),
    }
)


def in_many_copies(case: Case, rows: int = _ROWS) -> Case | None:
    """The case with many copies of its input, each later by whole windows, and of its result.

    The copies have ``rows`` rows together, or a few more.  None if the copies are not independent:
    the rowtime must be the only ordered column, no row may be late, and two copies must be farther
    apart than any window or condition of the query reaches.
    """
    places = sorted_rowtimes(case.ddl)
    text = f"{case.ddl}\n{case.sql}"
    events = [event for step in case.steps for event in step.events if not isinstance(event, End)]
    if case.failure or not case.ended or not case.lists_rows or case.result is None:
        return None
    if has_times_as_texts(case):
        return None
    if case.equal_to or case.profile != "calcite" or not says_stream(case.sql or ""):
        return None
    if not _TOGETHER.isdisjoint(needs_of(case)) or _OTHER.search(text):
        return None
    if any(step.late or step.warnings for step in case.steps) or case.has_producers:
        return None
    if not all(isinstance(each, Rows | Bound) and each.input in places for each in events):
        return None
    tables = {each.object for each in case.tables} - places.keys()
    if any(_has_times(case, each) for each in tables):
        return None
    try:
        return _copied(case, events, places, text, rows)
    except OverflowError:  # a date or timestamp of a copy is beyond the year 9999
        return None


def _has_times(case: Case, name: str) -> bool:
    """Whether a table has a column of times."""
    return any(_is_time(column.type) for column in case.columns[name])


def _copied(
    case: Case, events: Sequence[Event], places: Mapping[str, int], text: str, least: int
) -> Case | None:
    """The case with copies that have at least ``least`` rows together.

    ``events`` are those of the case without its end, ``places`` has the place of the rowtime by
    stream, and ``text`` is the script and the query.  None: no row is fed, an interval cannot be
    read, or the copies would reach the year 9990.
    """
    fed = [(each.input, row) for each in events if isinstance(each, Rows) for row in each.rows]
    times = [_instant(row[places[name]]) for name, row in fed]
    times += [_instant(each.at) for each in events if isinstance(each, Bound)]
    sizes = [int(n) * _MILLIS[unit.upper()] for n, unit in _SIZE.findall(text)]
    if not fed or len(sizes) != len(_INTERVAL.findall(text)) or 0 in sizes:
        return None
    # A time that is moved by a multiple of ``whole`` has the same places in its windows and week.
    whole = math.lcm(_WEEK, *sizes)
    span = (max(times) - min(times)) // timedelta(milliseconds=1)
    # Two copies are farther apart than twice all windows together, so no window has rows of both.
    period = timedelta(milliseconds=whole * (2 * (span + sum(sizes)) // whole + 1))
    copies = -(-least // len(fed))  # rounded up
    if max(times).year + copies * period.days // 365 > 9_990 or min(times).year < 10:
        return None
    assert case.result is not None, "its types are known"
    types = [column.type for column in case.result]
    offsets = [number * period for number in range(copies)]
    copied_events = [tuple(_events(events, case, by)) for by in offsets]
    copies_a_step = -(-copies // _STEPS)  # rounded up
    steps = [
        Step(0, tuple(event for copy in copied_events[at : at + copies_a_step] for event in copy))
        for at in range(0, copies, copies_a_step)
    ]
    rows = tuple(row for by in offsets for row in _cells(case.all_rows, types, case.date, by))
    return replace(case, steps=(*steps, Step(0, (End(),))), rows=rows)


def _events(events: Sequence[Event], case: Case, by: timedelta) -> Iterator[Event]:
    """The events of one copy of the input, with all times later ``by`` a time."""
    for event in events:
        match event:
            case Rows(name, rows):
                columns = case.columns[name]
                yield replace(event, rows=tuple(_row(row, columns, by) for row in rows))
            case Bound(at=at):
                yield replace(event, at=_moved(at, "TIMESTAMP(3)", None, by))
            case _:
                raise AssertionError(event)


def _row(row: WireRow, columns: Sequence[ColumnInfo], by: timedelta) -> WireRow:
    """A fed row, with its dates and timestamps later ``by`` a time."""
    return tuple(
        _later(value, column.type, None, by) for value, column in zip(row, columns, strict=True)
    )


def _cells(
    rows: Sequence[CellRow], types: Sequence[str], day: str | None, by: timedelta
) -> Iterator[CellRow]:
    """Expected rows, later ``by`` a time; ``day`` is the date of times without a date."""
    for row in rows:
        yield tuple(_later_cell(cell, type, day, by) for cell, type in zip(row, types, strict=True))


def _later_cell(cell: Cell, type: str, day: str | None, by: timedelta) -> Cell:
    """An expected value, later ``by`` a time if its type has a date."""
    return _moved(cell, type, day, by) if isinstance(cell, str) and _is_time(type) else cell


def _later(value: Wire, type: str, day: str | None, by: timedelta) -> Wire:
    """A fed value, later ``by`` a time if its type has a date."""
    return _moved(value, type, day, by) if isinstance(value, str) and _is_time(type) else value


def _moved(text: str, type: str, day: str | None, by: timedelta) -> str:
    """A date or timestamp that is later ``by`` a time, as the protocol writes it."""
    found = read_value(text, type, day)
    assert isinstance(found.value, date), "a date or a timestamp"
    written = wire_value(found._replace(value=found.value + by), type)
    assert isinstance(written, str), "a date or a timestamp is written as a text"
    return written


def _instant(value: Wire) -> datetime:
    """The time of a rowtime or bound."""
    found = read_value(value, "TIMESTAMP(3)").value
    assert isinstance(found, datetime), "a rowtime is never NULL"
    return found


def _is_time(type: str) -> bool:
    """Whether the values of a type have a date."""
    return family(type) in (Family.TIMESTAMP, Family.DATE)
