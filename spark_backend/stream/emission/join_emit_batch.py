"""The emit batches of the rows of joins of two streams (S-509 to S-511).

A pair is determined when both rows have arrived; with windows ROWS n, also no later row may end a
window before the time of the pair.  An unmatched row is determined when no later row can match it.
"""

from dataclasses import dataclass, replace
from typing import Final

from algebra.build import FALSE, and_, at_least, at_most, equal, is_not_true, is_null, or_
from algebra.expression import (
    Call,
    Case,
    Expression,
    InputRef,
    Literal,
    Op,
    Round,
)
from algebra.plan import Join, Plan, WindowJoin, columns, row_type
from algebra.rewrite import has_subquery, shifted
from algebra.types import BIGINT, DAY_TO_SECOND, MILLIS_PER_DAY
from grammar.tree import JoinKind, TimeUnit
from spark_backend.stream.bounds.join_bounds import JoinBounds, JoinSide, rows_of_windows
from spark_backend.stream.bounds.later_rows import with_later
from spark_backend.stream.emission.emit_batch_columns import (
    EARLIER,
    NEVER,
    BoundHistory,
    emit_batch_of,
    latest,
    limit_of_time,
    with_emit_batch,
)

#: The emit batch of a row that is not determined yet.  In the columns of the two sides of an outer
#: join, NULL means that there is no row.
_NOT_YET: Final = Literal(2**62, BIGINT.as_nullable(False))


def join_with_emit_batch(
    plan: Join | WindowJoin, inputs: tuple[Plan, Plan], bounds: JoinBounds, history: BoundHistory
) -> Plan | None:
    """The join with one more column, the emit batch of each row; None if all would be NULL.

    ``inputs`` are the two sides of ``plan``, each with its emit batch as last column.
    """
    inner = plan.kind is JoinKind.INNER
    if has_subquery(plan.condition):
        return None
    if not inner:
        # Then a NULL in the emit batch of a side means that it has no row: the other is unmatched.
        inputs = (_with_not_yet(inputs[0]), _with_not_yet(inputs[1]))
    lengths = rows_of_windows(plan)  # the n of the windows ROWS n of the two sides, or None
    left, right = (
        _Side(each, None if inner else n) for each, n in zip(inputs, lengths, strict=True)
    )
    # The columns of ``joined``: the left row, its emit batch, and for an outer join with ROWS n the
    # time and the emit batch of the row that ends its window; then the same for the right row.
    width = len(row_type(plan.left))
    condition = shifted(plan.condition, 1 + left.added, start=width)
    joined = replace(
        plan,
        left=left.with_window_end(plan, 0),
        right=right.with_window_end(plan, 1),
        condition=condition,
    )
    start_of_right = width + 1 + left.added
    row = columns(joined)
    left_batch, right_batch = row[width], row[start_of_right + len(row_type(plan.right))]
    pair_batch = latest(left_batch, right_batch)  # when both rows have arrived
    for port, n in enumerate(lengths):
        if n is not None:
            # No later row of the side may be before the pair's rowtime, the last column.
            bound = limit_of_time(bounds.sides[port].progress.bound)
            pair_batch = latest(pair_batch, history.emit_batch((row[-1], bound, False)))
    # The columns of ``joined`` that are not columns of ``plan``.
    added = [
        *range(left_batch.index, start_of_right),
        *range(right_batch.index, right_batch.index + 1 + right.added),
    ]
    if inner:
        return with_emit_batch(joined, pair_batch, without=added)
    # An unmatched row has NULL as the emit batch of the other side.
    unmatched_since: list[tuple[Expression, Expression]] = []
    for port, (side, own_batch, other_batch) in enumerate(
        ((left, left_batch, right_batch), (right, right_batch, left_batch))
    ):
        since = side.unmatched_since(row, port * start_of_right, own_batch, port, bounds, history)
        unmatched_since.append((is_null(other_batch), latest(own_batch, *since)))
    emit_batch = Case(tuple(unmatched_since), pair_batch, BIGINT)
    not_yet = at_least(emit_batch, _NOT_YET)
    return with_emit_batch(joined, Case(((not_yet, NEVER),), emit_batch, BIGINT), without=added)


def _meets_no_date(time: InputRef, side: JoinSide, other: JoinSide) -> Expression:
    """The condition that no midnight is in the window of a row of ``side``, whose time is ``time``.

    All rows of ``other`` are at midnights, so the row is unmatched as soon as it arrives (S-511.p).

    Let ``of_day`` be the row's time of day in milliseconds.  Counted from a suitable midnight, the
    window begins at ``of_day + least`` and ends at ``of_day + least + width``.  All three terms are
    less than a day.  So the only midnights that the window can contain are the next two, and the
    one from which time is counted, if the window begins at it.
    """
    first, last = side.window.first - other.window.last, side.window.last - other.window.first
    width = last - first
    if width >= MILLIS_PER_DAY:
        return FALSE
    least = (first if side.scale > 0 else -last) % MILLIS_PER_DAY

    def millis(number: float) -> Literal:
        return Literal(int(number), DAY_TO_SECOND.as_nullable(False))

    midnight = Round(False, time, TimeUnit.DAY, time.type)
    of_day = Call(Op.DATETIME_MINUS, (time, midnight), DAY_TO_SECOND.as_nullable(False))
    before_next = at_most(of_day, millis(MILLIS_PER_DAY - least))
    reaches_next = at_least(of_day, millis(MILLIS_PER_DAY - least - width))
    reaches_second = at_least(of_day, millis(2 * MILLIS_PER_DAY - least - width))
    has_midnight = or_(and_(before_next, reaches_next), reaches_second)
    if least == 0:
        has_midnight = or_(equal(of_day, millis(0)), has_midnight)
    return is_not_true(has_midnight)


def _with_not_yet(plan: Plan) -> Plan:
    """The rows, with `_NOT_YET` in place of an emit batch that is NULL."""
    own = emit_batch_of(plan)
    if not own.type.nullable:
        return plan
    known = Call(Op.COALESCE, (own, _NOT_YET), BIGINT.as_nullable(False))
    return with_emit_batch(plan, known, without=[own.index])


@dataclass(frozen=True, slots=True)
class _Side:
    """One side of a join, whose rows have their emit batch as last column.

    ``rows`` is the n of its window ROWS n in an outer join; else None.
    """

    input: Plan
    rows: int | None

    @property
    def added(self) -> int:
        """The number of columns that `with_window_end` adds after the emit batch."""
        return 0 if self.rows is None else 2

    def with_window_end(self, join: Join | WindowJoin, port: int) -> Plan:
        """The rows, each with the time and the emit batch of the row that ends its window.

        ``port`` is 0 for the left side of ``join``, 1 for the right side.  Without a window ROWS n,
        no columns are added.
        """
        if self.rows is None:
            return self.input
        assert isinstance(join, WindowJoin), "only such a join has windows of ROWS"
        time = columns(self.input)[join.right_rowtime if port else join.left_rowtime]
        return with_later(self.input, time, [time, emit_batch_of(self.input)], self.rows)

    def unmatched_since(
        self,
        row: tuple[InputRef, ...],
        offset: int,
        emit_batch: InputRef,
        port: int,
        bounds: JoinBounds,
        history: BoundHistory,
    ) -> tuple[Expression, ...]:
        """Expressions whose maximum is the micro-batch in which a row is known to be unmatched.

        ``row`` has the columns of the join; those of this side begin at ``offset``, and one of them
        is its ``emit_batch``. ``port`` is 0 for the left side, 1 for the right side.
        """
        side, other = bounds.sides[port], bounds.sides[1 - port]
        own = row[offset + side.place]
        if self.rows is None:
            end = limit_of_time(side.first_matchable_time(other))
            passed = history.emit_batch((own, end, side.scale < 0))
            if abs(other.scale) == 1:
                return (passed,)
            # The times of the other side are DATEs, which are multiples of a day.
            return (Case(((_meets_no_date(own, side, other), EARLIER),), passed, BIGINT),)
        # The n-th later row of this side ends the window: its time, and its emit batch.
        window_end, end_batch = row[emit_batch.index + 1], row[emit_batch.index + 2]
        passed = history.emit_batch(
            (window_end, limit_of_time(other.progress.next_start), False), reaching=True
        )
        is_empty = at_most(window_end, own)
        return end_batch, Case(((is_empty, EARLIER),), passed, BIGINT)
