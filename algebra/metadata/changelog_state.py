"""The state of a changelog query: the rows and groups that each node retains (S-1010).

A valid row is a row that has been inserted and not deleted.
"""

from typing import Final

from algebra.expression import AggregateCall, AggregateFunction
from algebra.metadata.schedule.schedule import Retained, StateKind
from algebra.parts.node_expressions import expressions_of
from algebra.plan import (
    Aggregate,
    AsofJoin,
    Changes,
    Delta,
    Filter,
    Hop,
    Plan,
    Project,
    Reads,
    Scan,
    SetOp,
    Sort,
    Values,
    WindowJoin,
    inputs_of,
)
from algebra.rewrite import has_subquery
from grammar.tree import SetOperator

#: The aggregates from which a deleted row can be subtracted, so that no rows are retained.
_SUMS: Final = frozenset({AggregateFunction.COUNT, AggregateFunction.SUM, AggregateFunction.AVG})


def is_evaluated_whole(plan: Plan) -> bool:
    """Whether a changelog evaluates ``plan`` as a whole at each event, from all valid rows.

    This depends only on the topmost node.  The nodes below it then retain nothing.  Any other node
    computes the changes of its rows from the changes of its inputs.

    Defines: S-1010.c
    """
    match plan:
        case WindowJoin() | AsofJoin():
            return True
        case _:
            return any(map(has_subquery, expressions_of(plan)))


def changelog_state(plan: Plan) -> tuple[Retained, ...]:
    """The state that the topmost node of ``plan`` retains in a changelog; empty if it has none.

    Defines: S-1010.b
    """
    if is_evaluated_whole(plan):
        return _valid_rows(plan)
    match plan:
        case Scan(_, reads):
            return () if reads is Reads.STREAM else (Retained(StateKind.VALID_ROWS, None),)
        case Values() | Filter() | Project() | Hop() | Delta() | Changes():
            return ()
        case SetOp(_, SetOperator.UNION, True) | Sort(_, _, None, None):
            return ()
        # One grouping set with all keys, and only sums and counts.
        case Aggregate(_, keys, sets, measures) if sets == (tuple(range(len(keys))),) and all(
            map(_is_sum, measures)
        ):
            return (Retained(StateKind.VALID_GROUPS, None, keys),)
        case _:
            return _valid_rows(plan)


def _is_sum(call: AggregateCall) -> bool:
    """Whether ``call`` needs no rows, because a deleted row can be subtracted from its result."""
    return call.function in _SUMS and not call.distinct


def _valid_rows(plan: Plan) -> tuple[Retained, ...]:
    """The valid rows of each input, or for a node without inputs its own valid rows."""
    ports = range(max(len(inputs_of(plan)), 1))
    return tuple(Retained(StateKind.VALID_ROWS, None, port=port) for port in ports)
