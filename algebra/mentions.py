"""The scans in a plan, and the calls of MONOTONIC in an expression."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import cast

from algebra.expression import Call, Op
from algebra.plan import Plan, Scan


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
