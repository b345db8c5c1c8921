"""What a join in lock step keeps, whatever its age: rows that are held, and rows of open pairs.

Of two rowtimes `spark_backend.stream.retention` knows how far back a pair reaches; of other columns
in lock step it is asked row by row (S-510, S-511).  A row is kept

- that a row of the other side to come can meet;
- of which a row that the join gives is still to come out;
- that is the partner of one of the first kind: without it that would seem to have none.
"""

from dataclasses import dataclass, replace
from typing import Final

from algebra.catalog import QualifiedName
from algebra.expression import Call, Expression, InputRef, Literal, Op
from algebra.lockstep import Above
from algebra.plan import Filter, Join, Plan, Project, SetOp, row_type
from algebra.rewrite import rewritten
from algebra.types import BIGINT, BOOLEAN
from grammar.tree import SetOperator
from spark_backend.stream.join_limits import Span
from spark_backend.stream.last_rows import stream_of, with_place
from spark_backend.stream.limits import Limits
from spark_backend.stream.moment_columns import columns, shifted
from spark_backend.stream.open_rows import any_of, not_true

#: So many columns more has each side: the place of its row, and whether it is held.
_MORE: Final = 2


@dataclass(frozen=True, slots=True)
class OpenPairs:
    """A join of two streams, each filtered and projected at most.

    ``time``: of its columns, what the rows made of it leave by.  ``above``: what stands above it.
    """

    join: Join
    time: Expression
    above: Above

    @property
    def streams(self) -> tuple[QualifiedName, QualifiedName]:
        """The streams of the left and of the right side."""
        left, right = stream_of(self.join.left), stream_of(self.join.right)
        assert left is not None, "each side is of one stream"
        assert right is not None, "each side is of one stream"
        return left.name, right.name

    def kept(self, stream: QualifiedName, bound: int, limits: Limits) -> Plan:
        """The places, among the rows that are kept, of those to keep when ``bound`` has come."""
        spans = limits.join_limits(self.join, self.above).sides
        left, right = _marked(spans[0], spans[1]), _marked(spans[1], spans[0])
        width = len(row_type(self.join.left))
        joined = replace(
            self.join, left=left, right=right, condition=shifted(self.join.condition, width, _MORE)
        )
        time = shifted(self.time, width, _MORE)
        out = Call(Op.LESS, (time, Literal(bound, time.type)), BOOLEAN)
        own = columns(joined)
        places = (own[width], own[-_MORE])
        held = (own[width + 1], own[-1])
        open_ = Filter(joined, any_of([*held, not_true(out)]))
        found: list[Plan] = []
        for name, side, place in zip(self.streams, (left, right), places, strict=True):
            if name == stream:
                found.append(_places(Filter(side, columns(side)[-1]), columns(side)[-_MORE]))
                there = Call(Op.IS_NOT_NULL, (place,), BOOLEAN)
                found.append(_places(Filter(open_, there), place))
        return SetOp(tuple(found), SetOperator.UNION, all=True)


def open_pairs(plan: Plan, time: int, above: Above) -> OpenPairs | None:
    """The join at the top of ``plan``, whose time is at ``time``; None: there is none such."""
    read: Expression = columns(plan)[time]
    while isinstance(plan, Filter | Project):
        if isinstance(plan, Project):
            read = _below(read, plan)
        plan, above = plan.input, above.inputs(plan)[0]
    if not isinstance(plan, Join):
        return None
    if stream_of(plan.left) is None or stream_of(plan.right) is None:
        return None
    return OpenPairs(plan, read, above)


def _below(expression: Expression, plan: Project) -> Expression:
    """An expression over the columns of a projection, over those of its input."""

    def made(leaf: Expression) -> Expression:
        return plan.expressions[leaf.index] if isinstance(leaf, InputRef) else leaf

    return rewritten(expression, made)


def _marked(side: Span, other: Span) -> Project:
    """The rows of a side with the place of each, and whether it is held, behind."""
    width = len(row_type(side.plan))
    placed = with_place(side.plan)
    plan, held = replace(side, plan=placed).marked(other)
    names = (*(each.name for each in row_type(placed)), "HELD")
    return Project(plan, (*columns(placed)[: width + 1], held), names)


def _places(rows: Plan, place: InputRef) -> Project:
    known = InputRef(place.index, BIGINT.as_nullable())
    return Project(rows, (known,), ("PLACE",))
