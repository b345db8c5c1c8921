"""Fast ASOF joins: a search among the right rows of a key, which are sorted by their times."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from functools import cmp_to_key
from typing import TYPE_CHECKING

from algebra.expression import InputRef
from algebra.parts.asof import asof_of
from algebra.plan import AsofJoin, row_type
from reference.environment import Environment
from reference.fast.hash_join import rows_by_key
from reference.relation import Relation, Row
from reference.relational import asof as definition
from reference.scalar.expression import truth_in_turn
from reference.scalar.join_keys import equalities
from reference.values import compare

if TYPE_CHECKING:
    from _typeshed import SupportsAllComparisons


def nearest_row(plan: AsofJoin, right: Relation, env: Environment) -> Callable[[Row], Row | None]:
    """As `reference.relational.asof.nearest_row`, but by a binary search in sorted rows.

    Returns a function from a left row to its nearest right row; None if no right row matches.

    If a key or a time is not a column, the definition itself is returned: computing the expression
    could fail for a row at which the search does not look.
    """
    asof = asof_of(plan)
    left_time, right_time = asof.left_time, asof.right_time
    width = len(row_type(plan.left))
    if (
        not isinstance(left_time, InputRef)
        or not isinstance(right_time, InputRef)
        or len(equalities(plan.condition, width)) < len(asof.left_keys)
    ):
        return definition.nearest_row(plan, right, env)
    order = cmp_to_key(compare)

    def time_of(row: Row) -> "SupportsAllComparisons":
        return order(row[right_time.index])

    timed = [row for row in right if row[right_time.index] is not None]
    # Among rows with the same time, the first one is the nearest, in either direction.  A backward
    # join takes the last candidate.  So the rows are reversed before the sort, which preserves the
    # order of rows with the same time.
    timed = sorted(timed[::-1] if asof.backward else timed, key=time_of)
    partners_of = rows_by_key(timed, plan.condition, width)
    matches = truth_in_turn(plan.match, env)
    # The candidates are the rows before the place if backward, else those from the place on.  They
    # include the rows at the left row's own time, unless MATCH_CONDITION is strict.
    place_of = bisect_right if asof.backward != asof.strict else bisect_left

    def nearest(row: Row) -> Row | None:
        time, rows = row[left_time.index], partners_of(row)
        if time is None:
            return None
        place = place_of(rows, order(time), key=lambda each: time_of(each[1]))
        places = range(place - 1, -1, -1) if asof.backward else range(place, len(rows))
        # The candidates, nearest first.  Because of their places, MATCH_CONDITION is true for them,
        # and the first one is the answer.  The condition is evaluated only to make sure.
        candidates = (rows[each][1] for each in places)
        return next((each for each in candidates if matches(row + each)), None)

    return nearest
