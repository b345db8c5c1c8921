"""How far apart two rows of a plan can be in one column (S-405, S-408)."""

from functools import lru_cache

from algebra.build import compared
from algebra.constraints.column_ranges import column_ranges
from algebra.constraints.constraint_system import ConstraintSystem
from algebra.constraints.extremes import goal_ranges
from algebra.constraints.linear_terms import Term
from algebra.constraints.row_facts import SymbolicRow, symbolic_row
from algebra.expression import Expression, Op
from algebra.plan import Plan, row_type
from algebra.rewrite import columns_of, shifted


@lru_cache(maxsize=512)
def max_distance(
    plan: Plan, near: Expression, op: Op, far: Expression, place: int, descending: bool
) -> int | None:
    """An upper bound of ``r1[place] - r2[place]`` over row pairs with ``far(r1) op near(r2)``.

    ``r1`` and ``r2`` are any two rows of ``plan``; ``descending`` negates the difference.  The
    bound is in the column's own unit.  -1: there is no such pair; None: unbounded, or not known.
    """
    system, width = ConstraintSystem(), len(row_type(plan))
    not_null = columns_of(near) | columns_of(far) | {place}
    one, other = (symbolic_row(plan, system, not_null, (i,)) for i in range(2))
    both = SymbolicRow(one.columns + other.columns)
    ranges = column_ranges(plan)
    condition = compared(op, far, shifted(near, width))
    constraints = (
        one.constraint,
        other.constraint,
        both.linearizer(system, (*ranges, *ranges)).where_true(condition),
    )
    start, end = other.columns[place], one.columns[place]
    if not isinstance(start, Term) or not isinstance(end, Term):
        return None
    found = goal_ranges(
        system, constraints, (start.minus(end) if descending else end.minus(start),)
    )
    if found is None:
        return -1
    most = found[0].upper
    return None if most is None else int(most)
