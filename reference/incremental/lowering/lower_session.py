"""Lowering of SESSION (S-902): from the plan node to the operator with its input."""

from typing import TYPE_CHECKING

from algebra.expression import Value
from algebra.monotonicity.progress import columns_read
from algebra.plan import Session, gap_of
from algebra.types import Kind
from grammar.source import SqlError, located
from reference.incremental.group_sort.aggregate import Identity
from reference.incremental.group_sort.session import Session as SessionOperator
from reference.incremental.network import Node
from reference.incremental.train import Shape
from reference.relation import Row, identity_of
from reference.scalar.datetimes import of_instant
from reference.scalar.expression import meaning_of, row_of

if TYPE_CHECKING:
    from reference.incremental.lowering.lower import Lowering
    from reference.incremental.node_facts import Input


def session_node(plan: Session, below: "Input", shape: Shape, lowering: "Lowering") -> Node:
    """Make the node of SESSION, which emits the rows of a session when the session is complete."""
    env = lowering.env
    keys_on, progress = row_of(plan.keys, env), below.progress(plan.time, env)
    assert progress is not None, "the time of the sessions of a stream is ascending"

    def key_on(row: Row) -> Identity:
        """The identity of the keys of ``row``, which is equal for rows with equal keys."""
        return identity_of(keys_on(row))

    def edge(end: int) -> Value:
        """The TIMESTAMP at ``end``, an edge of a session in milliseconds.

        Raises OVERFLOW, located at SESSION, if it is outside of the calendar.
        """
        try:
            return of_instant(Kind.TIMESTAMP, end)
        except SqlError as error:
            raise located(error, plan.location) from None

    operator = SessionOperator(
        shape,
        width=below.shape.width,
        key_on=key_on,
        time_on=meaning_of(plan.time, env),
        progress=progress,
        gap=gap_of(plan),
        keyed=bool(plan.keys),
        edge=edge,
    )
    # Sessions are completed by the bound of the time, so the input must report that bound.
    requested, evaluated = columns_read([plan.time]), [*plan.keys, plan.time]
    return Node(plan, operator, (lowering.evaluated_input(below, plan, requested, evaluated),))
