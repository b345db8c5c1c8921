"""Which rows are still needed of which no rowtime tells: a query says it, row by row."""

from algebra.catalog import QualifiedName
from algebra.monotonicity.context import Context
from algebra.plan import Plan
from spark_backend.stream.bounds.bound_propagation import Limits
from spark_backend.stream.retention.join_state import JoinState, join_state
from spark_backend.stream.retention.retained_rows import (
    RetainedRows,
    monotonic_rows,
    retained_monotonic,
    retained_rows,
)
from spark_backend.stream.retention.retention import has_monotonic
from spark_backend.stream.retention.row_ids import union


def required_by(
    plan: Plan, time: int, context: Context, *, descending: bool
) -> RetainedRows | JoinState | None:
    """What says which rows a plan needs; None: nothing does, and all are kept.

    ``time`` is the place of the column that the plan's rows leave by, and ``descending`` if that
    does.
    """
    words = has_monotonic(plan)
    last = retained_rows(plan, time)
    if last is None:
        return None if descending or words else join_state(plan, time, context)
    if (descending and (last.back or words)) or (words and monotonic_rows(plan) is None):
        return None
    return last


def needed_rows(
    plan: Plan,
    time: int,
    context: Context,
    stream: QualifiedName,
    bound: int,
    limits: Limits,
    *,
    descending: bool,
) -> Plan | None:
    """The places of the rows to keep of a stream when ``bound`` has come; None: all are kept.

    They are among the rows kept now, from 0; one may be there twice.  ``time`` and ``descending``
    are as in `required_by`.
    """
    match required_by(plan, time, context, descending=descending):
        case None:
            return None
        case JoinState() as pairs:
            return union(*pairs.retained(stream, bound, limits))
        case RetainedRows() as last:
            own = last.retained(
                stream, bound, limits.progress_of(last.window), descending=descending
            )
            monotonic = monotonic_rows(plan, stream)
            return own if monotonic is None else retained_monotonic(monotonic, own)
