"""The check that rejects windows that never complete or retain ever more rows (S-408, S-505)."""

from collections.abc import Mapping
from functools import partial
from typing import Final

from algebra.binding.scope.environment import Environment
from algebra.binding.scope.streaming import progress
from algebra.expression import AggregateFunction, WindowCall
from algebra.metadata.schedule.of_window import offset_depends_on_row
from algebra.plan import Frame, Plan, Unbounded, WindowGroup
from algebra.refusal import suggest_group
from algebra.refusal.suggestion import Namespace
from algebra.refusal.validate import applies
from grammar import tree
from grammar.codes import Code

#: Aggregates that must retain all values of the frame, because no accumulator of fixed size is
#: enough.
_KEEPING: Final = frozenset({AggregateFunction.MEDIAN, AggregateFunction.LISTAGG})


def check_window(
    source: Plan,
    node: tree.FunctionCall,
    spec: tree.WindowSpec,
    group: WindowGroup,
    named: Mapping[str, tree.WindowSpec],
    namespace: Namespace,
    environment: Environment,
) -> None:
    """S-505, S-408: a frame completes because of its order or its partition; its state is bounded.

    ``source`` has the rows over which the call ``node`` is computed.  ``spec`` is the window of the
    call, with the clauses of the window that it refines.  ``group`` is the same window in the plan,
    with this call alone.  ``named`` are the named windows of the SELECT, and ``namespace`` has the
    names for suggestions.

    Defines: S-505.k, S-802.j
    """
    if not applies(source, environment):
        return
    order = [each.expression for each in group.order[:1]]
    # All keys at once, because `progress` depends on all columns that are read.
    orders = progress(source, (*order, *group.partition), environment.profile)
    of_order, of_partition = orders[: len(order)], orders[len(order) :]
    if any(each is not None for each in of_partition):
        return  # each partition completes, and its state is dropped then
    first = of_order[0] if of_order else None
    ordered = first is not None and first.descending == group.order[0].descending
    reason = _why_unbounded(group.frame, group.calls[0], ordered)
    if reason is not None:
        assert node.over is not None
        environment.fault(
            Code.UNBOUNDED_FRAME,
            reason,
            node.over.span,
            "PARTITION BY a monotonic expression",
            partial(
                suggest_group.suggest_bounded_window,
                node.over,
                spec,
                named,
                namespace,
                environment.sql,
            ),
        )


def _why_unbounded(frame: Frame, call: WindowCall, ordered: bool) -> str | None:
    """The reason why a window whose partition never completes is unbounded; None: it is bounded.

    ``ordered``: its first sort key is monotonic in its direction.
    """
    if not ordered:
        return "Streaming window never completes: it is not ordered by a monotonic expression"
    if isinstance(frame.end, Unbounded):
        return "Streaming window never completes: it waits for the last row of its partition"
    keeps = call.function in _KEEPING or offset_depends_on_row(call)
    if keeps and isinstance(frame.start, Unbounded):
        return f"Streaming window keeps ever more rows: {call.function} needs all since the first"
    return None
