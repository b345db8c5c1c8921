"""Lowering of ASOF joins (S-904): from the plan node to the operator with its inputs."""

from typing import TYPE_CHECKING

from algebra.expression import InputRef
from algebra.monotonicity.progress import columns_read
from algebra.parts.asof import asof_of
from algebra.plan import AsofJoin, is_streaming, row_type
from reference.incremental.join.asof_join import AsofJoin as AsofJoinOperator
from reference.incremental.join.nearest_rows import NearestRows
from reference.incremental.join.table_asof_join import NearestTableRows, TableAsofJoin
from reference.incremental.network import Node
from reference.incremental.node_facts import input_of
from reference.incremental.train import Shape
from reference.relation import Row
from reference.scalar.expression import meaning_of, row_of

if TYPE_CHECKING:
    from reference.incremental.lowering.lower import Lowering, RequestedColumns


def asof_node(
    plan: AsofJoin, shape: Shape, requested: "RequestedColumns", lowering: "Lowering"
) -> Node:
    """Make the node of an ASOF join of two streams, or of a stream and a table.

    ``shape`` is the shape of the output rows, ``requested`` has the output columns whose bounds are
    requested.  An output row has the left columns, the right columns, and the implicit rowtime of
    the left row if the left rows have one.
    """
    env, asof, left = lowering.env, asof_of(plan), input_of(plan.left)
    own = left.shape.width  # the number of left columns
    nulls = (None,) * len(row_type(plan.right))

    def joined(row: Row, partner: Row | None) -> Row:
        """The output row of a left row and its partner, if it has one."""
        found = nulls if partner is None else partner[: len(nulls)]
        return row[:own] + found + row[own:]

    def empty() -> NearestRows:
        """The storage of right rows, without rows."""
        key_on, time_on = row_of(asof.right_keys, env), meaning_of(asof.right_time, env)
        return NearestRows(key_on, time_on, asof.strict)

    # For each output value its place in the left row; None for a value of the right row.
    places: list[int | None] = [*range(own), *(None for _ in nulls)]
    places += [own] if shape.hidden else []  # the left rowtime, after the columns
    needed = frozenset(each for i in requested if (each := places[i]) is not None)
    key_on, time_on = row_of(asof.left_keys, env), meaning_of(asof.left_time, env)
    preserved = plan.kind.preserves_left
    if not is_streaming(plan.right):
        # Left rows are joined when they arrive, so that no bound of a time is needed.
        table = NearestTableRows(
            lambda: env.query(plan.right, env.outer), env.version, empty, asof.backward
        )
        join = TableAsofJoin(shape, table, key_on, time_on, joined, preserved, places)
        return Node(plan, join, (lowering.input(left, needed),))
    right = input_of(plan.right)
    progress = left.progress(asof.left_time, env), right.progress(asof.right_time, env)
    assert progress[0] is not None, "a streaming ASOF join matches times that ascend"
    assert progress[1] is not None, "a streaming ASOF join matches times that ascend"
    # An unpreserved left row before the first right row is dropped.  So the time of the first right
    # row is a bound of the left time, which the output shows if the left time is the rowtime.
    is_rowtime = isinstance(asof.left_time, InputRef) and asof.left_time.index == left.shape.time
    operator = AsofJoinOperator(
        shape,
        inputs=(left.shape, right.shape),
        key_on=key_on,
        time_on=time_on,
        progress=(progress[0], progress[1]),
        right=empty(),
        strict=asof.strict,
        rowtime=left.shape.time if is_rowtime else None,
        joined=joined,
        preserved=preserved,
        places=places,
        requested=left.bounded_columns(needed | {left.shape.time}),
    )
    # A stream has ended for the join if its time fails on all later rows: see `evaluated_input`.
    nodes = (
        lowering.evaluated_input(
            left, plan, needed | columns_read([asof.left_time]), [asof.left_time]
        ),
        lowering.evaluated_input(right, plan, columns_read([asof.right_time]), [asof.right_time]),
    )
    return Node(plan, operator, nodes)
