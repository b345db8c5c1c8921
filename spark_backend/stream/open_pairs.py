"""What a join of two streams keeps, whatever its age: rows that are held, and rows of open pairs.

Of two rowtimes `spark_backend.stream.retention` knows how far back a pair reaches; of other columns
in lock step it is asked row by row (S-510, S-511).  A row is kept

- that a row of the other side to come can meet;
- of which a row that the join gives is still to come out;
- that is the partner of one of the first kind: without it that would seem to have none;
- that has come behind one of these, where a window of ROWS counts rows: which of them it holds is
  told by the later ones (S-509).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from algebra.catalog import QualifiedName, Stream
from algebra.expression import (
    AggregateCall,
    AggregateFunction,
    Call,
    Expression,
    InputRef,
    Literal,
    Op,
    ScalarQuery,
)
from algebra.lockstep import Above
from algebra.plan import (
    Aggregate,
    Filter,
    Join,
    Plan,
    Project,
    SetOp,
    Window,
    WindowJoin,
    column_names,
    columns,
    row_type,
)
from algebra.rewrite import made_of
from algebra.types import BIGINT, BOOLEAN
from grammar.tree import SetOperator
from spark_backend.stream.join_limits import Span
from spark_backend.stream.limits import Limits
from spark_backend.stream.moment_columns import shifted
from spark_backend.stream.open_rows import any_has_passed, any_of, not_true
from spark_backend.stream.placed_rows import stream_of, with_place

#: So many columns more has each side: the place of its row, and whether it is held.
_MORE: Final = 2


@dataclass(frozen=True, slots=True)
class OpenPairs:
    """A join of two streams, each filtered and projected at most, or of groups of such.

    ``time``: of its columns, what the rows made of it leave by.  ``above``: what stands above it.
    """

    join: Join | WindowJoin
    time: Expression
    above: Above

    @property
    def streams(self) -> tuple[QualifiedName, QualifiedName]:
        """The streams of the left and of the right side."""
        left, right = _source(self.join.left), _source(self.join.right)
        assert left is not None, "each side is of one stream"
        assert right is not None, "each side is of one stream"
        return left.name, right.name

    def kept(self, stream: QualifiedName, bound: int, limits: Limits) -> Plan:
        """The places, among the rows that are kept, of those to keep when ``bound`` has come."""
        spans = limits.join_limits(self.join, self.above).sides
        left, right = _marked(spans[0], spans[1]), _marked(spans[1], spans[0])
        condition, time = self._wider(self.join.condition), self._wider(self.time)
        joined = replace(self.join, left=left, right=right, condition=condition)
        own, width = columns(joined), len(row_type(left))
        parts = own[:width], own[width : width + len(row_type(right))]
        out = Call(Op.LESS, (time, Literal(bound, time.type)), BOOLEAN)
        open_ = Filter(joined, any_of([parts[0][-1], parts[1][-1], not_true(out)]))
        found: list[Plan] = []
        for name, side, span, part in zip(self.streams, (left, right), spans, parts, strict=True):
            if name == stream:
                there = Call(Op.IS_NOT_NULL, (part[-_MORE],), BOOLEAN)
                names = column_names(side)
                pairs = Project(Filter(open_, there), part, names)
                rows: Plan = _union(Filter(side, columns(side)[-1]), pairs)
                rows = rows if span.rows is None else _since(rows, side, span.place)
                place = InputRef(len(names) - _MORE, BIGINT.as_nullable())
                found.append(Project(rows, (place,), ("PLACE",)))
                found += _of_open_groups(span.plan, limits)
        return _union(*found) if len(found) > 1 else found[0]

    def _wider(self, expression: Expression) -> Expression:
        """An expression over the join's columns, where each side has more of them."""
        width = len(row_type(self.join.left))
        all_ = width + len(row_type(self.join.right))
        return shifted(shifted(expression, all_, _MORE), width, _MORE)


def open_pairs(plan: Plan, time: int, above: Above) -> OpenPairs | None:
    """The join at the top of ``plan``, whose time is at ``time``; None: there is none such."""
    read: Expression = columns(plan)[time]
    while isinstance(plan, Filter | Project):
        if isinstance(plan, Project):
            read = made_of(read, plan.expressions)
        plan, above = plan.input, above.inputs(plan)[0]
    if not isinstance(plan, Join | WindowJoin):
        return None
    if _source(plan.left) is None or _source(plan.right) is None:
        return None
    return OpenPairs(plan, read, above)


def _source(side: Plan) -> Stream | None:
    """The one stream whose rows a side is made of, or whose groups; None: there is none."""
    groups = _groups(side)
    return stream_of(side if groups is None else groups.input)


def _groups(side: Plan) -> Aggregate | None:
    """The groups that a side filters and projects; None: it has none."""
    while isinstance(side, Filter | Project):
        side = side.input
    return side if isinstance(side, Aggregate) and len(side.sets) == 1 else None


def _of_open_groups(side: Plan, limits: Limits) -> Iterator[Plan]:
    """The places of the rows of groups that are not complete: what these are is still to come."""
    groups = _groups(side)
    if groups is not None:
        rows, window = with_place(groups.input), Window(groups.input, (), ())
        complete = any_has_passed(groups.keys, limits.progress_of(window))
        yield Project(Filter(rows, not_true(complete)), (columns(rows)[-1],), ("PLACE",))


def _marked(side: Span, other: Span) -> Project:
    """The rows of a side with the place of each, and whether it is held, behind."""
    width = len(row_type(side.plan))
    placed = with_place(side.plan)
    plan, held = replace(side, plan=placed).marked(other)
    names = (*column_names(placed), "HELD")
    return Project(plan, (*columns(placed)[: width + 1], held), names)


def _since(rows: Plan, side: Plan, place: int) -> Filter:
    """The rows of a side from the time of the first of some on; its last ones in any case."""
    time = columns(side)[place]

    def extreme(plan: Plan, function: AggregateFunction, place: int) -> Aggregate:
        type = time.type.as_nullable()
        call = AggregateCall(function, (InputRef(place, type),), False, None, type)
        return Aggregate(plan, (), ((),), (call,), ("TIME",))

    ends = [
        extreme(rows, AggregateFunction.MIN, place),
        extreme(side, AggregateFunction.MAX, place),
    ]
    first = ScalarQuery(extreme(_union(*ends), AggregateFunction.MIN, 0), time.type.as_nullable())
    return Filter(side, Call(Op.GREATER_OR_EQUAL, (time, first), BOOLEAN))


def _union(*plans: Plan) -> SetOp:
    return SetOp(plans, SetOperator.UNION, all=True)
