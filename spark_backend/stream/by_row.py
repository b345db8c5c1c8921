"""Which rows are still needed of which no rowtime tells: a query says it, row by row."""

from algebra.catalog import QualifiedName
from algebra.lockstep import Above
from algebra.plan import Plan
from spark_backend.stream.last_rows import kept_on_time, last_rows, on_time_rows
from spark_backend.stream.limits import Limits
from spark_backend.stream.open_pairs import open_pairs
from spark_backend.stream.retention import has_monotonic


def needed_rows(
    plan: Plan,
    time: int,
    above: Above,
    stream: QualifiedName,
    bound: int,
    limits: Limits,
    *,
    falls: bool,
) -> Plan | None:
    """The places of the rows to keep of a stream when ``bound`` has come; None: all are kept.

    They are among the rows kept now, from 0; one may be there twice.  ``time`` is the place of the
    column that the plan's rows leave by, and ``falls`` if that does; ``above`` is what stands above
    the plan.
    """
    last = last_rows(plan, time)
    if last is None:
        pairs = None if falls or has_monotonic(plan) else open_pairs(plan, time, above)
        return None if pairs is None else pairs.kept(stream, bound, limits)
    if falls and (last.back or has_monotonic(plan)):
        return None
    own = last.kept(stream, bound, limits.progress_of(last.window), falls=falls)
    if not has_monotonic(plan):
        return own
    on_time = on_time_rows(plan)
    return None if on_time is None else kept_on_time(on_time, own)
