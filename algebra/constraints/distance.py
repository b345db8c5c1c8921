"""Limits of the difference of two columns: in pairs of joined rows (S-510), or in one plan (S-408).

The constraints on the rows, such as the condition of a join or a CHECK, limit the difference.  A
limit of the difference is a limit of the time for which a row must wait or be retained.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from algebra.build import compared
from algebra.constraints.column_ranges import column_ranges
from algebra.constraints.constraint_system import ConstraintSystem
from algebra.constraints.extremes import goal_ranges
from algebra.constraints.linear_terms import ALWAYS, Constraint, Term, all_of
from algebra.constraints.linear_values import in_range
from algebra.constraints.number_range import Range
from algebra.constraints.row_facts import (
    SymbolicRow,
    equal_values,
    not_null_where_true,
    symbolic_row,
)
from algebra.expression import Expression, Op
from algebra.facts import deduced_once
from algebra.plan import Join, Plan, row_type
from algebra.rewrite import columns_of, shifted
from algebra.types import INTEGERS, INTERVAL, MILLIS_PER_DAY, Kind, Type

#: Groups of kinds whose values can be subtracted: whole numbers that count from one origin.
COMPARABLE: Final = (INTEGERS, {Kind.DATE, Kind.TIMESTAMP}, *({each} for each in INTERVAL))


@dataclass(frozen=True, slots=True)
class Distance:
    """The closed interval ``[lower, upper]`` that contains ``right - left`` in all rows.

    The unit is that of the columns, or milliseconds if one is a DATE and the other a TIMESTAMP.  An
    end that is None is not bounded.  If ``lower > upper``, no row satisfies the constraints.
    """

    lower: int | None = None
    upper: int | None = None

    @property
    def is_bounded(self) -> bool:
        """Whether neither end is None."""
        return self.lower is not None and self.upper is not None


#: The distance in a join that no pair of rows satisfies.
#: Defines: S-510.h, S-510.v
NO_PAIR: Final = Distance(0, -1)


def comparable(left: Type, right: Type) -> bool:
    """Whether values of both types count whole units from one origin: they can be subtracted."""
    return any(left.kind in kinds and right.kind in kinds for kinds in COMPARABLE)


def units(left: Type, right: Type) -> tuple[int, int]:
    """The factors that convert values of the left and right column to the unit of their `Distance`.

    Defines: S-510.g
    """
    match left.kind, right.kind:
        case Kind.DATE, Kind.TIMESTAMP:
            return MILLIS_PER_DAY, 1
        case Kind.TIMESTAMP, Kind.DATE:
            return 1, MILLIS_PER_DAY
        case _:
            return 1, 1


@deduced_once
def row_distance(plan: Plan, left: int, right: int) -> Distance:
    """The distance of two columns in one row of ``plan`` in which neither column is NULL.

    ``left`` and ``right`` are the places of the columns, whose types are `comparable`.
    """
    system = ConstraintSystem()
    row = symbolic_row(plan, system, frozenset({left, right}), ())
    ends = (row.columns[left], row.columns[right])
    # A column that is not linear can have any value.
    a, b = (each if isinstance(each, Term) else system.fresh() for each in ends)
    return _distance(system, row.constraint, a, b)


@deduced_once
def join_distance(join: Join, left: int, right: int) -> Distance:
    """The distance of a left and a right column over the pairs for which the condition is true.

    ``left`` and ``right`` are the places of the columns, each in its own side's row.  Their types
    are `comparable` (S-510).

    Defines: S-510.b, S-510.d, S-510.q, S-510.r, S-510.s, S-510.t
    """
    pairs = _pairs(join)
    ends = (pairs.left.columns[left], pairs.right.columns[right])
    a, b = (each if isinstance(each, Term) else pairs.system.fresh() for each in ends)
    scales = units(row_type(join.left)[left].type, row_type(join.right)[right].type)
    return _distance(pairs.system, pairs.constraint, a.times(scales[0]), b.times(scales[1]))


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Any pair of a left and a right row for which the condition of a join is true."""

    system: ConstraintSystem
    left: SymbolicRow
    right: SymbolicRow
    constraint: Constraint


@deduced_once
def _pairs(join: Join) -> _Pairs:
    """The symbolic pair of rows of ``join``, with the constraints on it."""
    system, width = ConstraintSystem(), len(row_type(join.left))
    not_null = not_null_where_true(join.condition)
    # The condition is true of these pairs, so the columns in ``not_null`` are not NULL: no side is
    # padded, and no comparison is unknown.
    left = symbolic_row(join.left, system, frozenset(i for i in not_null if i < width), (0,))
    right = symbolic_row(
        join.right, system, frozenset(i - width for i in not_null if i >= width), (1,)
    )
    both = SymbolicRow(left.columns + right.columns)
    ranges = column_ranges(join.left) + column_ranges(join.right)
    linearizer = both.linearizer(system, ranges)
    constraints = (
        left.constraint,
        right.constraint,
        linearizer.where_true(join.condition),
    )
    return _Pairs(system, left, right, all_of(constraints))


def _distance(
    system: ConstraintSystem, constraint: Constraint, left: Term, right: Term
) -> Distance:
    """The `Distance` of two terms in the solutions of ``constraint``."""
    found = goal_ranges(system, (constraint,), (right.minus(left),))
    if found is None:
        return NO_PAIR
    [known] = found
    return Distance(
        None if known.lower is None else int(known.lower),
        None if known.upper is None else int(known.upper),
    )


@dataclass(frozen=True, slots=True)
class Separation:
    """The question how far apart two rows of one plan can be, if their keys satisfy a comparison.

    The pairs are all rows ``r1`` and ``r2`` with ``far(r1) op near(r2)``.  Their separation is the
    difference ``r1[place] - r2[place]`` of one column, in its unit; ``descending`` negates it.

    For example, a group of FLOOR(t TO HOUR) waits until the bound of ``t`` leaves the hour.  Here
    ``far`` and ``near`` are FLOOR(t TO HOUR), ``op`` is =, and ``place`` is that of ``t``.  The
    difference is less than an hour: after a row, the bound must advance by at most an hour.
    """

    far: Expression
    op: Op
    near: Expression
    place: int
    descending: bool

    @property
    def not_null(self) -> frozenset[int]:
        """The columns that are not NULL in such rows."""
        return columns_of(self.near) | columns_of(self.far) | {self.place}


@deduced_once
def max_distance(plan: Plan, of: Separation) -> int | None:
    """An upper limit of the difference of a `Separation` over all pairs of rows of ``plan``.

    -1: no pair satisfies the comparison.  None: the difference is unbounded, or no limit is known.
    """
    system = ConstraintSystem()
    one, other = (symbolic_row(plan, system, of.not_null, (i,)) for i in range(2))
    ranges = column_ranges(plan)
    return _max_difference(system, of, _RangedRow(one, ranges), _RangedRow(other, ranges))


def max_advance(
    plan: Plan, positions: Plan, of: Separation, within: Range, constant: Sequence[int]
) -> int | None:
    """As `max_distance`, from a row ``r2`` of ``plan`` to a position ``r1`` of the bounds.

    A position is a row whose columns have the values of their bounds.  Bounds also advance where a
    filter of ``plan`` drops the rows, so a position is a row of another plan: ``positions``, which
    is ``plan`` without the conditions that do not limit bounds.  ``within`` is the range of the
    column at ``of.place`` in all positions.  The columns at the places ``constant`` have one value
    in all rows and in all positions.
    """
    system = ConstraintSystem()
    position = symbolic_row(positions, system, of.not_null, (0,))
    row = symbolic_row(plan, system, of.not_null, (1,))
    reached = position.columns[of.place]
    limits = (
        position.constraint,
        in_range(reached, within) if isinstance(reached, Term) else ALWAYS,
        *(equal_values(position.columns[i], row.columns[i]) for i in constant),
    )
    ranges = list(column_ranges(positions))
    ranges[of.place] = within
    position = SymbolicRow(position.columns, all_of(limits))
    near = _RangedRow(row, column_ranges(plan))
    return _max_difference(system, of, _RangedRow(position, ranges), near)


@dataclass(frozen=True, slots=True)
class _RangedRow:
    """A row, and the ranges of its columns."""

    row: SymbolicRow
    ranges: Sequence[Range]


def _max_difference(
    system: ConstraintSystem, of: Separation, far: _RangedRow, near: _RangedRow
) -> int | None:
    """`max_distance` for the rows ``r1`` (``far``) and ``r2`` (``near``).

    The constraints of both rows and the comparison make one system; the goal is the difference.
    """
    both = SymbolicRow(far.row.columns + near.row.columns)
    condition = compared(of.op, of.far, shifted(of.near, len(far.row.columns)))
    constraints = (
        far.row.constraint,
        near.row.constraint,
        both.linearizer(system, (*far.ranges, *near.ranges)).where_true(condition),
    )
    start, end = near.row.columns[of.place], far.row.columns[of.place]
    if not isinstance(start, Term) or not isinstance(end, Term):
        return None  # the column is not linear
    goal = start.minus(end) if of.descending else end.minus(start)
    found = goal_ranges(system, constraints, (goal,))
    if found is None:
        return -1
    most = found[0].upper
    return None if most is None else int(most)
