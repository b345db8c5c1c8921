"""The state of SESSION: the rows of the sessions that are not complete (S-902)."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from algebra.build import FALSE, is_not_true
from algebra.catalog import QualifiedName
from algebra.monotonicity.progress import Bound
from algebra.plan import Filter, Plan, Project, Session, columns, row_type
from spark_backend.stream.bounds.bound_propagation import BoundPropagation
from spark_backend.stream.retention.pending_frames import has_reached
from spark_backend.stream.retention.row_ids import reads, stream_of, with_place


@dataclass(frozen=True, slots=True)
class SessionState:
    """The sessions of a stream that is only filtered, projected and joined with tables."""

    session: Session

    def retained(
        self, stream: QualifiedName, _bound: int, propagation: BoundPropagation
    ) -> Iterator[Plan]:
        """The places, among the retained rows of a stream, of the rows of open sessions."""
        input = self.session.input
        if not reads(input, stream):
            return
        bound, ended = propagation.of_session_time(self.session)
        placed = replace(self.session, input=with_place(input))
        end, place = columns(placed)[-1], columns(placed)[len(row_type(input))]
        limit = None if bound is None else Bound(bound)
        open_ = FALSE if ended else is_not_true(has_reached(end, limit, descending=False))
        yield Project(Filter(placed, open_), (place,), ("PLACE",))


def session_state(plan: Plan) -> SessionState | None:
    """The sessions at the top of ``plan``; None if there are none."""
    while isinstance(plan, Filter | Project):
        plan = plan.input
    if not isinstance(plan, Session) or stream_of(plan.input) is None:
        return None
    return SessionState(plan)
