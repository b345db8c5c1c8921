"""The rowtime column of a result, the order of its rows, and the times of rows and bounds."""

from datetime import datetime
from typing import Final

from tck.corpus.case import Case, RowOrder
from tck.corpus.needs import says_stream
from tck.corpus.values import Family, TypedValue, read_value, wire_value
from tck.judging.rows.reading import ReadRow

_ROWTIME: Final = "ROWTIME"

#: The bound after the end of all input, and a time after all others.
END: Final = "end"
_AFTER_ALL: Final = datetime.max


def rowtime_place(case: Case) -> int | None:
    """The place of the result's column ROWTIME, from 0; None: it has none.

    The names are those of the case, whatever the backend calls its columns.  The rowtime of a
    result without that name is another ascending column, or implicit (S-311): the kit deduces no
    order, and judges such a result by the bounds that the case lists.
    """
    columns = enumerate(case.result or ())
    return next((i for i, column in columns if column.name == _ROWTIME), None)


def row_order(case: Case) -> RowOrder:
    """How the rows must be ordered: as the case demands, else by the default of its query.

    The default is ``rowtime`` for a query that says SELECT STREAM and has a column ROWTIME in its
    result, and ``any`` otherwise.
    """
    if case.order is not None:
        return case.order
    named = rowtime_place(case) is not None
    return "rowtime" if named and says_stream(case.sql or "") else "any"


def rowtime_of(row: ReadRow, place: int | None) -> datetime | None:
    """The time at ``place`` of a row; None: there is no place, or the row has no time there."""
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
