"""The filter of WHERE, of which some conjuncts become conditions of joins of two streams.

A condition such as ``a.t < b.t`` then limits the time for which the join retains rows.
"""

from dataclasses import replace

from algebra.build import TRUE, and_
from algebra.expression import Expression
from algebra.monotonicity.columns import streaming_sides
from algebra.monotonicity.equality import is_deterministic
from algebra.plan import AsofJoin, Filter, Join, Plan, row_type
from algebra.rewrite import columns_of, conjuncts, shifted
from grammar.tree import JoinKind


def conjunction(*conditions: Expression) -> Expression:
    """The conjunction of the conditions that are not the literal TRUE; TRUE if there are none."""
    return and_(*(each for each in conditions if each != TRUE))


def filtered(plan: Plan, where: Expression) -> Plan:
    """The plan of the rows of ``plan``, a FROM clause, for which ``where`` is true.

    A conjunct of ``where`` may bound how far apart the rows of a pair are.  So it becomes a
    condition of the lowest inner join of two streams that has all its columns.  It stays above the
    joins if there is no such join, or if its value is not deterministic.

    Defines: S-510.a
    """
    remaining: list[Expression] = []
    for each in conjuncts(where):
        joined = _in_join(plan, each) if is_deterministic(each) else None
        if joined is None:
            remaining.append(each)
        else:
            plan = joined
    return Filter(plan, and_(*remaining)) if remaining else plan


def _in_join(plan: Plan, condition: Expression) -> Plan | None:
    """The joins of FROM with ``condition`` in the lowest join that can apply it; None: none can.

    The condition cannot move into a side that an outer join pads: it must also decide on rows in
    which this side is NULL.
    """
    if not isinstance(plan, Join | AsofJoin):
        return None
    width, used = len(row_type(plan.left)), columns_of(condition)
    if not plan.kind.preserves_right and all(place < width for place in used):
        left = _in_join(plan.left, condition)
        if left is not None:
            return replace(plan, left=left)
    if isinstance(plan, AsofJoin):
        return None  # a condition on the right rows would change which of them is the nearest
    if not plan.kind.preserves_left and all(place >= width for place in used):
        right = _in_join(plan.right, shifted(condition, -width))
        if right is not None:
            return replace(plan, right=right)
    if plan.kind is JoinKind.INNER and all(streaming_sides(plan)):
        return replace(plan, condition=conjunction(*conjuncts(plan.condition), condition))
    return None
