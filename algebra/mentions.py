"""The scans and parameters in a plan, and the calls of MONOTONIC in an expression."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import cast

from algebra.catalog import QualifiedName, Stream
from algebra.expression import Call, Expression, Op, Parameter
from algebra.plan import Plan, Reads, Scan
from algebra.types import Type


def scans(node: object) -> Iterator[Scan]:
    """The scans in a plan, including those of sub-queries in its expressions."""
    match node:
        case Scan():
            yield node
        case tuple():
            # cast: a tuple pattern does not say of what
            for each in cast("tuple[object, ...]", node):
                yield from scans(each)
        case _ if is_dataclass(node):
            for field in fields(node):
                yield from scans(getattr(node, field.name))
        case _:
            pass


def streams_read(node: object) -> dict[QualifiedName, Stream]:
    """The streams whose passing rows a plan reads, by name, in the order of its `scans`."""
    found = (each.source for each in scans(node) if each.reads is Reads.STREAM)
    return {each.name: each for each in found if isinstance(each, Stream)}


def read_names(node: object) -> frozenset[QualifiedName]:
    """The names of the tables and streams that a plan reads, through table functions, too."""
    sources = (each.source for each in scans(node))
    return frozenset(
        each.call.input.name if isinstance(each, Stream) and each.call is not None else each.name
        for each in sources
    )


def parameter_types(node: object) -> Mapping[int, Type]:
    """The type of each parameter in a plan, by its index; sub-queries' are among them."""
    return {each.index: each.type for each in parts_of(node) if isinstance(each, Parameter)}


def reads_clock(node: object) -> bool:
    """Whether a plan reads the session's clock, so that its rows may change as the clock does."""
    return any(
        isinstance(each, Call) and each.op is Op.CURRENT_TIMESTAMP for each in parts_of(node)
    )


def parts_of(node: object) -> Iterator[Plan | Expression]:
    """The plans and expressions in ``node``, itself the first."""
    if isinstance(node, tuple):
        # cast: isinstance does not say of what
        for each in cast("tuple[object, ...]", node):
            yield from parts_of(each)
    elif is_dataclass(node):
        if isinstance(node, Plan | Expression):
            yield node
        for field in fields(node):
            yield from parts_of(getattr(node, field.name))


def own_monotonic_calls(plan: Plan) -> tuple[Call, ...]:
    """The distinct calls of MONOTONIC in the expressions of ``plan``'s topmost node."""
    own = tuple(getattr(plan, each.name) for each in fields(plan))
    return tuple(dict.fromkeys(monotonic_calls(own)))


def monotonic_calls(node: object) -> Iterator[Call]:
    """The calls of MONOTONIC in an expression or a tuple of them, without those in sub-queries."""
    match node:
        case Call(Op.MONOTONIC):
            yield node
        case tuple():
            # cast: a tuple pattern does not say of what
            for each in cast("tuple[object, ...]", node):
                yield from monotonic_calls(each)
        case _ if is_dataclass(node) and not isinstance(node, Plan):
            for field in fields(node):
                yield from monotonic_calls(getattr(node, field.name))
        case _:
            pass
