"""HOP and TUMBLE: each row once for every window that holds its time (S-504)."""

from collections.abc import Callable
from typing import Final

from algebra.expression import Expression, Literal
from algebra.plan import Hop
from algebra.types import MILLIS_PER_DAY, Kind
from grammar.codes import Code
from grammar.source import SqlError, located
from reference.environment import Environment
from reference.relation import Relation
from reference.scalar.datetimes import instant_of, month_index, month_start, of_instant
from reference.scalar.expression import meaning_of
from reference.values import failure, integer

#: A row is in fewer windows than this.
MOST_WINDOWS: Final = 2**31


def hopping(
    time: Expression, emit: Literal, retain: Literal, align: int, env: Environment
) -> Callable[[Relation], Relation]:
    """The function from rows to the same with WINDOW_START and WINDOW_END appended.

    Each row comes once for every window that holds its ``time``: in order of arrival, then of the
    windows' ends.  A row whose time is NULL is in no window; where ``emit`` is greater than
    ``retain``, a row may fall between two windows.  A window that reaches beyond the years 1 to
    9999 is OVERFLOW, and so are 2^31 windows of one row.
    """
    kind, calendar = time.type.kind, emit.type.kind is Kind.MONTHS
    every, size = integer(emit.value), integer(retain.value)
    time_of = meaning_of(time, env)

    def hopped(rows: Relation) -> Relation:
        return [
            (*row, start, end)
            for row in rows
            if (value := time_of(row)) is not None
            for start, end in windows(
                instant_of(kind, integer(value)), every, size, align, calendar
            )
        ]

    return hopped


def in_windows(plan: Hop, env: Environment) -> Callable[[Relation], Relation]:
    """`hopping`, in the form of ``env``, for the windows of ``plan``; errors are at their call."""
    hopped = env.forms.hopping(plan.time, plan.emit, plan.retain, plan.align, env)

    def located_rows(rows: Relation) -> Relation:
        try:
            return hopped(rows)
        except SqlError as error:
            raise located(error, plan.location) from None

    return located_rows


def windows(time: int, emit: int, retain: int, align: int, calendar: bool) -> list[tuple[int, int]]:
    """The windows ``[end - retain, end)`` that hold ``time``, by their ends, as TIMESTAMPs.

    Ends are ``align + n * emit`` for whole n of any sign: in milliseconds since 1970-01-01, or
    (``calendar``) in months since 1970-01, where ``time`` counts as the month that it lies in.

    >>> windows(5, emit=2, retain=3, align=0, calendar=False)
    [(3, 6), (5, 8)]

    Defines: S-504.b, S-504.k
    """
    at = month_index(time // MILLIS_PER_DAY) if calendar else time
    first = (at - align) // emit * emit + align + emit
    ends = range(first, at + retain + 1, emit)
    if ends:
        # The outermost edges first: there may be more windows than anyone can wait for.
        _edge(first - retain, calendar)
        _edge(ends[-1], calendar)
    if len(ends) >= MOST_WINDOWS:
        raise failure(Code.OVERFLOW, "a row is in 2^31 windows or more", "a longer emit interval")
    return [(_edge(end - retain, calendar), _edge(end, calendar)) for end in ends]


def _edge(edge: int, calendar: bool) -> int:
    """An end of a window as a TIMESTAMP."""
    instant = month_start(edge) * MILLIS_PER_DAY if calendar else edge
    return of_instant(Kind.TIMESTAMP, instant)
