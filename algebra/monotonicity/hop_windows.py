"""How far the windows of HOP and TUMBLE have come: the first one a later row can be in (S-504)."""

from algebra.constraints.months import month_of, start_of_month
from algebra.plan import Hop, window_sizes
from algebra.types import MAX_TIMESTAMP, MILLIS_PER_DAY, MIN_TIMESTAMP, Kind


def first_window(plan: Hop, time: int, descending: bool = False) -> tuple[int, int] | None:
    """WINDOW_START and WINDOW_END of the first window that holds ``time`` or a later value.

    ``time`` is a value of ``plan.time``, a DATE or TIMESTAMP as it is inside; the result is two
    TIMESTAMPs.  ``descending``: of the last window that holds ``time`` or an earlier value.  None
    where the window reaches beyond the years 1 to 9999, in which there is no such window.
    """
    emit, retain = window_sizes(plan)
    calendar = plan.emit.type.kind is Kind.MONTHS
    instant = time * MILLIS_PER_DAY if plan.time.type.kind is Kind.DATE else time
    place = month_of(instant // MILLIS_PER_DAY) if calendar else instant
    end = (place + (retain if descending else emit) - plan.align) // emit * emit + plan.align
    first, last = (
        start_of_month(each) * MILLIS_PER_DAY if calendar else each for each in (end - retain, end)
    )
    return (first, last) if first >= MIN_TIMESTAMP and last <= MAX_TIMESTAMP else None
