"""The rowtime column of a result, and rowtimes and bounds as texts that sort by time."""

from typing import Final

from tck.corpus.case import Case, RowOrder
from tck.corpus.values import Family, complete_timestamp, family
from tck.judging.matching import ReadRow
from tck.protocol import Accepted

_ROWTIME: Final = "ROWTIME"
_ASCENDING: Final = {"INCREASING", "STRICTLY_INCREASING"}

#: The bound after the end of all input, and a text that sorts after all times.
END: Final = "end"
_AFTER_ALL_TIMES: Final = "~"


def rowtime_place(accepted: Accepted) -> int | None:
    """The place of the column ROWTIME, else of the first ascending TIMESTAMP (S-311), from 0.

    A TIMESTAMP for which the backend deduces no monotonicity counts as ascending.  None: the result
    has neither.
    """
    for i, column in enumerate(accepted.columns):
        if column.name == _ROWTIME:
            return i
    for i, column in enumerate(accepted.columns):
        order = accepted.monotonicity.get(column.name)
        if family(column.type) is Family.TIMESTAMP and (order is None or order in _ASCENDING):
            return i
    return None


def row_order(case: Case, accepted: Accepted) -> RowOrder:
    """How the rows must be ordered: as the case demands, else by the default of its result.

    The default is ``rowtime`` for a streaming result with a column ROWTIME, and ``any`` otherwise.
    """
    if case.order is not None:
        return case.order
    named = any(column.name == _ROWTIME for column in accepted.columns)
    return "rowtime" if accepted.streaming and named else "any"


def rowtime_of(row: ReadRow, place: int | None) -> str | None:
    """The rowtime of a row as a text that sorts by time.

    None: the result has no rowtime column, or the row has NULL or no TIMESTAMP in it.
    """
    if place is None or place >= len(row):
        return None
    value = row[place]
    if value.typed is None or value.typed.family is not Family.TIMESTAMP:
        return None
    # Timestamps on the wire have four digits for the year, so that they sort as text.
    return None if value.typed.value is None else value.text


def sortable_bound(bound: str) -> str:
    """A bound of the protocol as a text that sorts by time, ``end`` above all timestamps.

    Raises `values.UnreadableError`.
    """
    return _AFTER_ALL_TIMES if bound == END else complete_timestamp(bound, None)


def readable_bound(sortable: str) -> str:
    """The bound of which `sortable_bound` made this text."""
    return END if sortable == _AFTER_ALL_TIMES else sortable
