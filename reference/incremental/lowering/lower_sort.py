"""Lowering of ORDER BY: from the plan node to the operator with its input."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from algebra.expression import InputRef, Literal
from algebra.monotonicity.deduction import monotonicity
from algebra.monotonicity.operators import sorted_already
from algebra.monotonicity.progress import columns_read
from algebra.plan import Sort
from reference.incremental.group_sort import sort
from reference.incremental.network import Leaf, Node
from reference.incremental.rowwise import chosen
from reference.incremental.train import Shape
from reference.relation import Relation
from reference.relational.sorting import sort as sorted_by
from reference.scalar.expression import meaning_of
from reference.values import integer

if TYPE_CHECKING:
    from reference.incremental.lowering.lower import Lowering, RequestedColumns
    from reference.incremental.node_facts import Input


def sort_node(
    plan: Sort, below: "Input", shape: Shape, requested: "RequestedColumns", lowering: "Lowering"
) -> Node | Leaf:
    """Make the node of ORDER BY; the input itself if its rows are in this order already."""
    env, first = lowering.env, plan.keys[0]
    keys = [each.expression for each in plan.keys]
    node = lowering.evaluated_input(below, plan, requested | columns_read(keys[:1]), keys)
    if plan.within is not None:
        return _t_sort(plan, plan.within, below, shape, requested, node, lowering)
    if sorted_already(plan, lambda key: monotonicity(key, below.emitted, below.ranges)):
        return node
    progress = below.progress(first.expression, env)
    assert progress is not None, "a streaming ORDER BY starts with a monotonic expression"
    operator = sort.Sort(
        shape,
        first=meaning_of(first.expression, env),
        progress=progress,
        sorted_run=_sorted_run(plan, lowering),
        only_key=len(keys) == 1,
        requested=below.bounded_columns(requested),
    )
    return Node(plan, operator, (node,))


def _t_sort(
    plan: Sort,
    slack: Literal,
    below: "Input",
    shape: Shape,
    requested: "RequestedColumns",
    node: Node | Leaf,
    lowering: "Lowering",
) -> Node:
    """Make the node of ORDER BY … WITHIN (a t-sort): ``slack`` is how far rows are out of order.

    Its first key is a TIMESTAMP column, which ascends in the output.  If the column becomes the
    rowtime, an implicit rowtime of the input is dropped after the sort. ``node`` is the network of
    the input.
    """
    key = plan.keys[0].expression
    assert isinstance(key, InputRef), "WITHIN declares the slack of a column"
    operator = sort.TSort(
        below.shape,
        column=key.index,
        rises=below.moving[key.index].ascending,
        slack=integer(slack.value),
        sorted_run=_sorted_run(plan, lowering),
        only_key=len(plan.keys) == 1,
        # The sort gives its key an ascending bound, which the column need not have in the input.
        requested=tuple({**dict(below.bounded_columns(requested)), key.index: False}.items()),
    )
    sorted_rows = Node(plan, operator, (node,))
    return Node(plan, chosen(shape, range(shape.values)), (sorted_rows,))


def _sorted_run(plan: Sort, lowering: "Lowering") -> Callable[[Relation], Relation]:
    """The function that sorts rows by all keys of ``plan``."""
    return lambda rows: sorted_by(rows, plan.keys, None, None, with_ties=False, env=lowering.env)
