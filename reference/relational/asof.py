"""The definition of ASOF joins: each left row with the nearest right row of its key (S-904)."""

from collections.abc import Callable

from algebra.parts.asof import asof_of
from algebra.plan import AsofJoin, row_type
from reference.environment import Environment
from reference.relation import Relation, Row
from reference.scalar.expression import meaning_of, truth_in_turn
from reference.values import compare


def asof_join(plan: AsofJoin, left: Relation, right: Relation, env: Environment) -> Relation:
    """The left rows in their order, each with its nearest right row, or padded if LEFT.

    Defines: S-904.a
    """
    nulls = (None,) * len(row_type(plan.right))
    nearest = env.forms.nearest(plan, right, env)
    partners = ((row, nearest(row)) for row in left)
    return [
        row + (nulls if partner is None else partner)
        for row, partner in partners
        if partner is not None or plan.kind.preserves_left
    ]


def nearest_row(plan: AsofJoin, right: Relation, env: Environment) -> Callable[[Row], Row | None]:
    """A function from a left row to its nearest right row; it returns None if there is none.

    The candidates are the right rows for which ON and MATCH_CONDITION are true.  The nearest is the
    candidate with the greatest time, or the least time if the match is forward.  Of candidates with
    equal times, the first is taken (S-307 leaves this open).

    Defines: S-904.e, S-904.f
    """
    asof = asof_of(plan)
    partners_of = env.forms.partners(right, plan.condition, len(row_type(plan.left)))
    equates = truth_in_turn(plan.condition, env)
    matches = truth_in_turn(plan.match, env)
    time_of = meaning_of(asof.right_time, env)

    def nearest(row: Row) -> Row | None:
        found: Row | None = None
        for _, each in partners_of(row):
            if equates(row + each) and matches(row + each):
                nearer = 1 if found is None else compare(time_of(each), time_of(found))
                if found is None or (nearer > 0 if asof.backward else nearer < 0):
                    found = each
        return found

    return nearest
