"""The part of each history that a relational query needs, given its conditions (S-308)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from algebra.constraints.constraint_system import ConstraintSystem
from algebra.constraints.linear_terms import Constraint, Term, all_of, any_of, at_most
from algebra.constraints.row_facts import (
    SymbolicRow,
    equal_values,
    hop_row,
    in_windows,
    symbolic_row,
)
from algebra.expression import (
    Call,
    Expression,
    Literal,
    Op,
    Subquery,
)
from algebra.functions.datetimes import max_millis
from algebra.metadata.least_rowtime import ContributingRow, least_rowtime
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
    SetOp,
    Sort,
    Window,
    WindowGroup,
    WindowJoin,
    inputs_of,
    row_type,
)
from algebra.rewrite import subexpressions
from algebra.types import DATETIME, DAY_TO_SECOND


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
    """The needed histories of a plan if only the rows that ``rows`` describes are needed.

    Defines: S-308.e, S-308.i
    """
    for expression in expressions_of(plan):
        yield from _needs_inside(expression)
    match plan:
        case Scan():
            if plan.reads is Reads.HISTORY:
                yield NeededHistory(plan, least_rowtime(plan, rows))
        case Filter(input, condition):
            yield from _needs_of_rows(input, rows.where(condition, input))
        case Project(input, expressions):
            yield from _needs_of_rows(input, _input_rows(input, expressions, rows))
        case Aggregate(input, keys, sets):
            common = [i for i in range(len(keys)) if all(i in each for each in sets)]
            group = replace(rows, columns=tuple(rows.columns[i] for i in common))
            yield from _needs_of_rows(input, _input_rows(input, [keys[i] for i in common], group))
        case Hop(input):
            width = len(row_type(input))
            row = SymbolicRow(rows.columns[:width])
            windows = hop_row(plan, row, rows.system, rows.path)
            ends = zip(windows.columns[width:], rows.columns[width:], strict=True)
            known = rows.with_constraints(
                windows.constraint, *(equal_values(a, b) for a, b in ends)
            )
            # A Hop below this one has other windows, so the path below is another one.
            yield from _needs_of_rows(
                input, replace(known, columns=row.columns, path=(*rows.path, "hop"))
            )
        case Window(input):
            yield from _needs_of_rows(input, _in_frames(plan, rows))
        case Join() | WindowJoin():
            yield from _join(plan, rows)
        case AsofJoin(left, right):
            # The nearest right row may be arbitrarily older than the left row.
            own = replace(rows, columns=rows.columns[: len(row_type(left))], path=(*rows.path, 0))
            yield from _needs_of_rows(left, own)
            yield from _needs_of_rows(right, rows.unconstrained().of(right, "nearest"))
        case SetOp(inputs):
            for i, each in enumerate(inputs):
                yield from _needs_of_rows(each, replace(rows, path=(*rows.path, i)))
        case Sort(input, _, offset, limit) if offset is not None or limit is not None:
            # A row that a condition above drops can still be one of the first rows.
            yield from _needs_of_rows(input, rows.unconstrained())
        case Passing():
            yield from _needs_of_rows(plan.input, rows)
        case _:  # any row may be needed: a session may contain rows of any time before its end
            for i, each in enumerate(inputs_of(plan)):
                yield from _needs_of_rows(each, rows.unconstrained().of(each, i))


def _input_rows(
    input: Plan, expressions: Sequence[Expression], rows: ContributingRow
) -> ContributingRow:
    """The input rows from which a node computes the described rows, by ``expressions``."""
    input_rows = rows.of(input)
    linearizer = input_rows.linearizer(input)
    made = [linearizer.value_of(each) for each in expressions]
    return input_rows.with_constraints(*map(equal_values, rows.columns, made))


def _join(plan: Join | WindowJoin, rows: ContributingRow) -> Iterator[NeededHistory]:
    """The needed histories of both sides of a join: a row is needed for the pairs that are needed.

    A row of a padded side also prevents its partner from being emitted as unmatched.  This needs no
    further rows: if a condition above the join is true for the NULLs of padding, its constraint
    holds for any row in place of the NULLs.  The time of an unmatched row is the last time of its
    window; the time of a pair is the first time that is in both windows (S-509).
    """
    width, all_ = len(row_type(plan.left)), len(row_type(plan.left)) + len(row_type(plan.right))
    sides = (rows.columns[:width], rows.columns[width:all_])
    for own, (side, alone) in enumerate(
        zip((plan.left, plan.right), _emits_unmatched(plan), strict=True)
    ):
        known = rows
        if not alone:
            known = rows.where(plan.condition, plan).with_constraints(
                *_partner(plan, 1 - own, rows)
            )
        if isinstance(plan, WindowJoin):
            known = known.with_constraints(_time_in_windows(plan, own, rows))
        yield from _needs_of_rows(side, replace(known, columns=sides[own], path=(*rows.path, own)))


def _emits_unmatched(plan: Join | WindowJoin) -> tuple[bool, bool]:
    """Whether unmatched rows of the left side, and of the right side, are emitted."""
    return plan.kind.preserves_left, plan.kind.preserves_right


def _time_in_windows(plan: WindowJoin, own: int, rows: ContributingRow) -> Constraint:
    """The time of an emitted row, for each use of a side's row.

    The row can be in a pair; it can be unmatched; or it can match a row of the other side that
    would otherwise be emitted as unmatched.
    """
    other, columns = 1 - own, rows.columns
    keeps = _emits_unmatched(plan)
    counts = [in_windows(plan, columns, (own,) if keeps[own] else (own, other))]
    if keeps[other]:
        meeting = (*columns[:-1], rows.system.fresh())
        counts.append(all_of((in_windows(plan, columns, (other,)), in_windows(plan, meeting))))
    return any_of(counts)


def _partner(plan: Join | WindowJoin, port: int, rows: ContributingRow) -> Iterator[Constraint]:
    """The constraints on the other row of a pair."""
    width = len(row_type(plan.left))
    side, offset = (plan.right, width) if port else (plan.left, 0)
    row = symbolic_row(side, rows.system, frozenset(), (*rows.path, port, "partner"))
    yield row.constraint
    yield from map(equal_values, rows.columns[offset : offset + len(row.columns)], row.columns)


def _in_frames(plan: Window, rows: ContributingRow) -> ContributingRow:
    """The rows in the frames of the described rows; all rows if a frame has no limit in time."""
    input, width = plan.input, len(row_type(plan.input))
    own = replace(rows, columns=rows.columns[:width])
    starts = [_first_key_in_frame(each, own, input) for each in plan.groups]
    other = rows.of(input, "frame")
    linearizer, theirs = own.linearizer(input), other.linearizer(input)
    constraints: list[Constraint] = []
    for group, least in zip(plan.groups, starts, strict=True):
        if least is None:
            return own.unconstrained()
        one = (
            equal_values(linearizer.value_of(each), theirs.value_of(each))
            for each in group.partition
        )
        later = at_most(least, theirs.term(group.order[0].expression))
        constraints.append(all_of((later, *one)))
    return other.with_constraints(any_of(constraints))


def _first_key_in_frame(group: WindowGroup, own: ContributingRow, input: Plan) -> Term | None:
    """The least value of the sort key in the frame of a row; None if it is not known."""
    framed = all(call.is_framed for call in group.calls)
    if not framed or len(group.order) != 1 or group.order[0].descending:
        return None
    key = group.order[0].expression
    if key.type.kind not in DATETIME or key.type.nullable:
        return None
    match group.frame.start:
        case RangeOffset(Literal(0), _) | RangeOffset(_, False):
            return own.linearizer(input).term(key)
        case RangeOffset(distance):
            # Months as long as possible: one month before March 31 is February 28.
            back = Literal(-max_millis(distance), DAY_TO_SECOND)
            return own.linearizer(input).term(Call(Op.DATETIME_PLUS, (key, back), key.type))
        case RowOffset(offset) | GroupOffset(offset) if offset >= 0:
            return own.linearizer(input).term(key)
        case _:
            return None


# --- sub-queries --------------------------------------------------------------------------------


def _needs_inside(expression: Expression) -> Iterator[NeededHistory]:
    for each in subexpressions(expression):
        if isinstance(each, Subquery):
            yield from _needs_of_all(each.plan)
