"""The state of SESSION: the rows of the sessions that are not complete (S-902)."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from algebra.build import FALSE, is_not_true, less, or_
from algebra.catalog import QualifiedName
from algebra.expression import Expression, Literal
from algebra.monotonicity.progress import Bound
from algebra.plan import Aggregate, Filter, Plan, Session, columns, row_type
from algebra.rewrite import columns_of, shifted, substituted
from spark_backend.stream.bounds.bound_propagation import BoundPropagation
from spark_backend.stream.retention.pending_frames import has_reached
from spark_backend.stream.retention.row_ids import below_rows, places, reads, stream_of, with_place
from spark_backend.stream.session_groups import are_of_sessions


@dataclass(frozen=True, slots=True)
class SessionState:
    """The sessions of a stream that is only filtered, projected and joined with tables.

    ``time`` is the rowtime of the plan's rows, as an expression over the rows of the sessions.
    """

    session: Session
    time: Expression

    def retained(
        self, stream: QualifiedName, bound: int, propagation: BoundPropagation
    ) -> Iterator[Plan]:
        """The places, among the retained rows of a stream, of those still needed at ``bound``.

        They are the rows of open sessions, and of complete ones that are not emitted yet.
        """
        input = self.session.input
        if not reads(input, stream):
            return
        known, ended = propagation.of_session_time(self.session)
        placed = replace(self.session, input=with_place(input))
        width = len(row_type(input))
        end = columns(placed)[-1]
        limit = None if known is None else Bound(known)
        open_ = FALSE if ended else is_not_true(has_reached(end, limit, descending=False))
        time = shifted(self.time, 1, start=width)
        pending = is_not_true(less(time, Literal(bound, time.type)))
        yield places(Filter(placed, or_(open_, pending)), width)


def session_state(plan: Plan, time: int) -> SessionState | None:
    """The sessions at the top of ``plan``, or below their groups; None if there are none.

    ``time`` is the place of the plan's rowtime.
    """
    node, read = below_rows(plan, columns(plan)[time])
    while isinstance(node, Aggregate) and are_of_sessions(node):
        if max(columns_of(read), default=0) >= len(node.keys):
            return None
        read = substituted(read, node.keys)
        node, read = below_rows(node.input, read)
    if not isinstance(node, Session) or stream_of(node.input) is None:
        return None
    return SessionState(node, read)
