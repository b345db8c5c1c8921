"""Lowering of GROUP BY, and of the set operations that group equal rows."""

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING, Final

from algebra.expression import InputRef
from algebra.monotonicity.progress import columns_read
from algebra.plan import Aggregate, SetOp, row_type
from grammar.tree import SetOperator
from reference.incremental.group_sort import aggregate
from reference.incremental.group_sort.accumulators import Counted, accumulator
from reference.incremental.group_sort.aggregate import GroupingSet
from reference.incremental.group_sort.sets import RequiredInputs, SetOperation
from reference.incremental.network import Leaf, Node
from reference.incremental.rowwise import chosen
from reference.incremental.train import Shape
from reference.relation import identity_by
from reference.relational.aggregates import group_id
from reference.scalar.expression import row_of

if TYPE_CHECKING:
    from reference.incremental.lowering.lower import Lowering, RequestedColumns
    from reference.incremental.node_facts import Input

#: The inputs in which a row must occur, so that it can occur in the output.
_REQUIRED_INPUTS: Final = {
    SetOperator.UNION: RequiredInputs.NONE,
    SetOperator.INTERSECT: RequiredInputs.EVERY,
    SetOperator.EXCEPT: RequiredInputs.FIRST,
}


def aggregate_node(
    plan: Aggregate,
    below: "Input",
    shape: Shape,
    requested: "RequestedColumns",
    lowering: "Lowering",
) -> Node:
    """Make the node of GROUP BY.

    ``plan.sets`` has the places of the keys of each grouping set.  A group is complete when the
    bound of one of its keys has passed the key's value.  An output row has the keys, then the
    measures; only keys have bounds.
    """
    env, width = lowering.env, len(plan.keys)
    advances = [below.progress(each, env) for each in plan.keys]
    # Measures have an environment for each set: GROUPING and GROUP_ID depend on the set.
    sets = [
        GroupingSet(
            frozenset(range(width)).difference(places),
            [(i, found) for i in sorted(set(places)) if (found := advances[i]) is not None],
            [
                accumulator(each, env.of_group(places, group_id(plan.sets, at)))
                for each in plan.measures
            ],
            shape.hidden,
        )
        for at, places in enumerate(plan.sets)
    ]
    limits = [
        below.limit(plan.keys[place], env) if place in requested and place < width else None
        for place in range(shape.width)
    ]
    # A bound is lowered to the pending rows in the direction of its column.
    descending = [found is not None and found.descending for found in advances]
    descending += [False] * (shape.values - width)
    node = lowering.evaluated_input(below, plan, columns_read(plan.keys), plan.keys)
    keys_on = row_of(plan.keys, env)
    same = identity_by(each.type for each in plan.keys)
    operator = aggregate.Aggregate(shape, below.shape, keys_on, same, sets, limits, descending)
    return Node(plan, operator, (node,))


def set_node(plan: SetOp, sides: Sequence["Input"], shape: Shape, lowering: "Lowering") -> Node:
    """Make the node of a set operation other than UNION ALL.

    Its operator groups equal rows of the ``sides`` (the inputs), counts them in each side, and
    computes from these numbers how often the row occurs in the output.  A group is complete when
    the bound of a column has passed the row's value; the column's bounds must advance in the same
    direction in all inputs.
    """
    fields = row_type(plan)
    width = shape.width
    # The columns that can complete groups, each with whether it descends.
    moving = [
        (place, orders[0].descending)
        for place in range(width)
        if (orders := [side.moving[place] for side in sides])[0].progresses
        and len({order.unstrict() for order in orders}) == 1
    ]
    advances = [
        (place, found)
        for place, _ in moving
        if (found := sides[0].progress(InputRef(place, fields[place].type), lowering.env))
        is not None
    ]
    groups = GroupingSet(frozenset(), advances, [Counted] * len(sides), shape.hidden)
    needed = [*moving, (shape.time, False)] if shape.hidden else moving  # a rowtime ascends
    nodes: list[Node | Leaf] = []
    for side in sides:
        places = [*range(width), *([side.shape.time] if shape.hidden else [])]
        node = lowering.input(side, frozenset(places[i] for i, _ in needed))
        nodes.append(Node(plan, chosen(shape, places), (node,)))

    def multiplicity(numbers: Sequence[float]) -> float:
        """The number of output rows for these ``numbers`` of equal rows in the inputs."""
        return reduce(lambda m, n: _combined(m, n, plan.operator, plan.all), numbers)

    same = identity_by(each.type for each in fields)
    operator = SetOperation(
        shape,
        inputs=len(sides),
        same=same,
        groups=groups,
        multiplicity=multiplicity,
        required_inputs=_REQUIRED_INPUTS[plan.operator],
        bounded=needed,
    )
    return Node(plan, operator, tuple(nodes))


def _combined(m: float, n: float, operator: SetOperator, all: bool) -> float:
    """The number of output rows for m equal rows on the left and n on the right.

    ``m`` or ``n`` is infinite if the caller asks for the greatest possible number of output rows.
    """
    match operator:
        case SetOperator.UNION:
            return min(m + n, 1)
        case SetOperator.INTERSECT:
            return min(m, n) if all else min(m, n, 1)
        case SetOperator.EXCEPT:
            return max(m - n, 0) if all else int(m > 0 and n == 0)
