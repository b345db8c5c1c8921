"""The part of each history that a relational query needs, given its conditions (S-308)."""

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

    ``since`` is a TIMESTAMP without columns, but perhaps with CURRENT_TIMESTAMP and parameters.  If
    its value is NULL, no row is needed; if ``since`` is None, all rows from the beginning of the
    stream.
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
    yield from _needs_of_rows(plan, rows.of(plan))


def _needs_of_rows(plan: Plan, rows: ContributingRow) -> Iterator[NeededHistory]:
    """The needed histories of a plan if only the rows that ``rows`` describes are needed."""
    for expression in expressions_of(plan):
        yield from _needs_inside(expression)
    if isinstance(plan, Scan) and plan.reads is Reads.HISTORY:
        yield NeededHistory(plan, least_rowtime(plan, rows))
    for input, needed in zip(inputs_of(plan), _rows_of_inputs(plan, rows), strict=True):
        yield from _needs_of_rows(input, needed)


def _rows_of_inputs(plan: Plan, rows: ContributingRow) -> tuple[ContributingRow, ...]:
    """The rows of each input from which the described rows of ``plan`` are computed.

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
            own = rows.part(input, "hop")
            windows = hop_row(plan, SymbolicRow(own.columns), rows.system, rows.path)
            equal = map(equal_values, windows.columns, rows.columns)
            return (own.with_constraints(windows.constraint, *equal),)
        case Session(input):
            # A session can contain rows of any time before its end.
            return (rows.unconstrained().of(input),)
        case Window():
            return (_in_frames(plan, rows),)
        case Join() | WindowJoin():
            return tuple(_rows_of_sides(plan, rows))
        case AsofJoin(left, right):
            # The nearest right row may be arbitrarily older than the left row.
            return rows.part(left, "left"), rows.unconstrained().of(right, "right")
        case SetOp(inputs):
            return tuple(rows.part(each, i) for i, each in enumerate(inputs))
        case Sort(_, _, offset, limit) if offset is not None or limit is not None:
            # A row that a condition above drops can still be one of the first rows.
            return (rows.unconstrained(),)
        case Passing():
            return (rows,)


def _input_rows(
    input: Plan, expressions: Sequence[Expression], rows: ContributingRow
) -> ContributingRow:
    """The input rows from which a node computes the described rows, by ``expressions``."""
    input_rows = rows.of(input)
    linearizer = input_rows.linearizer(input)
    made = [linearizer.value_of(each) for each in expressions]
    return input_rows.with_constraints(*map(equal_values, rows.columns, made))


def _rows_of_sides(plan: Join | WindowJoin, rows: ContributingRow) -> Iterator[ContributingRow]:
    """The rows of both sides of a join: a row is needed for the pairs that are needed.

    A row of a padded side also prevents its partner from being emitted as unmatched.  This needs no
    further rows: if a condition above the join is true for the NULLs of padding, its constraint
    holds for any row in place of the NULLs.  The time of an unmatched row is the last time of its
    window; the time of a pair is the first time that is in both windows (S-509).
    """
    pair = rows.where(plan.condition, plan)
    for own, alone in enumerate(_emits_unmatched(plan)):
        known = rows if alone else pair.with_constraints(*_partner(plan, 1 - own, rows))
        if isinstance(plan, WindowJoin):
            known = known.with_constraints(_time_in_windows(plan, own, rows))
        yield _side(plan, own, known)


def _side(plan: Join | WindowJoin, port: int, rows: ContributingRow) -> ContributingRow:
    """The part of a joined row that belongs to the input at ``port``."""
    return rows.part(inputs_of(plan)[port], port, len(row_type(plan.left)) if port else 0)


def _emits_unmatched(plan: Join | WindowJoin) -> tuple[bool, bool]:
    """Whether unmatched rows of the left side, and of the right side, are emitted."""
    return plan.kind.preserves_left, plan.kind.preserves_right


def _time_in_windows(plan: WindowJoin, own: int, rows: ContributingRow) -> Constraint:
    """Where the time of an emitted row can be, if a row of the side ``own`` is needed for it.

    The needed row can be in the emitted row, as part of a pair or unmatched: then any row can stand
    in place of the NULLs.  Or it can match a row of the other side that would otherwise be emitted
    as unmatched.  These two rows match at some time in both windows, which need not be the time of
    an emitted row.
    """
    other, columns = 1 - own, rows.columns
    uses = [in_windows(plan, columns)]
    if _emits_unmatched(plan)[other]:
        with_time_of_match = (*columns[:-1], rows.system.fresh())
        matched = in_windows(plan, with_time_of_match)
        uses.append(all_of((in_windows(plan, columns, (other,)), matched)))
    return any_of(uses)


def _partner(plan: Join | WindowJoin, port: int, rows: ContributingRow) -> Iterator[Constraint]:
    """The constraints on the other row of a pair."""
    side = _side(plan, port, rows)
    row = symbolic_row(inputs_of(plan)[port], rows.system, frozenset(), (*side.path, "partner"))
    yield row.constraint
    yield from map(equal_values, side.columns, row.columns)


def _in_frames(plan: Window, rows: ContributingRow) -> ContributingRow:
    """The rows in the frames of the described rows; all rows if a frame has no limit in time."""
    input = plan.input
    own, other = rows.part(input, "own"), rows.of(input, "frame")
    linearizer, theirs = own.linearizer(input), other.linearizer(input)
    frames: list[Constraint] = []
    for group in plan.groups:
        least = _first_key_in_frame(group, linearizer)
        if least is None:
            return own.unconstrained()
        partition = (
            equal_values(linearizer.value_of(each), theirs.value_of(each))
            for each in group.partition
        )
        later = at_most(least, theirs.instant(group.order[0].expression))
        frames.append(all_of((later, *partition)))
    return other.with_constraints(any_of(frames))


def _first_key_in_frame(group: WindowGroup, own: Linearizer) -> Term | None:
    """The least time in the frame of a row, in milliseconds; None if it is not known."""
    if len(group.order) != 1 or group.order[0].descending:
        return None
    key = group.order[0].expression
    if key.type.kind not in DATETIME or key.type.nullable:
        return None
    match group.frame.start:
        case RangeOffset(distance, True):
            # Months as long as possible: one month before March 31 is February 28.
            return own.instant(key).add(-max_millis(distance))
        case RangeOffset():
            return own.instant(key)
        case RowOffset(offset) | GroupOffset(offset) if offset >= 0:
            return own.instant(key)
        case _:
            return None


# --- sub-queries --------------------------------------------------------------------------------


def _needs_inside(expression: Expression) -> Iterator[NeededHistory]:
    for each in subexpressions(expression):
        if isinstance(each, Subquery):
            yield from _needs_of_all(each.plan)
