"""How far apart two rows of a plan can be in a column, by what is known of both (S-405, S-408)."""

from functools import lru_cache

from algebra.constraints.constraint_system import Space
from algebra.constraints.extremes import extents
from algebra.constraints.linear_terms import Term
from algebra.constraints.ranges import column_ranges
from algebra.constraints.row_facts import Row, row_of
from algebra.expression import Call, Expression, Op
from algebra.plan import Plan, row_type
from algebra.rewrite import columns_of, shifted
from algebra.types import BOOLEAN


@lru_cache(maxsize=512)
def farthest(
    plan: Plan, near: Expression, op: Op, far: Expression, place: int, descending: bool
) -> int | None:
    """The most that the column at ``place`` of one row is beyond that of another.

    Of any two rows with ``far op near``, ``far`` of the one and ``near`` of the other.  Beyond is
    above, or below in a column that ``descending``.  In the column's own unit; -1 if there are no
    such rows; None: there is no limit, or none is found.
    """
    space, width = Space(), len(row_type(plan))
    present = columns_of(near) | columns_of(far) | {place}
    one, other = (row_of(plan, space, present, (i,)) for i in range(2))
    both = Row(one.columns + other.columns)
    ranges = column_ranges(plan)
    condition = Call(op, (far, shifted(near, width)), BOOLEAN)
    rules = (one.rule, other.rule, both.reader(space, (*ranges, *ranges)).holds(condition))
    start, end = other.columns[place], one.columns[place]
    if not isinstance(start, Term) or not isinstance(end, Term):
        return None
    found = extents(space, rules, (start.minus(end) if descending else end.minus(start),))
    if found is None:
        return -1
    most = found[0].upper
    return None if most is None else int(most)
