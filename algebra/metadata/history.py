"""The part of each history that a relational query needs, given its conditions (S-308).

A walk down the plan describes, for each node, the rows that contribute to the result.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from algebra.constraints.conditions import Linearizer
from algebra.constraints.constraint_system import ConstraintSystem
from algebra.constraints.linear_terms import Constraint, Term, all_of, any_of, at_most
from algebra.constraints.row_facts import (
    SymbolicRow,
    equal_values,
    hop_row,
    in_windows,
    symbolic_row,
)
from algebra.expression import Expression, Subquery
from algebra.functions.datetimes import max_millis
from algebra.metadata.least_rowtime import ContributingRow, least_rowtime
from algebra.parts.grouping_sets import common_keys
from algebra.parts.mentions import scans
from algebra.parts.node_expressions import expressions_of
from algebra.plan import (
    Aggregate,
    AsofJoin,
    Filter,
    GroupOffset,
    Hop,
    Join,
    Passing,
    Plan,
    Project,
    RangeOffset,
    Reads,
    RowOffset,
    Scan,
    Session,
    SetOp,
    Sort,
    Values,
    Window,
    WindowGroup,
    WindowJoin,
    inputs_of,
    row_type,
)
from algebra.rewrite import subexpressions
from algebra.types import DATETIME


@dataclass(frozen=True, slots=True)
class NeededHistory:
    """The rows that a query needs of one scan of a history: those at ``since`` or later.

    ``since`` is a TIMESTAMP expression without columns, which may have CURRENT_TIMESTAMP and
    parameters.  If its value is NULL, no row is needed.  If ``since`` is None, all rows are needed.
    """

    scan: Scan
    since: Expression | None


def needed_history(plan: Plan) -> tuple[NeededHistory, ...]:
    """The part of each history that ``plan`` needs, also in its sub-queries.

    The parts are in the order of the plan's nodes; a node's sub-queries come before its inputs.  A
    part is never too small: a condition that is not understood does not restrict it.

    Defines: S-308.f
    """
    # Most queries read no history, and then the facts of their rows are not needed.
    reads_history = any(each.reads is Reads.HISTORY for each in scans(plan))
    return tuple(_needs_of_all(plan)) if reads_history else ()


def _needs_of_all(plan: Plan) -> Iterator[NeededHistory]:
    """The needed histories of a plan if all of its rows are needed."""
    rows = ContributingRow(ConstraintSystem(fixed_clock=True), (), ())
    yield from _needs_of_rows(plan, rows.fresh_row_of(plan))


def _needs_of_rows(plan: Plan, rows: ContributingRow) -> Iterator[NeededHistory]:
    """The needed histories of a plan if only the rows that ``rows`` describes are needed."""
    for expression in expressions_of(plan):
        yield from _needs_of_subqueries(expression)
    if isinstance(plan, Scan) and plan.reads is Reads.HISTORY:
        yield NeededHistory(plan, least_rowtime(plan, rows))
    for input, needed in zip(inputs_of(plan), _rows_of_inputs(plan, rows), strict=True):
        yield from _needs_of_rows(input, needed)


def _rows_of_inputs(plan: Plan, rows: ContributingRow) -> tuple[ContributingRow, ...]:
    """The rows of each input from which the rows of ``plan`` that ``rows`` describes are computed.

    Defines: S-308.e, S-308.i
    """
    match plan:
        case Scan() | Values():
            return ()
        case Filter(input, condition):
            return (rows.where(condition, input),)
        case Project(input, expressions):
            return (_input_rows(input, expressions, rows),)
        case Aggregate(input, keys):
            common = common_keys(plan)
            group = replace(rows, columns=tuple(rows.columns[i] for i in common))
            return (_input_rows(input, [keys[i] for i in common], group),)
        case Hop(input):
            own = rows.side(input, "hop")
            windowed = hop_row(plan, SymbolicRow(own.columns), rows.system, rows.path)
            equal_columns = map(equal_values, windowed.columns, rows.columns)
            return (own.with_constraints(windowed.constraint, *equal_columns),)
        case Session(input):
            # A session can contain rows of any time before its end.
            return (rows.unconstrained().fresh_row_of(input),)
        case Window():
            return (_in_frames(plan, rows),)
        case Join() | WindowJoin():
            return tuple(_rows_of_sides(plan, rows))
        case AsofJoin(left, right):
            # The nearest right row may be arbitrarily older than the left row.
            return rows.side(left, "left"), rows.unconstrained().fresh_row_of(right, "right")
        case SetOp(inputs):
            return tuple(rows.side(each, i) for i, each in enumerate(inputs))
        case Sort(_, _, offset, limit) if offset is not None or limit is not None:
            # A row that a condition above drops can still be one of the first rows.
            return (rows.unconstrained(),)
        case Passing():
            return (rows,)


def _input_rows(
    input: Plan, expressions: Sequence[Expression], rows: ContributingRow
) -> ContributingRow:
    """The rows of ``input`` for which ``expressions`` have the values of the columns in ``rows``.

    They are the rows from which a node computes its rows.
    """
    input_rows = rows.fresh_row_of(input)
    linearizer = input_rows.linearizer(input)
    computed = [linearizer.value_of(each) for each in expressions]
    return input_rows.with_constraints(*map(equal_values, rows.columns, computed))


def _rows_of_sides(plan: Join | WindowJoin, rows: ContributingRow) -> Iterator[ContributingRow]:
    """The rows of the left side, and then of the right side, that are needed for ``rows``.

    A row is needed if it is part of a needed row, or if it prevents its partner from being emitted
    as unmatched.  The second rule adds no constraints.  If a condition above the join is true for
    the NULLs of padding, its constraint holds for any row in place of the NULLs, and so for the row
    that prevents them.
    """
    pair = rows.where(plan.condition, plan)
    for own, emits_unmatched in enumerate(_emits_unmatched(plan)):
        known = rows if emits_unmatched else pair.with_constraints(*_partner(plan, 1 - own, rows))
        if isinstance(plan, WindowJoin):
            known = known.with_constraints(_time_in_windows(plan, own, rows))
        yield _side(plan, own, known)


def _side(plan: Join | WindowJoin, port: int, rows: ContributingRow) -> ContributingRow:
    """The part of a joined row that belongs to the input at ``port``."""
    return rows.side(inputs_of(plan)[port], port, len(row_type(plan.left)) if port else 0)


def _emits_unmatched(plan: Join | WindowJoin) -> tuple[bool, bool]:
    """Whether unmatched rows of the left side, and of the right side, are emitted."""
    return plan.kind.preserves_left, plan.kind.preserves_right


def _time_in_windows(plan: WindowJoin, own: int, rows: ContributingRow) -> Constraint:
    """The constraint on the time of an emitted row for which a row of the side ``own`` is needed.

    The time of a pair is the first time that is in both windows, and the time of an unmatched row
    is the last time of its window (S-509).  The needed row can be in the emitted row, as part of a
    pair or unmatched; if it is unmatched, any row can stand in place of the NULLs.  Or the needed
    row can match a row of the other side, which would else be emitted as unmatched.  These two rows
    match at some time in both windows, which need not be the time of an emitted row.
    """
    other, columns = 1 - own, rows.columns
    uses = [in_windows(plan, columns)]
    if _emits_unmatched(plan)[other]:
        with_time_of_match = (*columns[:-1], rows.system.fresh())
        matched = in_windows(plan, with_time_of_match)
        uses.append(all_of((in_windows(plan, columns, (other,)), matched)))
    return any_of(uses)


def _partner(plan: Join | WindowJoin, port: int, rows: ContributingRow) -> Iterator[Constraint]:
    """The constraints on the row of a pair that comes from the input at ``port``."""
    side = _side(plan, port, rows)
    row = symbolic_row(inputs_of(plan)[port], rows.system, frozenset(), (*side.path, "partner"))
    yield row.constraint
    yield from map(equal_values, side.columns, row.columns)


def _in_frames(plan: Window, rows: ContributingRow) -> ContributingRow:
    """The input rows in the frames of the rows that ``rows`` describes.

    They are all rows if the start of a frame has no limit in time.  Below, ``own`` is a described
    row, and ``other`` a row in one of its frames.
    """
    input = plan.input
    own, other = rows.side(input, "own"), rows.fresh_row_of(input, "frame")
    linearizer, theirs = own.linearizer(input), other.linearizer(input)
    in_frame: list[Constraint] = []  # for each frame, that the other row is in it
    for group in plan.groups:
        least = _first_key_in_frame(group, linearizer)
        if least is None:
            return own.unconstrained()
        same_partition = (
            equal_values(linearizer.value_of(each), theirs.value_of(each))
            for each in group.partition
        )
        not_before = at_most(least, theirs.instant(group.order[0].expression))
        in_frame.append(all_of((not_before, *same_partition)))
    return other.with_constraints(any_of(in_frame))


def _first_key_in_frame(group: WindowGroup, own: Linearizer) -> Term | None:
    """The least sort key that a row in the frame can have, in milliseconds; None if not known.

    It is known only if the sort key is a single ascending datetime.  ``own`` translates expressions
    over the row to which the frame belongs.
    """
    if len(group.order) != 1 or group.order[0].descending:
        return None
    key = group.order[0].expression
    if key.type.kind not in DATETIME or key.type.nullable:
        return None
    match group.frame.start:
        case RangeOffset(distance, preceding=True):
            # Of months, the greatest length counts: one month before March 31 is February 28.
            return own.instant(key).add(-max_millis(distance))
        case RangeOffset():
            return own.instant(key)
        case RowOffset(offset) | GroupOffset(offset) if offset >= 0:
            return own.instant(key)
        case _:
            return None


# --- sub-queries --------------------------------------------------------------------------------


def _needs_of_subqueries(expression: Expression) -> Iterator[NeededHistory]:
    """The needed histories of the sub-queries in ``expression``."""
    for each in subexpressions(expression):
        if isinstance(each, Subquery):
            yield from _needs_of_all(each.plan)
