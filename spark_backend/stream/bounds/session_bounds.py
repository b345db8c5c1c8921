"""The bounds of sessions (S-902)."""

from algebra.build import is_not_true
from algebra.monotonicity.progress import Bound, Bounds
from algebra.plan import Filter, Session, columns, gap_of, row_type
from spark_backend.stream.bounds.first_values import FirstValues, lowered
from spark_backend.stream.retention.pending_frames import has_reached


def session_bounds(
    plan: Session, bound: int | None, ended: bool, first_values: FirstValues, *, exact: bool
) -> Bounds:
    """The bounds of SESSION's columns, of which only the last, the session end, can have one.

    The bound is the lesser of two times: the least end of the open sessions, and ``bound`` plus the
    gap, at which a new session of a row at ``bound`` would end.  The second time does not count if
    SESSION has no keys and a row at ``bound`` would be in an open session.

    ``bound`` is the bound of the time by which sessions are made; if it is None, the session end
    has no bound either. ``ended``: no later row can be in a session.  Without ``exact`` the result
    is ``bound`` + 1 ms, because each open session ends after ``bound``.
    """
    limits: list[Bound | None] = [None] * len(row_type(plan))
    if bound is None or ended:
        return Bounds(tuple(limits), ended)
    if not exact:
        limits[-1] = Bound(bound + 1)
        return Bounds(tuple(limits))
    end = columns(plan)[-1]
    open_ = Filter(plan, is_not_true(has_reached(end, Bound(bound), descending=False)))
    new_end = bound + gap_of(plan)
    start_and_end = [(len(limits) - 2, False), (len(limits) - 1, False)]
    first_start, first_end = first_values(open_, start_and_end)
    if not plan.keys and isinstance(first_start, int) and first_start < new_end:
        # A row at the bound is in the open session, which starts less than a gap after the bound
        # and ends after it.
        limits[-1] = Bound(first_end)
    else:
        limits[-1] = lowered(Bound(new_end), first_end, descending=False)
    return Bounds(tuple(limits))
