"""The state of SESSION: the rows of the sessions that are not complete (S-902)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from algebra.build import FALSE, is_not_true, less, or_
from algebra.catalog import QualifiedName
from algebra.expression import Expression, Literal
from algebra.monotonicity.progress import Bound
from algebra.plan import Aggregate, Filter, Plan, Project, Session, columns, row_type
from algebra.rewrite import columns_of, shifted, substituted
from algebra.types import Type
from spark_backend.stream.bounds.bound_propagation import BoundPropagation
from spark_backend.stream.retention.pending_frames import has_reached
from spark_backend.stream.retention.row_places import (
    below_rows,
    reads,
    stream_of,
    with_place,
    with_row,
)
from spark_backend.stream.session_groups import are_of_sessions


@dataclass(frozen=True, slots=True)
class SessionState:
    """The sessions of a stream that is only filtered, projected and joined with tables.

    ``time`` is the rowtime by which the rows of the plan given to `session_state` are emitted, as
    an expression over the rows of ``session``: the columns of its input, then the start and the end
    of the session.
    """

    session: Session
    time: Expression

    def retained(
        self, stream: QualifiedName, bound: int, propagation: BoundPropagation
    ) -> Iterator[Plan]:
        """One plan, of the places of the rows of ``stream`` that are still needed, or no plan.

        These are the rows of open sessions, and of complete sessions that are not emitted yet.
        ``bound`` is the bound up to which the plan's rows have been emitted.  There is no plan if
        the sessions do not read ``stream``.
        """
        if reads(self.session.input, stream):
            yield self._needed(with_place(self.session.input), 1, bound, propagation)

    def whole_rows(
        self, types: Sequence[Type], bound: int, propagation: BoundPropagation
    ) -> Plan | None:
        """The rows whose places `retained` finds, with all their retained columns.

        ``types`` are the types of these columns.  None if the rows of the sessions are joined with
        tables, so that a row could occur twice.
        """
        rows = with_row(self.session.input, types)
        return None if rows is None else self._needed(rows, len(types), bound, propagation)

    def _needed(self, rows: Plan, extra: int, bound: int, propagation: BoundPropagation) -> Plan:
        """The extra columns of those rows of the sessions that are still needed.

        ``rows`` are the input of SESSION with ``extra`` columns added after its own.
        """
        time_bound, has_ended = propagation.of_session_time(self.session)
        # A row of `sessions` is: the columns of the input, the extra columns, start, end.
        sessions, width = replace(self.session, input=rows), len(row_type(self.session.input))
        found = columns(sessions)
        end, extra_columns = found[-1], found[width : width + extra]
        limit = None if time_bound is None else Bound(time_bound)
        is_open = FALSE if has_ended else is_not_true(has_reached(end, limit, descending=False))
        # In `time`, the start and the end are where they would be without the extra columns.
        time = shifted(self.time, extra, start=width)
        is_pending = is_not_true(less(time, Literal(bound, time.type)))
        names = tuple(f"R{i}" for i in range(extra))
        return Project(Filter(sessions, or_(is_open, is_pending)), extra_columns, names)


def session_state(plan: Plan, time: int) -> SessionState | None:
    """The sessions at the top of ``plan``, or below their groups; None if there are none.

    ``time`` is the place of the plan's rowtime.
    """
    # `rowtime` is always over the rows of `node`: each step down writes it in terms of the input.
    node, rowtime = below_rows(plan, columns(plan)[time])
    while isinstance(node, Aggregate) and are_of_sessions(node):
        if max(columns_of(rowtime), default=0) >= len(node.keys):
            return None  # it reads a measure, which the rows of the sessions do not have
        rowtime = substituted(rowtime, node.keys)
        node, rowtime = below_rows(node.input, rowtime)
    if not isinstance(node, Session) or stream_of(node.input) is None:
        return None
    return SessionState(node, rowtime)
