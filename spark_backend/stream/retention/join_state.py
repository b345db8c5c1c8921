"""The state of a join of two streams in lock step by columns that are not rowtimes (S-510, S-511).

For two rowtimes, `spark_backend.stream.retention.retention` finds the time from which rows are
needed.  For other columns a query decides for each row.  A row is retained in four cases:

1. A later row of the other side can match it.
2. A row of the join that contains it is not emitted yet.
3. It matches a row of case 1, which would otherwise seem to be unmatched.
4. It is in a window ROWS n, which counts rows, and arrived after a row of another case (S-509).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from algebra.build import at_least, is_not_null, is_not_true, less, or_
from algebra.catalog import QualifiedName
from algebra.expression import (
    AggregateCall,
    AggregateFunction,
    Expression,
    InputRef,
    Literal,
    ScalarQuery,
)
from algebra.plan import (
    Aggregate,
    Filter,
    Join,
    Plan,
    Project,
    WindowJoin,
    column_names,
    columns,
    inputs_of,
    row_type,
)
from algebra.rewrite import shifted
from spark_backend.stream.bounds.bound_propagation import BoundPropagation
from spark_backend.stream.bounds.join_bounds import JoinSide
from spark_backend.stream.retention.row_places import (
    below_rows,
    places,
    reads,
    stream_of,
    union,
    with_place,
)

#: The number of further columns at the end of each side: the place of its row, and the flag whether
#: a later row can match it.
_MORE: Final = 2


@dataclass(frozen=True, slots=True)
class JoinState:
    """A join of two streams that are only filtered, projected and joined with tables.

    ``time`` is an expression over the join's columns: the rowtime by which rows are emitted.
    """

    join: Join | WindowJoin
    time: Expression

    def retained(
        self, stream: QualifiedName, bound: int, propagation: BoundPropagation
    ) -> Iterator[Plan]:
        """For each side, a plan of the places of the rows of ``stream`` needed at ``bound``."""
        bounds = propagation.join_bounds(self.join).sides
        left, right = (
            _with_place_and_flag(bounds[0], bounds[1]),
            _with_place_and_flag(bounds[1], bounds[0]),
        )
        joined = replace(
            self.join, left=left, right=right, condition=self._wider(self.join.condition)
        )
        own, width = columns(joined), len(row_type(left))
        parts = own[:width], own[width : width + len(row_type(right))]
        left_flag, right_flag = parts[0][-1], parts[1][-1]
        time = self._wider(self.time)
        not_emitted = is_not_true(less(time, Literal(bound, time.type)))
        needed_pairs = Filter(joined, or_(left_flag, right_flag, not_emitted))  # cases 2 and 3
        for side, side_bounds, part in zip((left, right), bounds, parts, strict=True):
            if reads(side_bounds.plan, stream):
                has_row = is_not_null(part[-_MORE])  # NULL: the other side's row is unmatched
                of_pairs = Project(Filter(needed_pairs, has_row), part, column_names(side))
                can_be_matched = Filter(side, columns(side)[-1])  # case 1
                rows: Plan = union(can_be_matched, of_pairs)
                if side_bounds.rows is not None:  # case 4
                    rows = _from_first_time(rows, side, side_bounds.place)
                yield places(rows, -_MORE)

    def _wider(self, expression: Expression) -> Expression:
        """An expression over the join's columns, shifted for the further columns of the sides.

        A window join has its rowtime after the columns of both sides, which is shifted twice.
        """
        width = len(row_type(self.join.left))
        all_ = width + len(row_type(self.join.right))
        return shifted(shifted(expression, _MORE, start=all_), _MORE, start=width)


def join_state(plan: Plan, time: int) -> JoinState | None:
    """The join at the top of ``plan``, whose rowtime is at ``time``; None if there is none."""
    node, read = below_rows(plan, columns(plan)[time])
    if not isinstance(node, Join | WindowJoin):
        return None
    found = [stream_of(each) for each in inputs_of(node)]
    return None if None in found else JoinState(node, read)


def _with_place_and_flag(side: JoinSide, other: JoinSide) -> Project:
    """The rows of a side with two more columns: its place, and whether a later row can match it."""
    width = len(row_type(side.plan))
    placed = with_place(side.plan)
    # `with_condition` may add a column, which the Project leaves out again.
    plan, retained = replace(side, plan=placed).with_condition(other)
    names = (*column_names(placed), "CAN_BE_MATCHED")
    return Project(plan, (*columns(placed)[: width + 1], retained), names)


def _from_first_time(rows: Plan, side: Plan, place: int) -> Filter:
    """The rows of ``side`` from the first time of ``rows`` on.

    The rows of the last time of ``side`` are always among them, because the bounds of the join
    depend on the greatest time so far.
    """
    time = columns(side)[place]

    def extreme(plan: Plan, function: AggregateFunction, place: int) -> Aggregate:
        """The MIN or MAX of the column at ``place`` over all rows of a plan."""
        type = time.type.as_nullable()
        call = AggregateCall(function, (InputRef(place, type),), type)
        return Aggregate(plan, (), ((),), (call,), ("TIME",))

    ends = [
        extreme(rows, AggregateFunction.MIN, place),
        extreme(side, AggregateFunction.MAX, place),
    ]
    first = ScalarQuery(extreme(union(*ends), AggregateFunction.MIN, 0), time.type.as_nullable())
    return Filter(side, at_least(time, first))
