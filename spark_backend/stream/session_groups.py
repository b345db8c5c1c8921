"""Groups of sessions: each group is complete as soon as its sessions are (S-503, S-902)."""

from algebra.expression import Expression, InputRef
from algebra.monotonicity.deduction import monotonicity
from algebra.parts.grouping_sets import common_keys
from algebra.parts.mentions import own_monotonic_calls, reads_clock
from algebra.parts.node_expressions import expressions_of
from algebra.plan import Aggregate, Filter, Plan, Project, Session, row_type
from spark_backend.order.times import bound_directions


def are_of_sessions(plan: Aggregate) -> bool:
    """Whether the session end is the only monotonic key, and is in every grouping set.

    Then the groups are determined together with the rows of SESSION, and need no state of their
    own: one stage evaluates both operators.
    """
    orders = bound_directions(plan.input)
    places = [i for i, key in enumerate(plan.keys) if monotonicity(key, orders).progresses]
    return (
        len(places) == 1
        and places[0] in common_keys(plan)
        and _is_end(plan.keys[places[0]], plan.input)
    )


def are_sessions(plan: Plan) -> bool:
    """Whether a plan is SESSION or its groups, below filters and projections at most."""
    match plan:
        case Session():
            return True
        case Filter(input) | Project(input):
            return are_sessions(input)
        case Aggregate():
            return are_of_sessions(plan)
        case _:
            return False


def _is_end(column: Expression, plan: Plan) -> bool:
    """Whether a column is the end of sessions whose rows are only filtered and projected."""
    match plan:
        case Session():
            return isinstance(column, InputRef) and column.index == len(row_type(plan)) - 1
        case Filter(input) if _is_of_rows(plan):
            return _is_end(column, input)
        case Project(input, expressions) if isinstance(column, InputRef) and _is_of_rows(plan):
            return _is_end(expressions[column.index], input)
        case _:
            return False


def _is_of_rows(plan: Filter | Project) -> bool:
    """Whether the expressions depend on nothing but the row: no earlier row, and not the clock."""
    return not own_monotonic_calls(plan) and not any(map(reads_clock, expressions_of(plan)))
