"""The expressions of a plan's topmost node, and the node with other expressions."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from algebra.expression import AggregateCall, Call, Expression, SortKey, WindowCall
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

    The literals that are part of a node's form do not count: the sizes of Hop, the distances of a
    frame, the slack of a t-sort.
    """
    return tuple(_expressions(plan))


def _expressions(plan: Plan) -> Iterator[Expression]:
    match plan:
        case Scan() | SetOp() | Delta() | Changes():
            return
        case Values(rows):
            for row in rows:
                yield from row
        case Filter(_, condition) | Join(condition=condition) | WindowJoin(condition=condition):
            yield condition
        case AsofJoin(_, _, _, condition, match):
            yield condition
            yield match
        case Project(_, expressions):
            yield from expressions
        case Hop(_, time):
            yield time
        case Session(_, keys, time):
            yield from keys
            yield time
        case Aggregate(_, keys, _, measures):
            yield from keys
            for measure in measures:
                yield from _of_call(measure)
                yield from (key.expression for key in measure.order)
        case Window(_, groups):
            for group in groups:
                yield from group.partition
                yield from (key.expression for key in group.order)
                for call in group.calls:
                    yield from _of_call(call)
        case Sort(_, keys, offset, limit):
            yield from (key.expression for key in keys)
            yield from (each for each in (offset, limit) if each is not None)


def _of_call(call: AggregateCall | WindowCall) -> Iterator[Expression]:
    yield from call.arguments
    if call.filter is not None:
        yield call.filter


def with_expressions(plan: Plan, expressions: Iterable[Expression]) -> Plan:
    """``plan`` with other expressions in its topmost node: as many as `expressions_of` gives."""
    new = iter(expressions)

    def taken(old: Sequence[Expression]) -> tuple[Expression, ...]:
        return tuple(next(new) for _ in old)

    def keys_taken(old: Sequence[SortKey]) -> tuple[SortKey, ...]:
        return tuple(replace(key, expression=next(new)) for key in old)

    def one(old: Expression | None) -> Expression | None:
        return None if old is None else next(new)

    match plan:
        case Scan() | SetOp() | Delta() | Changes():
            return plan
        case Values(rows):
            return replace(plan, rows=tuple(map(taken, rows)))
        case Filter() | Join() | WindowJoin():
            return replace(plan, condition=next(new))
        case AsofJoin():
            return replace(plan, condition=next(new), match=_comparison(next(new)))
        case Project(_, old):
            return replace(plan, expressions=taken(old))
        case Hop():
            return replace(plan, time=next(new))
        case Session(_, keys):
            return replace(plan, keys=taken(keys), time=next(new))
        case Aggregate(_, keys, _, measures):
            return replace(
                plan,
                keys=taken(keys),
                measures=tuple(
                    replace(
                        call,
                        arguments=taken(call.arguments),
                        filter=one(call.filter),
                        order=keys_taken(call.order),
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
                        partition=taken(group.partition),
                        order=keys_taken(group.order),
                        calls=tuple(
                            replace(call, arguments=taken(call.arguments), filter=one(call.filter))
                            for call in group.calls
                        ),
                    )
                    for group in groups
                ),
            )
        case Sort(_, keys, offset, limit):
            return replace(plan, keys=keys_taken(keys), offset=one(offset), limit=one(limit))


def _comparison(match: Expression) -> Call:
    """The match of an AsofJoin after a change of its operands."""
    assert isinstance(match, Call), "a change of operands keeps the comparison"
    return match


def ordered_by(plan: Window) -> list[Expression]:
    """The expressions of the PARTITION BY and ORDER BY clauses, in all groups of a window."""
    keys = [key.expression for group in plan.groups for key in group.order]
    return [*(each for group in plan.groups for each in group.partition), *keys]
