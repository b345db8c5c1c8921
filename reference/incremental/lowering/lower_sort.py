"""Lowering of ORDER BY."""

from decimal import Decimal
from typing import TYPE_CHECKING

from algebra.expression import InputRef, Literal, SortKey, Value
from algebra.monotonicity.deduction import monotonicity
from algebra.monotonicity.operators import sorted_already
from algebra.monotonicity.progress import Bound, Bounds, columns_read
from algebra.plan import Sort
from algebra.types import Kind
from reference.incremental.group_sort import sort
from reference.incremental.network import Leaf, Node
from reference.incremental.rowwise import chosen
from reference.incremental.train import Shape
from reference.relation import Relation, Row
from reference.relational.frames import moved
from reference.relational.sorting import sort as sorted_by
from reference.scalar.datetimes import instant_of
from reference.scalar.expression import meaning_of
from reference.values import integer

if TYPE_CHECKING:
    from reference.incremental.lowering.lower import Lowering, RequestedBounds
    from reference.incremental.node_facts import Input


def sort_node(
    plan: Sort, below: "Input", shape: Shape, requested: "RequestedBounds", lowering: "Lowering"
) -> Node | Leaf:
    """ORDER BY; no operator if the rows are in the order already."""
    env, first = lowering.env, plan.keys[0]
    keys = [each.expression for each in plan.keys]
    needed = columns_read(keys[:1]) | frozenset(i for i in requested if i < shape.values)
    node = lowering.evaluated(below, plan, needed, keys)
    if plan.within is not None:
        return _t_sort(plan, plan.within, below, shape, requested, node, lowering)
    if sorted_already(plan, lambda key: monotonicity(key, below.emitted, below.ranges)):
        return node
    progress = below.progress(first.expression, env)
    assert progress is not None, "a streaming ORDER BY starts with a monotonic expression"

    def sorted_run(rows: Relation) -> Relation:
        return sorted_by(rows, plan.keys, None, None, with_ties=False, env=env)

    first_on = meaning_of(first.expression, env)
    operator = sort.Sort(
        shape, first_on, progress, sorted_run, len(keys) == 1, below.bounded_columns(requested)
    )
    return Node(plan, operator, (node,))


def _t_sort(
    plan: Sort,
    slack: Literal,
    below: "Input",
    shape: Shape,
    requested: "RequestedBounds",
    node: Node | Leaf,
    lowering: "Lowering",
) -> Node:
    """ORDER BY … WITHIN, with the first key as an integer in the unit of the slack.

    If the sort key becomes the rowtime, the implicit rowtime of the input is dropped after the
    sort.
    """
    env, first = lowering.env, plan.keys[0]
    key_on, kind = meaning_of(first.expression, env), first.expression.type.kind
    progress = below.progress(first.expression, env)
    sign = -1 if first.descending else 1

    def on_line(value: Value) -> int:
        in_millis = slack.type.kind is Kind.MILLIS
        return instant_of(kind, integer(value)) if in_millis else integer(value)

    def place(row: Row) -> int | None:
        value = key_on(row)
        return None if value is None else on_line(value)

    def implied(row: Row) -> int:
        bound = moved(key_on(row), kind, slack, -sign)
        assert isinstance(bound, int | Decimal), bound
        return int(bound)

    def reported(bounds: Bounds) -> int | None:
        limit = None if progress is None else progress.bound(bounds)
        return None if limit is None else on_line(limit.value)

    def limits(bounds: Bounds, bound: int | None) -> Bounds:
        """The input's bounds; the key's own column has the bound of the t-sort."""
        if not isinstance(first.expression, InputRef) or bound is None:
            return bounds
        if kind is not Kind.TIMESTAMP:
            return bounds
        column = first.expression.index
        columns = tuple(
            Bound(bound) if i == column else limit for i, limit in enumerate(bounds.columns)
        )
        return Bounds(columns, bounds.ended)

    def sorted_run(rows: Relation) -> Relation:
        return sorted_by(rows, plan.keys, None, None, with_ties=False, env=env)

    operator = sort.TSort(
        below.shape,
        place,
        implied,
        reported,
        first.descending,
        sorted_run,
        len(plan.keys) == 1,
        limits,
        bounded_columns_by(below, requested, first),
    )
    sorted_rows = Node(plan, operator, (node,))
    if shape == below.shape:
        return sorted_rows
    return Node(plan, chosen(shape, range(shape.width)), (sorted_rows,))


def bounded_columns_by(
    below: "Input", requested: "RequestedBounds", first: SortKey
) -> list[tuple[int, bool]]:
    """The requested columns that have bounds; the key's column has a bound in its direction."""
    key = first.expression.index if isinstance(first.expression, InputRef) else None
    found = dict(below.bounded_columns(requested))
    if key is not None and key in requested:
        found[key] = first.descending
    return sorted(found.items())
