"""The rowtime of a result, and moments as texts that sort: what bounds are about."""

from typing import Final

from tck.corpus.case import Case, Order
from tck.corpus.values import Family, complete_timestamp, family
from tck.judging.matching import ReadRow
from tck.protocol import Accepted

_ROWTIME: Final = "ROWTIME"
_ASCENDING: Final = {"INCREASING", "STRICTLY_INCREASING"}

#: The bound after the end, and what it is in the order of moments: above all.
END: Final = "end"
_LAST: Final = "~"


def rowtime_place(accepted: Accepted) -> int | None:
    """The place of the column ROWTIME, else of the first ascending TIMESTAMP (S-311).

    A column of which the backend deduces nothing is taken to ascend.
    """
    for i, column in enumerate(accepted.columns):
        if column.name == _ROWTIME:
            return i
    for i, column in enumerate(accepted.columns):
        said = accepted.monotonicity.get(column.name)
        if family(column.type) is Family.TIMESTAMP and (said is None or said in _ASCENDING):
            return i
    return None


def order_of(case: Case, accepted: Accepted) -> Order:
    """How the rows must be ordered, if the case does not say so by their column ROWTIME."""
    if case.order is not None:
        return case.order
    named = any(column.name == _ROWTIME for column in accepted.columns)
    return "rowtime" if accepted.streaming and named else "any"


def rowtime_of(row: ReadRow, place: int | None) -> str | None:
    """The rowtime of a row as a moment; None where it has none, or NULL."""
    if place is None or place >= len(row):
        return None
    shown = row[place]
    if shown.reading is None or shown.reading.family is not Family.TIMESTAMP:
        return None
    # Timestamps on the wire have four digits for the year, so that they sort as text.
    return None if shown.reading.value is None else shown.text


def moment(bound: str) -> str:
    """A bound as a moment, ``end`` above all others.  Raises `values.UnreadableError`."""
    return _LAST if bound == END else complete_timestamp(bound, None)


def written(moment: str) -> str:
    """A moment as a person writes it."""
    return END if moment == _LAST else moment
