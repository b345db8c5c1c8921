"""Which rows are still needed of which no rowtime tells: a query says it, row by row."""

from algebra.catalog import QualifiedName
from algebra.lockstep import Above
from algebra.plan import Plan, SetOp
from grammar.tree import SetOperator
from spark_backend.stream.last_rows import foremost_row, last_rows
from spark_backend.stream.limits import Limits
from spark_backend.stream.open_pairs import open_pairs
from spark_backend.stream.retention import has_monotonic


def needed_rows(
    plan: Plan, time: int, above: Above, stream: QualifiedName, bound: int, limits: Limits
) -> Plan | None:
    """The places of the rows to keep of a stream when ``bound`` has come; None: all are kept.

    They are among the rows kept now, from 0; one may be there twice.  ``time`` is the place of the
    column that the plan's rows leave by, ``above`` what stands above the plan.
    """
    last = last_rows(plan, time)
    if has_monotonic(plan):
        measure = foremost_row(plan)
        if last is None or measure is None:
            return None
        own = last.kept(stream, bound, limits.progress_of(last.window))
        return SetOp((own, measure), SetOperator.UNION, all=True)
    if last is not None:
        return last.kept(stream, bound, limits.progress_of(last.window))
    pairs = open_pairs(plan, time, above)
    return None if pairs is None else pairs.kept(stream, bound, limits)
