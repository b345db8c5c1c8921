"""The state of an ASOF join of two streams (S-904).

A left row is retained until it is emitted.  A right row is retained while it can be the nearest row
of a left row that is not emitted yet or that arrives later.  A join of two streams only looks
backward (S-904.l): the nearest row is the last right row before the left row.  So a right row can
be evicted as soon as the next right row of its key is nearer to all these left rows.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from algebra.build import FALSE, and_, is_not_null, is_not_true, less
from algebra.catalog import QualifiedName
from algebra.expression import (
    Expression,
    InputRef,
    Literal,
    SortKey,
    WindowCall,
    WindowFunction,
)
from algebra.monotonicity.progress import Bound
from algebra.parts.asof import asof_of
from algebra.parts.frames import WHOLE
from algebra.plan import (
    AsofJoin,
    Filter,
    Plan,
    Window,
    WindowGroup,
    columns,
    inputs_of,
    is_streaming,
    row_type,
)
from algebra.types import BIGINT
from spark_backend.stream.bounds.bound_propagation import BoundPropagation
from spark_backend.stream.retention.pending_frames import has_passed, has_reached
from spark_backend.stream.retention.row_places import (
    below_rows,
    places,
    reads,
    stream_of,
    with_place,
)


@dataclass(frozen=True, slots=True)
class AsofState:
    """An ASOF join of two streams that are only filtered, projected and joined with tables.

    ``time`` is an expression over the left columns: the rowtime by which rows are emitted.
    """

    join: AsofJoin
    time: Expression

    def retained(
        self, stream: QualifiedName, bound: int, propagation: BoundPropagation
    ) -> Iterator[Plan]:
        """For each side, a plan of the places of the rows of ``stream`` needed at ``bound``."""
        left, right = inputs_of(self.join)
        not_emitted = is_not_true(less(self.time, Literal(bound, self.time.type)))
        if reads(left, stream):
            yield places(Filter(with_place(left), not_emitted), len(row_type(left)))
        if reads(right, stream):
            bounds = propagation.asof_bounds(self.join)
            first_time, has_no_left_rows = bounds.first_left_time(Filter(left, not_emitted))
            # If no left row waits and none can arrive, no right row is needed.
            needed = FALSE if has_no_left_rows else self._is_needed(first_time)
            yield places(Filter(self._with_next(right), needed), len(row_type(right)))

    def _with_next(self, right: Plan) -> Window:
        """The right rows with two more columns: their place, and the time of the next row.

        The next row is that of the same key in the order of time; without one, the time is NULL.
        """
        asof, rows = asof_of(self.join), with_place(right)
        order = (SortKey(asof.right_time, descending=False, nulls_first=True),)
        type = asof.right_time.type.as_nullable()
        lead = WindowCall(WindowFunction.LEAD, (asof.right_time, Literal(1, BIGINT)), type)
        return Window(rows, (WindowGroup(asof.right_keys, order, WHOLE, (lead,)),), ("NEXT",))

    def _is_needed(self, first_time: Bound | None) -> Expression:
        """The condition, over the rows of `_with_next`, that a right row can still be the nearest.

        ``first_time`` is the least time of the left rows that are not emitted or that arrive later;
        None: it is not known.  If the next row is before this time, then the next row is nearer to
        all of them.  A next row at exactly this time is nearer only if the join is not strict.  A
        right row whose time is NULL is never joined.
        """
        asof, width = asof_of(self.join), len(row_type(self.join.right))
        next_time = InputRef(width + 1, asof.right_time.type.as_nullable())
        is_before = has_passed if asof.strict else has_reached
        next_is_nearer = is_before(next_time, first_time, descending=False)
        # NULL without a next row, and then the row is needed.
        return and_(is_not_null(asof.right_time), is_not_true(next_is_nearer))


def asof_state(plan: Plan, time: int) -> AsofState | None:
    """The ASOF join at the top of ``plan``, whose rowtime is at ``time``; None if there is none.

    Filters and projections can be above it, and each of its inputs must be rows of one stream.
    """
    node, rowtime = below_rows(plan, columns(plan)[time])
    if not isinstance(node, AsofJoin) or not all(map(is_streaming, inputs_of(node))):
        return None
    streams = [stream_of(each) for each in inputs_of(node)]
    return None if None in streams else AsofState(node, rowtime)
