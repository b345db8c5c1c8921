"""Lowering of OVER: from the plan node to the operator with its input.

The calls of a query that have the same window are a *group of calls*; the operator has an object
for each group.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from algebra.expression import InputRef, SortKey
from algebra.monotonicity.progress import columns_read
from algebra.parts.node_expressions import ordered_by
from algebra.plan import Frame, FrameBound, GroupOffset, Window, WindowGroup, row_type
from reference.incremental.network import Node
from reference.incremental.over.frame_calls import column_of
from reference.incremental.over.frame_edges import edge_of
from reference.incremental.over.frame_group import Completion, Frames, Partitions, WindowSort
from reference.incremental.over.over import BoundColumn, Over
from reference.incremental.over.window_order import axis_of
from reference.incremental.train import Shape
from reference.relation import identity_by
from reference.scalar.expression import row_of

if TYPE_CHECKING:
    from reference.incremental.lowering.lower import Lowering, RequestedColumns
    from reference.incremental.node_facts import Input


def window_node(
    plan: Window, below: "Input", shape: Shape, requested: "RequestedColumns", lowering: "Lowering"
) -> Node:
    """Make the node of OVER.

    ``requested`` has the output columns whose bounds are requested.  Only columns of the input,
    which come first, have bounds.
    """
    width = below.shape.width
    required = frozenset(each for each in requested if each < width) - {below.shape.time}
    used = ordered_by(plan)
    read = [each for group in plan.groups for each in group.partition]
    read += [key.expression for group in plan.groups for key in group.order[:1]]
    node = lowering.evaluated_input(below, plan, columns_read(read) | required, used)
    groups = [_partitions(slot, each, below, lowering) for slot, each in enumerate(plan.groups)]
    fields = row_type(below.plan)
    columns: list[BoundColumn] = []
    for place, descending in below.bounded_columns(required):
        # The column is NULL in all rows or in none (S-403.d), so the place of NULLs is irrelevant.
        key = SortKey(InputRef(place, fields[place].type), descending, nulls_first=descending)
        columns.append(BoundColumn(place, axis_of(key), descending))
    return Node(plan, Over(shape, below.shape, groups, columns), (node,))


def _partitions(slot: int, group: WindowGroup, below: "Input", lowering: "Lowering") -> Partitions:
    """Make the partitions of one group of calls; ``slot`` is its number among the groups."""
    env, order = lowering.env, group.order
    frames = Frames(
        edge_of(group.frame.start, order), edge_of(group.frame.end, order), group.frame.exclude
    )
    return Partitions(
        slot,
        key_on=row_of(group.partition, env),
        same=identity_by(each.type for each in group.partition),
        order=_order(order, below, lowering),
        frames=frames,
        completions=_completions(group, below, lowering),
        calls=[column_of(each, frames.grows, env) for each in group.calls],
        locations=[each.location for each in group.calls],
        reach_back=_reach_back(group.frame),
    )


def _order(order: tuple[SortKey, ...], below: "Input", lowering: "Lowering") -> WindowSort:
    """The ORDER BY of a window as its partitions need it; ``order`` can be empty.

    If its first key advances against the direction of the sort, a later row can always sort before
    all others.  Then the key counts as a key without progress.
    """
    first = below.progress(order[0].expression, lowering.env) if order else None
    if first is not None and first.descending != order[0].descending:
        first = None
    values_on = row_of([each.expression for each in order], lowering.env)
    return WindowSort(values_on, [axis_of(each) for each in order], first)


def _completions(group: WindowGroup, below: "Input", lowering: "Lowering") -> Sequence[Completion]:
    """The keys of PARTITION BY that make progress, which complete partitions when they pass."""
    found: list[Completion] = []
    for place, each in enumerate(group.partition):
        progress = below.progress(each, lowering.env)
        if progress is not None:
            key = SortKey(each, progress.descending, nulls_first=False)
            found.append(Completion(place, axis_of(key), progress))
    return found


def _reach_back(frame: Frame) -> int:
    """The number of groups of peers before a row's own group that its frame may need.

    Peers are rows with equal sort keys.  The number is 0 unless the frame is in GROUPS.
    """

    def back(bound: FrameBound) -> int:
        return max(0, -bound.groups) if isinstance(bound, GroupOffset) else 0

    return max(back(frame.start), back(frame.end))
