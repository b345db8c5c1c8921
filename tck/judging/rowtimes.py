"""Find the rowtime column of a result and the order that its rows must have; read bounds."""

from datetime import datetime
from typing import Final

from tck.corpus.case import Case, RowOrder
from tck.corpus.needs import says_stream
from tck.corpus.values import Family, TypedValue, read_value, wire_value
from tck.judging.rows.reading import ReadRow

_ROWTIME: Final = "ROWTIME"

#: The bound after the end of all input.
END: Final = "end"
#: The time that stands for the bound `END`: no time is later.
_AFTER_ALL: Final = datetime.max


def rowtime_place(case: Case) -> int | None:
    """The place of the result's column ROWTIME, from 0; None: it has none.

    The names of the columns are those in the case, whatever the backend calls them.  If no column
    is named ROWTIME, the rowtime is another ascending column, or implicit (S-311).  The kit does
    not deduce which; it judges the bounds of such a result only by those that the case lists.
    """
    columns = enumerate(case.result or ())
    return next((i for i, column in columns if column.name == _ROWTIME), None)


def row_order(case: Case) -> RowOrder:
    """The order that the rows must have: as the case demands, or else the default.

    The default is ``rowtime`` for a query with SELECT STREAM whose result has a column ROWTIME, and
    ``any`` for other queries.
    """
    if case.order is not None:
        return case.order
    named = rowtime_place(case) is not None
    return "rowtime" if named and says_stream(case.sql or "") else "any"


def rowtime_of(row: ReadRow, place: int | None) -> datetime | None:
    """The time in the column ``place`` of a row; None: ``place`` is None, or it has no time."""
    if place is None or place >= len(row):
        return None
    typed = row[place].typed
    return typed.value if typed is not None and isinstance(typed.value, datetime) else None


def bound_time(bound: str) -> datetime:
    """A bound, as the protocol writes it, as a time; ``end`` is later than all other times.

    Raises `UnreadableError` (`tck.corpus.values`) if the bound is not a time with its date or
    ``end``.
    """
    if bound == END:
        return _AFTER_ALL
    time = read_value(bound, "TIMESTAMP(3)").value
    assert isinstance(time, datetime), "a bound is not NULL"
    return time


def bound_text(time: datetime) -> str:
    """The text of a bound, as the protocol writes it: the inverse of `bound_time`."""
    if time == _AFTER_ALL:
        return END
    return str(wire_value(TypedValue(Family.TIMESTAMP, time), "TIMESTAMP(3)"))
