"""Which rows are still needed of which no rowtime tells: a query says it, row by row."""

from collections.abc import Iterator
from dataclasses import dataclass

from algebra.catalog import QualifiedName
from algebra.expression import InputRef
from algebra.lockstep import Above
from algebra.mentions import own_monotonic_calls, scans
from algebra.plan import Filter, Plan, Project, SetOp
from grammar.tree import SetOperator
from spark_backend.stream.last_rows import kept_on_time, last_rows, on_time_rows
from spark_backend.stream.limits import Limits
from spark_backend.stream.open_pairs import open_pairs
from spark_backend.stream.retention import has_monotonic


@dataclass(frozen=True, slots=True)
class Branch:
    """One of the plans that a UNION ALL at the top puts together, or the only one.

    ``time`` is the place of the column that its rows leave by, ``above`` what stands above it.
    """

    plan: Plan
    time: int
    above: Above


def branches(plan: Plan, time: int, above: Above) -> Iterator[Branch]:
    """Those of a plan; each needs its own rows.

    A MONOTONIC above them measures the rows of all together: then they are one.
    """
    match plan:
        case Filter() | Project() if own_monotonic_calls(plan):
            yield Branch(plan, time, above)
        case SetOp(inputs, SetOperator.UNION, True):
            for each, stands in zip(inputs, above.inputs(plan), strict=True):
                yield from branches(each, time, stands)
        case Filter(SetOp() as input):
            yield from branches(input, time, *above.inputs(plan))
        case Project(SetOp() as input, expressions):
            read = expressions[time]
            if isinstance(read, InputRef):
                yield from branches(input, read.index, *above.inputs(plan))
            else:
                yield Branch(plan, time, above)
        case _:
            yield Branch(plan, time, above)


def reading(plan: Plan, time: int, above: Above, stream: QualifiedName) -> list[Branch]:
    """The branches that read a stream."""
    found = branches(plan, time, above)
    return [e for e in found if any(scan.source.name == stream for scan in scans(e.plan))]


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
    found: list[Plan] = []
    for each in reading(plan, time, above, stream):
        own = _needed(each, stream, bound, limits, falls=falls)
        if own is None:
            return None
        found.append(own)
    return found[0] if len(found) == 1 else SetOp(tuple(found), SetOperator.UNION, all=True)


def _needed(
    branch: Branch, stream: QualifiedName, bound: int, limits: Limits, *, falls: bool
) -> Plan | None:
    plan, time, above = branch.plan, branch.time, branch.above
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
