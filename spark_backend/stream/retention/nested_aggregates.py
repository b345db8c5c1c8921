"""Groups of groups as groups of the rows that these are of: which rows one is made of (S-503).

A group of others by their keys has the rows of all of them, and its hidden clock, the greatest of
theirs, is the greatest time of those rows.
"""

from dataclasses import replace

from algebra.expression import AggregateFunction, Expression, InputRef
from algebra.plan import Aggregate, Filter, Plan, Project, columns, row_type
from algebra.rewrite import columns_of, has_subquery, substituted
from spark_backend.stream.times import is_clocked


def of_rows(plan: Aggregate, time: int) -> Aggregate | None:
    """The groups with their clock alone, over the rows of the groups below; None: there are none.

    ``time`` is the place of the clock.
    """
    found = _groups_below(plan.input)
    if found is None:
        return None
    inner, made = found
    keys = tuple(substituted(key, made) for key in plan.keys)
    call = plan.measures[time - len(plan.keys)]
    if call.function is not AggregateFunction.MAX or call.filter is not None:
        return None
    clock = substituted(call.arguments[0], made)
    if clock != InputRef(len(row_type(inner)) - 1, clock.type) or len(inner.sets) > 1:
        return None
    if any(has_subquery(key) or max(columns_of(key), default=0) >= len(inner.keys) for key in keys):
        return None
    own = tuple(substituted(key, inner.keys) for key in keys)
    names = (*plan.names[: len(keys)], plan.names[time])
    return replace(plan, input=inner.input, keys=own, measures=inner.measures[-1:], names=names)


def _groups_below(plan: Plan) -> tuple[Aggregate, tuple[Expression, ...]] | None:
    """The groups that a plan merely filters and projects, and its columns over theirs."""
    match plan:
        case Aggregate() if is_clocked(plan):
            return plan, columns(plan)
        case Filter(input):
            return _groups_below(input)
        case Project(input, expressions):
            below = _groups_below(input)
            if below is None:
                return None
            return below[0], tuple(substituted(each, below[1]) for each in expressions)
        case _:
            return None
