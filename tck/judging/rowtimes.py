"""The rowtime column of a result, the order of its rows, and the times of rows and bounds."""

from datetime import datetime
from typing import Final

from tck.corpus.case import Case, RowOrder
from tck.corpus.needs import says_stream
from tck.corpus.values import Family, TypedValue, family, read_value, wire_value
from tck.judging.rows.reading import ReadRow

_ROWTIME: Final = "ROWTIME"

#: The bound after the end of all input, and a time after all others.
END: Final = "end"
_AFTER_ALL: Final = datetime.max


def rowtime_place(case: Case) -> int | None:
    """The place of the rowtime, from 0: the result's column ROWTIME, else its first TIMESTAMP.

    The names and types are those of the case, whatever the backend calls its columns (S-311).
    None: the result has neither.
    """
    columns = case.result or ()
    for i, column in enumerate(columns):
        if column.name == _ROWTIME:
            return i
    for i, column in enumerate(columns):
        if family(column.type) is Family.TIMESTAMP:
            return i
    return None


def row_order(case: Case) -> RowOrder:
    """How the rows must be ordered: as the case demands, else by the default of its query.

    The default is ``rowtime`` for a query that says SELECT STREAM and has a column ROWTIME in its
    result, and ``any`` otherwise.
    """
    if case.order is not None:
        return case.order
    named = any(column.name == _ROWTIME for column in case.result or ())
    return "rowtime" if named and says_stream(case.sql or "") else "any"


def rowtime_of(row: ReadRow, place: int | None) -> datetime | None:
    """The rowtime of a row; None: the result has none, or the row has NULL or no time there."""
    if place is None or place >= len(row):
        return None
    typed = row[place].typed
    return typed.value if typed is not None and isinstance(typed.value, datetime) else None


def bound_time(bound: str) -> datetime:
    """A bound of the protocol as a time, ``end`` after all others.

    Raises `values.UnreadableError` if it is neither a time with its date nor ``end``.
    """
    if bound == END:
        return _AFTER_ALL
    time = read_value(bound, "TIMESTAMP(3)").value
    assert isinstance(time, datetime), "a bound is not NULL"
    return time


def bound_text(time: datetime) -> str:
    """The bound of which `bound_time` made this time, as the protocol writes it."""
    if time == _AFTER_ALL:
        return END
    return str(wire_value(TypedValue(Family.TIMESTAMP, time), "TIMESTAMP(3)"))
