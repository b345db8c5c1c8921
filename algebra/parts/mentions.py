"""Searches in a plan: for its scans, parameters, references to columns, and calls of MONOTONIC."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from algebra.catalog import QualifiedName, Stream
from algebra.expression import Call, Expression, InputRef, Op, OuterRef, Parameter, Subquery
from algebra.modify import Delete, Insert, Merge, Modify, Update
from algebra.parts.node_expressions import expressions_of
from algebra.plan import Plan, Reads, Scan, inputs_of
from algebra.rewrite import operands
from algebra.types import Type

Node: TypeAlias = Plan | Modify | Expression


def parts(node: Node, depth: int = 0) -> Iterator[tuple[Node, int]]:
    """``node`` and the plans and expressions in it, each with the number of sub-queries around it.

    ``node`` itself comes first, with the number ``depth``.  The inputs of a plan come before its
    expressions.
    """
    yield node, depth
    for each in _inside(node):
        yield from parts(each, depth)
    if isinstance(node, Subquery):
        yield from parts(node.plan, depth + 1)


def _inside(node: Node) -> Iterable[Plan | Expression]:
    """The direct parts of ``node``, without the plan of a sub-query."""
    if isinstance(node, Plan):
        return (*inputs_of(node), *expressions_of(node))
    match node:
        case Insert(_, input):
            return (input,)
        case Update(_, row, condition):
            return (*row, condition)
        case Delete(_, condition):
            return (condition,)
        case Merge(_, source, condition, actions):
            of_actions = [
                each for action in actions for each in (action.condition, *(action.row or ()))
            ]
            return (source, condition, *of_actions)
        case _:
            return operands(node)


def scans(node: Node) -> Iterator[Scan]:
    """The scans in a plan, including those of sub-queries in its expressions."""
    return (each for each, _ in parts(node) if isinstance(each, Scan))


def streams_read(node: Node) -> dict[QualifiedName, Stream]:
    """The streams whose new rows a plan reads, by name, in the order of its `scans`."""
    found = (each.source for each in scans(node) if each.reads is Reads.STREAM)
    return {each.name: each for each in found if isinstance(each, Stream)}


def read_names(node: Node) -> frozenset[QualifiedName]:
    """The names of the tables and streams that a plan reads.

    For the output of a table function, it is the name of the stream that the function reads.
    """
    sources = (each.source for each in scans(node))
    return frozenset(
        each.call.input.name if isinstance(each, Stream) and each.call is not None else each.name
        for each in sources
    )


def parameter_types(node: Node) -> Mapping[int, Type]:
    """The type of each parameter in a plan, by its index; sub-queries' are among them."""
    return {each.index: each.type for each, _ in parts(node) if isinstance(each, Parameter)}


def reads_clock(node: Node) -> bool:
    """Whether a plan reads the session's clock, so that its rows may change with the clock."""
    calls = (each for each, _ in parts(node) if isinstance(each, Call))
    return any(each.op is Op.CURRENT_TIMESTAMP for each in calls)


def references(node: Node) -> Iterator[tuple[int, InputRef | OuterRef]]:
    """The references in ``node`` to columns of its own row, and of rows of the queries around it.

    Each stands after its level: 0 for the row over which ``node`` is evaluated, 1 for the row of
    the query around it, and so on.  References of sub-queries to their own rows are left out.
    """
    for each, depth in parts(node):
        match each:
            case InputRef() if depth == 0:
                yield 0, each
            case OuterRef(level) if level >= depth:
                yield level - depth, each
            case _:
                pass


def own_monotonic_calls(plan: Plan) -> tuple[Call, ...]:
    """The distinct calls of MONOTONIC in the expressions of ``plan``'s topmost node."""
    return tuple(dict.fromkeys(monotonic_calls(expressions_of(plan))))


def monotonic_calls(expressions: Iterable[Expression]) -> Iterator[Call]:
    """The outermost calls of MONOTONIC in some expressions, without those in sub-queries."""
    for each in expressions:
        match each:
            case Call(Op.MONOTONIC):
                yield each
            case _:
                yield from monotonic_calls(operands(each))
