"""The expressions of a plan's topmost node, and the node with other expressions."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from algebra.expression import Call, Expression, SortKey
from algebra.plan import (
    Aggregate,
    AsofJoin,
    Changes,
    Delta,
    Filter,
    Hop,
    Join,
    Plan,
    Project,
    Scan,
    Session,
    SetOp,
    Sort,
    Values,
    Window,
    WindowJoin,
)


def expressions_of(plan: Plan) -> tuple[Expression, ...]:
    """The expressions of ``plan``'s topmost node, in the order of its fields.

    Literals that are parameters of the node are left out: the sizes of Hop, the distances of a
    frame, the slack of a t-sort.
    """
    found: list[Expression] = []

    def record(expression: Expression) -> Expression:
        found.append(expression)
        return expression

    with_expressions(plan, record)  # the list of expressions is defined in one place
    return tuple(found)


def with_expressions(plan: Plan, change: Callable[[Expression], Expression]) -> Plan:
    """``plan`` with each expression of its topmost node replaced by ``change`` of it.

    ``change`` is called in the order of the node's fields.
    """

    def changed(old: Sequence[Expression]) -> tuple[Expression, ...]:
        return tuple(map(change, old))

    def keys_changed(old: Sequence[SortKey]) -> tuple[SortKey, ...]:
        return tuple(replace(key, expression=change(key.expression)) for key in old)

    def one(old: Expression | None) -> Expression | None:
        return None if old is None else change(old)

    match plan:
        case Scan() | SetOp() | Delta() | Changes():
            return plan
        case Values(rows):
            return replace(plan, rows=tuple(map(changed, rows)))
        case Filter(_, condition) | Join(condition=condition) | WindowJoin(condition=condition):
            return replace(plan, condition=change(condition))
        case AsofJoin(_, _, _, condition, match):
            return replace(plan, condition=change(condition), match=_comparison(change(match)))
        case Project(_, expressions):
            return replace(plan, expressions=changed(expressions))
        case Hop(_, time):
            return replace(plan, time=change(time))
        case Session(_, keys, time):
            return replace(plan, keys=changed(keys), time=change(time))
        case Aggregate(_, keys, _, measures):
            return replace(
                plan,
                keys=changed(keys),
                measures=tuple(
                    replace(
                        call,
                        arguments=changed(call.arguments),
                        filter=one(call.filter),
                        order=keys_changed(call.order),
                    )
                    for call in measures
                ),
            )
        case Window(_, groups):
            return replace(
                plan,
                groups=tuple(
                    replace(
                        group,
                        partition=changed(group.partition),
                        order=keys_changed(group.order),
                        calls=tuple(
                            replace(
                                call, arguments=changed(call.arguments), filter=one(call.filter)
                            )
                            for call in group.calls
                        ),
                    )
                    for group in groups
                ),
            )
        case Sort(_, keys, offset, limit):
            return replace(plan, keys=keys_changed(keys), offset=one(offset), limit=one(limit))


def _comparison(match: Expression) -> Call:
    """The changed match of an AsofJoin, which must still be a call."""
    assert isinstance(match, Call), "a change of operands keeps the comparison"
    return match


def ordered_by(plan: Window) -> list[Expression]:
    """The expressions of all PARTITION BY and ORDER BY clauses of a window, partitions first."""
    keys = [key.expression for group in plan.groups for key in group.order]
    return [*(each for group in plan.groups for each in group.partition), *keys]
