"""The state of SESSION: the rows of the sessions that are not complete (S-902)."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from algebra.build import FALSE, is_not_true, less, or_
from algebra.catalog import QualifiedName
from algebra.expression import Expression, Literal
from algebra.monotonicity.progress import Bound
from algebra.plan import Aggregate, Filter, Plan, Project, Session, columns, row_type
from algebra.rewrite import columns_of, shifted, substituted
from spark_backend.stream.bounds.bound_propagation import BoundPropagation
from spark_backend.stream.retention.pending_frames import has_reached
from spark_backend.stream.retention.row_ids import reads, stream_of, with_place
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
        end, place = columns(placed)[-1], columns(placed)[width]
        limit = None if known is None else Bound(known)
        open_ = FALSE if ended else is_not_true(has_reached(end, limit, descending=False))
        time = shifted(self.time, 1, start=width)
        pending = is_not_true(less(time, Literal(bound, time.type)))
        yield Project(Filter(placed, or_(open_, pending)), (place,), ("PLACE",))


def session_state(plan: Plan, time: int) -> SessionState | None:
    """The sessions at the top of ``plan``, or below their groups; None if there are none.

    ``time`` is the place of the plan's rowtime.
    """
    found: Expression = columns(plan)[time]
    while not isinstance(plan, Session):
        match plan:
            case Filter(input):
                plan = input
            case Project(input, expressions):
                plan, found = input, substituted(found, expressions)
            case Aggregate(input, keys) if are_of_sessions(plan):
                if max(columns_of(found), default=0) >= len(keys):
                    return None
                plan, found = input, substituted(found, keys)
            case _:
                return None
    return None if stream_of(plan.input) is None else SessionState(plan, found)
