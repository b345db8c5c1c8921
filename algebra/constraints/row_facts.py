"""A symbolic row of a plan: terms for its columns, and constraints that hold in every row (S-510).

A view may compute columns, drop rows, or join.  All of this constrains its rows, and the
constraints can put a join of the view in lock step.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from algebra.catalog import Stream
from algebra.constraints.column_ranges import column_ranges
from algebra.constraints.conditions import Linearizer
from algebra.constraints.constraint_system import ConstraintSystem
from algebra.constraints.linear_terms import (
    ALWAYS,
    Constraint,
    Term,
    all_of,
    any_of,
    at_most,
    below,
    equal,
    within,
)
from algebra.constraints.linear_values import LinearValue, column_value, in_range
from algebra.constraints.number_range import Range
from algebra.constraints.ranges import MIRROR
from algebra.expression import (
    NULL_TOLERANT,
    AggregateFunction,
    Call,
    Cast,
    Expression,
    Extract,
    InputRef,
    Op,
    Round,
)
from algebra.parts.grouping_sets import common_keys
from algebra.parts.node_expressions import expressions_of
from algebra.plan import (
    Aggregate,
    AsofJoin,
    Filter,
    Hop,
    Join,
    Joining,
    Passing,
    Plan,
    Project,
    RowsWindow,
    Scan,
    SetOp,
    SideWindow,
    TimeWindow,
    Widening,
    WindowJoin,
    row_type,
    window_sizes,
)
from algebra.types import MILLIS_PER_DAY, Kind, RowType
from grammar.tree import SetOperator

#: The aggregates whose value is the argument's value in one row of the group.
PICKING: Final = frozenset(
    {AggregateFunction.MIN, AggregateFunction.MAX, AggregateFunction.ANY_VALUE}
)

#: The name of a symbolic row: the steps from the top of the plan down to the node of the row, such
#: as the number of an input.  The variables of the row have names that begin with its path.
Path = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class SymbolicRow:
    """Any one row of a plan: its columns, and a constraint on those columns that are not NULL."""

    columns: tuple[LinearValue, ...]
    constraint: Constraint = ALWAYS

    def linearizer(self, system: ConstraintSystem, ranges: Sequence[Range]) -> Linearizer:
        """A translator of expressions over this row; ``ranges`` are the ranges of its columns."""
        return Linearizer(system, lambda place: self.columns[place.index], ranges)


def symbolic_row(
    plan: Plan, system: ConstraintSystem, not_null: frozenset[int], path: Path
) -> SymbolicRow:
    """Any row of ``plan`` in which the columns ``not_null`` are not NULL.

    ``path`` names the row: its variables differ from those of a row with another path.

    Defines: S-510.e, S-510.u
    """
    match plan:
        case Scan(Stream(carries=carried)) if carried is not None:
            row = symbolic_row(carried, system, _inner(not_null, carried), path)
            return _widened(plan, row, system, path)
        case Scan():
            return _scanned(plan, system, path)
        case Filter(input, condition):
            row = symbolic_row(input, system, not_null | not_null_where_true(condition), path)
            return SymbolicRow(
                row.columns, all_of((row.constraint, _where_true(row, condition, input, system)))
            )
        case Project(input, expressions):
            needed = (not_null_where_known(expressions[place]) for place in not_null)
            row = symbolic_row(input, system, frozenset[int]().union(*needed), path)
            linearizer = row.linearizer(system, column_ranges(input))
            return SymbolicRow(
                tuple(linearizer.value_of(each) for each in expressions), row.constraint
            )
        case Hop(input):
            # The input's path has one more part, so that a Hop below has variables of its own.
            row = symbolic_row(input, system, _inner(not_null, input), (*path, "hop"))
            return hop_row(plan, row, system, path)
        case Aggregate():
            return _grouped(plan, system, path)
        case Widening():
            row = symbolic_row(plan.input, system, _inner(not_null, plan.input), path)
            return _widened(plan, row, system, path)
        case Joining():
            return _joined(plan, system, not_null, path)
        case SetOp(inputs, operator):
            rows = [
                symbolic_row(each, system, not_null, (*path, i)) for i, each in enumerate(inputs)
            ]
            return _united(rows, operator, row_type(plan), system, path)
        case Passing():
            return symbolic_row(plan.input, system, not_null, path)
        case _:
            return _unknown(row_type(plan), column_ranges(plan), system, path)


def _widened(plan: Plan, row: SymbolicRow, system: ConstraintSystem, path: Path) -> SymbolicRow:
    """A row of ``plan``, which has further columns after those of ``row``."""
    added = _unknown(row_type(plan)[len(row.columns) :], (), system, (*path, "added"))
    return SymbolicRow(row.columns + added.columns, row.constraint)


def _inner(not_null: frozenset[int], input: Plan) -> frozenset[int]:
    """The places in ``not_null`` of columns that the node has from its ``input``."""
    return frozenset(place for place in not_null if place < len(row_type(input)))


def _where_true(
    row: SymbolicRow, condition: Expression, plan: Plan, system: ConstraintSystem
) -> Constraint:
    """The constraint that ``condition`` is true for ``row``, a row of ``plan``."""
    return row.linearizer(system, column_ranges(plan)).where_true(condition)


def _unknown(
    fields: RowType, ranges: Sequence[Range], system: ConstraintSystem, path: Path
) -> SymbolicRow:
    """A row of which only the ranges of the columns are known; ``ranges`` may be empty."""
    columns = tuple(column_value(system, (*path, i), each.type) for i, each in enumerate(fields))
    return SymbolicRow(columns, _ranged(columns, ranges))


def _ranged(columns: Sequence[LinearValue], ranges: Sequence[Range]) -> Constraint:
    """The constraint that every column lies in its range; ``ranges`` is empty if none is known."""
    return all_of(
        in_range(each, known)
        for each, known in zip(columns, ranges, strict=False)
        if isinstance(each, Term)
    )


def _scanned(plan: Scan, system: ConstraintSystem, path: Path) -> SymbolicRow:
    """A row of a table or stream."""
    columns = tuple(column_value(system, (*path, i), f.type) for i, f in enumerate(row_type(plan)))
    return SymbolicRow(columns, scan_constraint(plan, SymbolicRow(columns), system, path))


def scan_constraint(
    plan: Scan, row: SymbolicRow, system: ConstraintSystem, path: Path
) -> Constraint:
    """The constraints that hold for a row because ingress has accepted it: no CHECK is false.

    A CHECK that cannot be unknown is true for the row.  Of other CHECKs only the ranges that they
    imply are used.  If the stream carries the rows of a query, its rows also satisfy the
    constraints of that query's plan.
    """
    if isinstance(plan.source, Stream) and plan.source.carries is not None:
        carried = symbolic_row(plan.source.carries, system, frozenset(), (*path, "carried"))
        equal_columns = map(equal_values, row.columns, carried.columns)
        return all_of(
            (_ranged(row.columns, column_ranges(plan)), carried.constraint, *equal_columns)
        )
    linearizer = row.linearizer(system, ())
    checks = (linearizer.where_true(each) for each in plan.source.checks if not each.type.nullable)
    return all_of((_ranged(row.columns, column_ranges(plan)), *checks))


def hop_row(plan: Hop, row: SymbolicRow, system: ConstraintSystem, path: Path) -> SymbolicRow:
    """The row of ``plan`` that is ``row`` with the start and end of one of its windows.

    The time of the row satisfies ``start <= time < end``.  A window ends at the alignment plus a
    multiple of ``emit``.  A cumulative window starts at the alignment plus a multiple of
    ``retain``, and ends at most ``retain`` later.  Any other window starts exactly ``retain``
    before its end.  Windows of months are counted in months, so the numbers of months are converted
    to the times at which these months start.
    """
    time = row.linearizer(system, column_ranges(plan.input)).term(plan.time)
    emit, retain = window_sizes(plan)
    end = system.named((*path, "window"), emit).add(plan.align)
    start, latest_end = end.add(-retain), None
    if plan.cumulative:
        start = system.named((*path, "start"), retain).add(plan.align)
        latest_end = start.add(retain)
    if plan.retain.type.kind is Kind.MONTHS:
        start, end = (system.start_of_month(e).times(MILLIS_PER_DAY) for e in (start, end))
        if latest_end is not None:
            latest_end = system.start_of_month(latest_end).times(MILLIS_PER_DAY)
    constraints = [row.constraint, at_most(start, time), below(time, end)]
    if latest_end is not None:
        constraints.append(at_most(end, latest_end))
    return SymbolicRow((*row.columns, start, end), all_of(constraints))


# --- groups -----------------------------------------------------------------------------------


def _grouped(plan: Aggregate, system: ConstraintSystem, path: Path) -> SymbolicRow:
    """The row of a group.  Its keys, and the value of each MIN or MAX, are those of rows in it.

    The rows are symbolic rows of the input: ``member`` has the keys, and each measure in `PICKING`
    has a ``picked`` row of its own, whose keys equal those of the group.  Only the keys that are in
    all grouping sets are known, because a key that a set lacks is NULL in the groups of this set.
    If there is no such key, nothing is known, because a group without keys may have no rows.
    """
    common = common_keys(plan)
    fields = row_type(plan)
    ranges = column_ranges(plan.input)
    if not common:
        return _unknown(fields, (), system, path)
    member = symbolic_row(plan.input, system, frozenset(), (*path, "group"))
    linearizer = member.linearizer(system, ranges)
    keys = [
        linearizer.value_of(key) if i in common else column_value(system, (*path, i), key.type)
        for i, key in enumerate(plan.keys)
    ]
    constraints = [member.constraint]
    measures: list[LinearValue] = []
    for j, measure in enumerate(plan.measures):
        if measure.function not in PICKING:
            measures.append(column_value(system, (*path, "measure", j), measure.type))
            continue
        picked = symbolic_row(plan.input, system, frozenset(), (*path, "group", j))
        own = picked.linearizer(system, ranges)
        measures.append(own.value_of(measure.arguments[0]))
        same_group = (equal_values(keys[i], own.value_of(plan.keys[i])) for i in common)
        constraints += [picked.constraint, *same_group]
    return SymbolicRow((*keys, *measures), all_of(constraints))


def equal_values(a: LinearValue, b: LinearValue) -> Constraint:
    """The constraint that two values are equal; ALWAYS if one of them is opaque."""
    return equal(a, b) if isinstance(a, Term) and isinstance(b, Term) else ALWAYS


# --- several inputs ---------------------------------------------------------------------------


def _joined(
    plan: Join | WindowJoin | AsofJoin,
    system: ConstraintSystem,
    not_null: frozenset[int],
    path: Path,
) -> SymbolicRow:
    """The pair of rows that is a row of a join.

    A side of an outer join may be padded with NULLs, unless one of its columns is in ``not_null``.
    A side that may be padded is not constrained, and neither is the pair by the join condition.  A
    `WindowJoin` has one more column after both sides: the rowtime of the pair.
    """
    width = len(row_type(plan.left))
    both = width + len(row_type(plan.right))  # the number of columns of both sides
    padded_left = plan.kind.preserves_right and not any(place < width for place in not_null)
    padded_right = plan.kind.preserves_left and not any(width <= place < both for place in not_null)
    paired = not padded_left and not padded_right
    implied = not_null_where_true(plan.condition) if paired else frozenset[int]()
    needed = not_null | implied
    left = symbolic_row(plan.left, system, frozenset(i for i in needed if i < width), (*path, 0))
    right = symbolic_row(
        plan.right, system, frozenset(i - width for i in needed if width <= i < both), (*path, 1)
    )
    pair = SymbolicRow(left.columns + right.columns)
    ranges = column_ranges(plan.left) + column_ranges(plan.right)
    # A padded side has no row, so the constraints on its rows do not hold for the pair.
    constraints = [
        row.constraint for row, padded in ((left, padded_left), (right, padded_right)) if not padded
    ]
    if paired:
        linearizer = pair.linearizer(system, ranges)
        constraints += [linearizer.where_true(each) for each in expressions_of(plan)]
    if not isinstance(plan, WindowJoin):
        return SymbolicRow(pair.columns, all_of(constraints))
    columns = (*pair.columns, system.named((*path, "rowtime")))
    sides = tuple(port for port, padded in enumerate((padded_left, padded_right)) if not padded)
    return SymbolicRow(columns, all_of((*constraints, in_windows(plan, columns, sides))))


def in_windows(
    plan: WindowJoin, columns: Sequence[LinearValue], sides: Sequence[int] = (0, 1)
) -> Constraint:
    """The constraint that the time of a pair is in the windows of its rows (S-509).

    ``columns`` are those of the pair, its time last.  ``sides`` are the sides whose window counts:
    0 is left, 1 is right.
    """
    places = (plan.left_rowtime, len(row_type(plan.left)) + plan.right_rowtime)
    windows = (plan.left_window, plan.right_window)
    return all_of(_in_window(columns[-1], columns[places[i]], windows[i]) for i in sides)


def _in_window(time: LinearValue, rowtime: LinearValue, window: SideWindow) -> Constraint:
    """The constraint that ``time`` is in the window of the row with the rowtime ``rowtime``.

    For a window of ROWS it is only the constraint that ``time`` is not before the row.
    """
    if not isinstance(rowtime, Term) or not isinstance(time, Term):
        return ALWAYS
    match window:
        case TimeWindow(preceding, following):
            return within(time.minus(rowtime), Fraction(-following), Fraction(preceding))
        case RowsWindow():
            return at_most(rowtime, time)


def _united(
    rows: list[SymbolicRow],
    operator: SetOperator,
    fields: RowType,
    system: ConstraintSystem,
    path: Path,
) -> SymbolicRow:
    """The row of a set operation: a row of one of the inputs (UNION), of all, or of the first.

    ``rows`` has a row of each input.  It equals one of them for UNION, all of them for INTERSECT,
    and the first for EXCEPT (S-502).
    """
    if operator is SetOperator.EXCEPT:
        return rows[0]
    result = _unknown(fields, (), system, path)
    equals_input = [
        all_of((row.constraint, *map(equal_values, result.columns, row.columns))) for row in rows
    ]
    combine = any_of if operator is SetOperator.UNION else all_of
    return SymbolicRow(result.columns, combine(equals_input))


# --- NULL -------------------------------------------------------------------------------------


#: The comparisons that are unknown if an operand is NULL.
_COMPARISONS: Final = frozenset({*MIRROR, Op.NOT_EQUAL})


def not_null_where_true(condition: Expression) -> frozenset[int]:
    """The columns that are not NULL in any row for which ``condition`` is true."""
    match condition:
        case Call(Op.AND, operands):
            return frozenset[int]().union(*map(not_null_where_true, operands))
        case Call(Op.OR, operands):
            return frozenset[int].intersection(*map(not_null_where_true, operands))
        case Call(Op.IS_TRUE, (operand,)):
            return not_null_where_true(operand)
        case Call(Op.NOT, (Call(op, (a, b)),)) if op in _COMPARISONS:
            return not_null_where_known(a) | not_null_where_known(b)
        case Call(op, (a, b)) if op in _COMPARISONS:
            return not_null_where_known(a) | not_null_where_known(b)
        case Call(Op.IN, (a, *_)) | Call(Op.IS_NOT_NULL, (a,)):
            return not_null_where_known(a)
        case _:
            return frozenset()


def not_null_where_known(expression: Expression) -> frozenset[int]:
    """The columns that are not NULL in any row in which ``expression`` is not NULL."""
    match expression:
        case InputRef(index):
            return frozenset({index})
        case Cast(operand) | Extract(_, operand) | Round(_, operand):
            return not_null_where_known(operand)
        case Call(op, operands) if op not in NULL_TOLERANT:
            return frozenset[int]().union(*map(not_null_where_known, operands))
        case _:
            return frozenset()
