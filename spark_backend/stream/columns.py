"""The columns of its streams that a query reads; the others are not retained.

They are found from the top of the plan down: a node reads the columns of its input that its own
reader reads, and those that it uses itself.  A sub-query may read any column of the enclosing rows,
so all of them are read.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from algebra.catalog import QualifiedName
from algebra.expression import Expression
from algebra.parts.mentions import scans
from algebra.parts.node_expressions import expressions_of
from algebra.plan import (
    Aggregate,
    Joining,
    Passing,
    Plan,
    Project,
    Reads,
    Scan,
    SetOp,
    Widening,
    WindowJoin,
    inputs_of,
    row_type,
)
from algebra.rewrite import columns_of, has_subquery
from grammar.tree import SetOperator

_Places: TypeAlias = frozenset[int]


def columns_read(plan: Plan) -> Mapping[QualifiedName, frozenset[int]]:
    """The places of the columns that are read of each stream whose arriving rows are read."""
    found: dict[QualifiedName, _Places] = {}
    seen = list(_read(plan, _all(plan)))
    hidden = Counter(scans(plan)) - Counter(scan for scan, _ in seen)
    for scan, places in [*seen, *((scan, _all(scan)) for scan in hidden)]:
        if scan.reads is Reads.STREAM:
            found[scan.source.name] = found.get(scan.source.name, frozenset()) | places
    return found


def _read(plan: Plan, requested: _Places) -> Iterator[tuple[Scan, _Places]]:
    """The scans, with the places read of each, of a plan whose columns ``requested`` are read."""
    match plan:
        case Scan():
            yield plan, requested
        case Passing():
            yield from _read(plan.input, requested | _used(expressions_of(plan), plan.input))
        case Project(input, expressions):
            required = [each for place, each in enumerate(expressions) if place in requested]
            yield from _read(input, _used(required, input))
        case Widening():
            used = _used(expressions_of(plan), plan.input)
            yield from _read(plan.input, _own(requested, plan.input) | used)
        case Aggregate(input):
            yield from _read(input, _used(expressions_of(plan), input))
        case Joining():
            used = requested.union(
                *(_pair(plan.left, plan.right, each) for each in expressions_of(plan))
            )
            if isinstance(plan, WindowJoin):
                used |= {plan.left_rowtime, len(row_type(plan.left)) + plan.right_rowtime}
            yield from _of_sides(plan.left, plan.right, used)
        case SetOp(inputs, SetOperator.UNION, True):
            for each in inputs:
                yield from _read(each, requested)
        case _:  # the other set operations compare rows by all of their columns
            for each in inputs_of(plan):
                yield from _read(each, _all(each))


def _of_sides(left: Plan, right: Plan, places: _Places) -> Iterator[tuple[Scan, _Places]]:
    width = len(row_type(left))
    yield from _read(left, frozenset(each for each in places if each < width))
    right_width = len(row_type(right))
    of_right = (each - width for each in places if width <= each < width + right_width)
    yield from _read(right, frozenset(of_right))


def _pair(left: Plan, right: Plan, condition: Expression) -> _Places:
    if has_subquery(condition):
        return frozenset(range(len(row_type(left)) + len(row_type(right))))
    return columns_of(condition)


def _used(expressions: Iterable[Expression], input: Plan) -> _Places:
    found: _Places = frozenset()
    for each in expressions:
        if has_subquery(each):
            return _all(input)
        found |= columns_of(each)
    return found


def _own(places: _Places, input: Plan) -> _Places:
    """The places that are columns of the input, and not added by the node."""
    return places & _all(input)


def _all(plan: Plan) -> _Places:
    return frozenset(range(len(row_type(plan))))
