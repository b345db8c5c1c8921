"""The changelog of groups: a row of accumulators for each group replaces the rows of a stream.

The rows of a stream are never deleted, so the answer of a grouped query over them follows from
accumulators (`spark_backend.stream.compaction.accumulators`).  Each micro-batch adds the
accumulators of its own rows to those of earlier rows, and does not read earlier rows again.
"""

from dataclasses import dataclass

from algebra.catalog import Stream, Table
from algebra.expression import AggregateCall, Expression, WindowCall
from algebra.parts.frames import WHOLE
from algebra.parts.node_expressions import expressions_of
from algebra.plan import (
    Aggregate,
    Changes,
    Filter,
    Hop,
    Plan,
    Project,
    Reads,
    Scan,
    WindowGroup,
    column_names,
    columns,
    nodes,
)
from algebra.rewrite import has_subquery, substituted
from spark_backend.order.times import HiddenName
from spark_backend.stream.compaction.accumulators import Accumulator, accumulator
from spark_backend.stream.compaction.partial_aggregates import PartialAggregates

#: The name, in a plan, of the table of accumulators.
_TABLE = HiddenName("$GROUPS")


@dataclass(frozen=True, slots=True)
class GroupedChangelog:
    """A query whose answer follows from accumulators of the groups of a stream.

    ``table`` has a row of accumulators for each group.  ``step`` is the plan of a micro-batch: it
    adds the new rows of ``stream`` to the present rows of ``table``.  Its output has a row for each
    group, with the columns of ``table`` after that, and then the columns of the answer.
    """

    stream: Stream
    table: Table
    step: Changes


def grouped_changelog(query: Changes) -> GroupedChangelog | None:
    """The accumulators for ``query``, if it is an Aggregate over one stream, and Projects above it.

    None for all other queries, for calls without an accumulator such as COUNT(DISTINCT …), for
    sub-queries, and for an Aggregate without keys or with several grouping sets.
    """
    projects, groups = _split_at_groups(query.input)
    if groups is None or any(has_subquery(e) for n in nodes(query) for e in expressions_of(n)):
        return None
    stream = _stream_below(groups.input)
    calls = [_accumulator(each) for each in groups.measures]
    known = [each for each in calls if each is not None]
    whole = (tuple(range(len(groups.keys))),)
    if stream is None or not groups.keys or groups.sets != whole or len(known) < len(calls):
        return None
    partials = PartialAggregates(_TABLE, WindowGroup(groups.keys, (), WHOLE, ()), tuple(known))
    added = partials.after(groups.input, lambda _: None)
    stored = columns(added)
    answer: list[Expression] = list(stored[: len(groups.keys)])
    place = len(answer)
    for each in known:
        answer.append(each.value(stored[place : place + len(each.calls)]))
        place += len(each.calls)
    for project in reversed(projects):
        answer = [substituted(each, answer) for each in project.expressions]
    names = (*column_names(added), *column_names(query))
    step = Changes(Project(added, (*stored, *answer), names))
    return GroupedChangelog(stream, partials.table, step)


def _split_at_groups(plan: Plan) -> tuple[list[Project], Aggregate | None]:
    """The Projects above an Aggregate, from top to bottom, and the Aggregate.

    None: the node below the Projects is not an Aggregate.
    """
    projects: list[Project] = []
    while isinstance(plan, Project):
        projects.append(plan)
        plan = plan.input
    return projects, plan if isinstance(plan, Aggregate) else None


def _stream_below(plan: Plan) -> Stream | None:
    """The stream whose rows the plan maps one by one; None if it does anything else."""
    while isinstance(plan, Filter | Project | Hop):
        plan = plan.input
    match plan:
        case Scan(Stream() as stream, Reads.STREAM):
            return stream
        case _:
            return None


def _accumulator(call: AggregateCall) -> Accumulator | None:
    """The accumulator of an aggregate, as a window call over its group; None if it has none."""
    if call.order:
        return None
    return accumulator(
        WindowCall(call.function, call.arguments, call.type, call.distinct, call.filter)
    )
