"""The progress of windows: the first window that a later row can be in (S-504, S-901)."""

from algebra.constraints.months import month_of, start_of_month
from algebra.plan import Hop, window_sizes
from algebra.types import MAX_TIMESTAMP, MILLIS_PER_DAY, MIN_TIMESTAMP, Kind


def first_window(plan: Hop, time: int, descending: bool = False) -> tuple[int | None, int | None]:
    """WINDOW_START and WINDOW_END of the first window that holds ``time`` or a later value.

    If ``descending``, it is the last window that holds ``time`` or an earlier value.  ``time`` is a
    value of ``plan.time``: a DATE or TIMESTAMP in its internal representation.  The result is two
    TIMESTAMPs; one that would be outside of the years 1 to 9999 is None.

    Defines: S-901.k
    """
    start, end = _edges(plan, time, descending)
    return (start if start >= MIN_TIMESTAMP else None, end if end <= MAX_TIMESTAMP else None)


def no_row_follows(plan: Hop, time: int, descending: bool = False) -> bool:
    """Whether every row at ``time`` or later is an error, because a window leaves the calendar.

    If ``descending``, it is every row at ``time`` or earlier.  A row is an error if one of its
    windows reaches beyond the years 1 to 9999 (S-504.k).

    Defines: S-504.m
    """
    # The first and the last window around ``time``.  If ``retain`` is less than ``emit``, there are
    # gaps between windows, and the last window may end before ``time``; so both are looked at.
    edges = [_edges(plan, time, last) for last in (False, True)]
    if descending:
        return min(first for first, _ in edges) < MIN_TIMESTAMP
    return max(last for _, last in edges) > MAX_TIMESTAMP


def _edges(plan: Hop, time: int, last: bool) -> tuple[int, int]:
    """Start and end of the first window that ends after ``time``.

    If ``last``, it is the last window that starts at or before ``time``.  A window ends at the
    alignment plus a multiple of ``emit``, and ``retain`` is its size.  A cumulative window starts
    at the alignment plus a multiple of ``retain``, and ends at most ``retain`` later.
    """
    emit, retain = window_sizes(plan)
    calendar = plan.emit.type.kind is Kind.MONTHS
    instant = time * MILLIS_PER_DAY if plan.time.type.kind is Kind.DATE else time
    position = month_of(instant // MILLIS_PER_DAY) if calendar else instant
    # `offset`, `begin` and `end` count from the alignment, in milliseconds or months.
    offset = position - plan.align
    if plan.cumulative:
        begin = offset // retain * retain
        end = begin + retain if last else offset // emit * emit + emit
    else:
        end = (offset + (retain if last else emit)) // emit * emit
        begin = end - retain
    edges = (begin + plan.align, end + plan.align)
    start, stop = (start_of_month(e) * MILLIS_PER_DAY if calendar else e for e in edges)
    return start, stop
