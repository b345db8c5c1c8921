"""The moments of what joins of two streams give (S-509 to S-511).

A pair is determined when both rows are there, and under ROWS when no later row can end a window
before their time.  A row that stays alone is, when no row to come can meet it.
"""

from dataclasses import dataclass, replace
from typing import Final

from algebra.build import at_least, at_most, is_null
from algebra.expression import (
    Call,
    Case,
    Expression,
    InputRef,
    Literal,
    Op,
)
from algebra.plan import Join, Plan, WindowJoin, columns, row_type
from algebra.rewrite import has_subquery, shifted
from algebra.types import BIGINT
from grammar.tree import JoinKind
from spark_backend.stream.bounds.join_bounds import JoinLimits, rows_of_windows
from spark_backend.stream.bounds.later_rows import with_later
from spark_backend.stream.emission.emit_batch_columns import (
    EARLIER,
    NEVER,
    History,
    latest,
    moment_of,
    reached_in_time,
    without,
)

#: The moment of a row that is not determined, where a NULL has another meaning.
_FAR: Final = Literal(2**62, BIGINT.as_nullable(False))


def pairs(
    plan: Join | WindowJoin, inputs: tuple[Plan, Plan], limits: JoinLimits, history: History
) -> Plan | None:
    """A join of two streams with moments, of inputs that have theirs; None: NULL in all rows."""
    inner = plan.kind is JoinKind.INNER
    if has_subquery(plan.condition):
        return None
    if not inner:
        inputs = (_known(inputs[0]), _known(inputs[1]))  # a NULL tells that there is no partner
    rows = rows_of_windows(plan)
    left, right = (_Side(each, None if inner else n) for each, n in zip(inputs, rows, strict=True))
    width = len(row_type(plan.left))
    condition = shifted(plan.condition, 1 + left.added, start=width)
    joined = replace(plan, left=left.plan(plan, 0), right=right.plan(plan, 1), condition=condition)
    offset = width + 1 + left.added
    own, others = columns(joined)[width], columns(joined)[offset + len(row_type(plan.right))]
    both = latest(own, others)
    for port, n in enumerate(rows):
        if n is not None:
            bound = reached_in_time(limits.sides[port].progress.bound)
            both = latest(both, history.passed((columns(joined)[-1], bound, False)))
    places = [*range(own.index, offset), *range(others.index, others.index + 1 + right.added)]
    if inner:
        return without(joined, places, both)
    alone: list[tuple[Expression, Expression]] = []
    for port, (side, mine, theirs) in enumerate(((left, own, others), (right, others, own))):
        when = side.alone(columns(joined), port * offset, mine, port, limits, history)
        alone.append((is_null(theirs), latest(mine, *when)))
    moment = Case(tuple(alone), both, BIGINT)
    far = at_least(moment, _FAR)
    return without(joined, places, Case(((far, NEVER),), moment, BIGINT))


def _known(plan: Plan) -> Plan:
    """The rows with moments; of one that is not determined the moment is far away, not NULL."""
    own = moment_of(plan)
    if not own.type.nullable:
        return plan
    known = Call(Op.COALESCE, (own, _FAR), BIGINT.as_nullable(False))
    return without(plan, [own.index], known)


@dataclass(frozen=True, slots=True)
class _Side:
    """One input with moments; of ``rows``, which a window holds, it is asked what ends that."""

    input: Plan
    rows: int | None

    @property
    def added(self) -> int:
        """How many columns stand behind the moment: of the row that ends the window."""
        return 0 if self.rows is None else 2

    def plan(self, join: Join | WindowJoin, port: int) -> Plan:
        """The rows, with the time and the moment of the row that ends the window of each."""
        if self.rows is None:
            return self.input
        assert isinstance(join, WindowJoin), "only such a join has windows of ROWS"
        time = columns(self.input)[join.right_rowtime if port else join.left_rowtime]
        return with_later(self.input, time, [time, moment_of(self.input)], self.rows)

    def alone(
        self,
        row: tuple[InputRef, ...],
        offset: int,
        moment: InputRef,
        port: int,
        limits: JoinLimits,
        history: History,
    ) -> tuple[Expression, ...]:
        """When it is known that a row stays alone.

        ``row`` are the columns of the join, of which its own are from ``offset`` on.
        """
        side, other = limits.sides[port], limits.sides[1 - port]
        own = row[offset + side.place]
        if self.rows is None:
            end = reached_in_time(side.left_behind(other))
            return (history.passed((own, end, side.scale < 0)),)
        later, lead = row[moment.index + 1], row[moment.index + 2]
        met = history.passed((later, reached_in_time(other.progress.next_start), False), there=True)
        empty = at_most(later, own)
        return lead, Case(((empty, EARLIER),), met, BIGINT)
