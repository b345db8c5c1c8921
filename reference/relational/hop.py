"""TUMBLE, HOP and CUMULATE: each row once for every window that has its time (S-504, S-901).

Windows have the length ``retain``, and end at the multiples of ``emit``, shifted by ``align``.
"""

from collections.abc import Callable
from typing import Final

from algebra.plan import Hop, window_sizes
from algebra.types import MILLIS_PER_DAY, Kind
from grammar.codes import Code
from grammar.source import SqlError, located
from reference.environment import Environment
from reference.relation import Relation
from reference.scalar.datetimes import instant_of, month_index, month_start, of_instant
from reference.scalar.expression import meaning_of
from reference.values import failure, integer

#: A row must be in fewer windows than this number.
MOST_WINDOWS: Final = 2**31


def hopping(plan: Hop, env: Environment) -> Callable[[Relation], Relation]:
    """A function from rows to these rows with WINDOW_START and WINDOW_END appended.

    Each row occurs once for every window that contains its time: in order of arrival, then of the
    windows' ends.  A row whose time is NULL is in no window.  If ``emit`` is greater than
    ``retain``, a row can be between two windows.  The function raises OVERFLOW if a window reaches
    beyond the years 1 to 9999, or if a row is in 2^31 windows or more.

    Defines: S-901.i
    """
    kind, time_of = plan.time.type.kind, meaning_of(plan.time, env)

    def hopped(rows: Relation) -> Relation:
        return [
            (*row, start, end)
            for row in rows
            if (value := time_of(row)) is not None
            for start, end in windows_of(plan, instant_of(kind, integer(value)))
        ]

    return hopped


def in_windows(plan: Hop, env: Environment) -> Callable[[Relation], Relation]:
    """As `hopping`, in the form that ``env`` chooses; its errors are located at the call of HOP.

    An environment chooses the definitions of operators, or faster forms.
    """
    hopped = env.forms.hopping(plan, env)

    def located_rows(rows: Relation) -> Relation:
        try:
            return hopped(rows)
        except SqlError as error:
            raise located(error, plan.location) from None

    return located_rows


def windows_of(plan: Hop, instant: int) -> list[tuple[int, int]]:
    """The windows of ``plan`` that contain the time ``instant``, in milliseconds."""
    emit, retain = window_sizes(plan)
    calendar = plan.emit.type.kind is Kind.MONTHS
    return windows(instant, emit, retain, plan.align, calendar, plan.cumulative)


def windows(
    time: int, emit: int, retain: int, align: int, calendar: bool, cumulative: bool = False
) -> list[tuple[int, int]]:
    """The windows that contain ``time``, ordered by their ends: pairs of (start, end) TIMESTAMPs.

    ``time`` is in milliseconds.  The other numbers are in milliseconds since 1970-01-01, or, if
    ``calendar``, in months since 1970-01; then the month of ``time`` counts.  For each integer n, a
    window ends at ``align + n * emit``.  It starts ``retain`` earlier.  If ``cumulative``, it
    starts at the last multiple of ``retain``, shifted by ``align``, before its end.

    >>> windows(5, emit=2, retain=3, align=0, calendar=False)
    [(3, 6), (5, 8)]
    >>> windows(5, emit=2, retain=6, align=4, calendar=False, cumulative=True)
    [(4, 6), (4, 8), (4, 10)]

    Defines: S-504.b, S-504.k, S-901.f
    """
    at = month_index(time // MILLIS_PER_DAY) if calendar else time
    # The ends of the first and the last window that contain ``at``.
    first = (at - align) // emit * emit + align + emit
    last = (at - align) // retain * retain + align + retain if cumulative else at + retain
    ends = range(first, last + 1, emit)

    def start(end: int) -> int:
        return (end - 1 - align) // retain * retain + align if cumulative else end - retain

    if ends:
        # Check the outermost edges first, because there may be too many windows to compute.
        _edge(start(ends[0]), calendar)
        _edge(ends[-1], calendar)
    if len(ends) >= MOST_WINDOWS:
        raise failure(Code.OVERFLOW, "a row is in 2^31 windows or more", "a longer emit interval")
    return [(_edge(start(end), calendar), _edge(end, calendar)) for end in ends]


def _edge(edge: int, calendar: bool) -> int:
    """The start or end of a window as a TIMESTAMP; raises OVERFLOW outside the years 1 to 9999."""
    instant = month_start(edge) * MILLIS_PER_DAY if calendar else edge
    return of_instant(Kind.TIMESTAMP, instant)
