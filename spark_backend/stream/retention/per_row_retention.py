"""Which rows are still needed of which no rowtime tells: a query says it, row by row."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from algebra.catalog import QualifiedName
from algebra.expression import InputRef
from algebra.mentions import own_monotonic_calls
from algebra.monotonicity.context import Context
from algebra.plan import Filter, Plan, Project, SetOp
from grammar.tree import SetOperator
from spark_backend.stream.bounds.bound_propagation import Limits
from spark_backend.stream.retention.join_state import JoinState, join_state, joins
from spark_backend.stream.retention.retained_rows import (
    RetainedRows,
    monotonic_rows,
    retained_monotonic,
    retained_rows,
)
from spark_backend.stream.retention.retention import has_monotonic
from spark_backend.stream.retention.row_ids import reads, union


@dataclass(frozen=True, slots=True)
class Branch:
    """One of the plans that a UNION ALL at the top puts together, or the only one.

    ``time`` is the place of the column that its rows leave by.
    """

    plan: Plan
    time: int
    context: Context


def branches(plan: Plan, time: int, context: Context) -> Iterator[Branch]:
    """Those of a plan; each needs its own rows.

    A MONOTONIC above them measures the rows of all together: then they are one.
    """
    match plan:
        case Filter() | Project() if own_monotonic_calls(plan):
            yield Branch(plan, time, context)
        case SetOp(inputs, SetOperator.UNION, True):
            for each, below in zip(inputs, context.inputs(plan), strict=True):
                yield from branches(each, time, below)
        case Filter(SetOp() as input):
            yield from branches(input, time, *context.inputs(plan))
        case Project(SetOp() as input, expressions):
            read = expressions[time]
            if isinstance(read, InputRef):
                yield from branches(input, read.index, *context.inputs(plan))
            else:
                yield Branch(plan, time, context)
        case _:
            yield Branch(plan, time, context)


def reading(plan: Plan, time: int, context: Context, stream: QualifiedName) -> list[Branch]:
    """The branches that read a stream."""
    return [each for each in branches(plan, time, context) if reads(each.plan, stream)]


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

    They are among the rows kept now, from 0; one may be there twice.  ``time`` is the place of the
    column that the plan's rows leave by, and ``descending`` if that does.
    """
    found: list[Plan] = []
    for each in reading(plan, time, context, stream):
        own = _needed(each, stream, bound, limits, descending=descending)
        if own is None:
            return None
        found.append(own)
    return union(*found)


def required_by(branch: Branch, *, descending: bool) -> RetainedRows | JoinState | None:
    """What says which rows a branch needs; None: nothing does, and all are kept.

    ``descending``: so does the column that they leave by.
    """
    words = has_monotonic(branch.plan)
    last = retained_rows(branch.plan, branch.time)
    if last is None:
        return None if descending or words else join_state(branch.plan, branch.time, branch.context)
    if (descending and (last.back or words)) or (words and monotonic_rows(branch.plan) is None):
        return None
    return last


def _needed(
    branch: Branch, stream: QualifiedName, bound: int, limits: Limits, *, descending: bool
) -> Plan | None:
    match required_by(branch, descending=descending):
        case None:
            return None
        case JoinState() as pairs:
            return union(*pairs.retained(stream, bound, limits))
        case RetainedRows() as last:
            own = last.retained(
                stream, bound, limits.progress_of(last.window), descending=descending
            )
            met = [e.retained(stream, bound, limits) for e in joins(branch.plan, branch.context)]
            own = union(own, *chain.from_iterable(met))
            monotonic = monotonic_rows(branch.plan, stream)
            return own if monotonic is None else retained_monotonic(monotonic, own)
