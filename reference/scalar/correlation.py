"""Correlation: whether a sub-query refers to the row of the query around it."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import cast

from algebra.expression import Exists, InQuery, OuterRef, Quantified, ScalarQuery
from algebra.plan import Plan


def depends_on_row(plan: Plan) -> bool:
    """Whether ``plan``, or a query inside it, refers to the row of the nearest enclosing query.

    References further out do not count: those rows stay while this one changes.
    """
    return any(_references(plan, 1))


def _references(node: object, depth: int) -> Iterator[OuterRef]:
    """The references out of ``node`` that lead exactly ``depth`` queries out of it."""
    match node:
        case OuterRef(level) if level == depth:
            yield node
        case tuple():
            # cast: a tuple pattern does not say of what
            for each in cast("tuple[object, ...]", node):
                yield from _references(each, depth)
        case ScalarQuery() | Exists() | InQuery() | Quantified():
            for field in fields(node):
                inside = depth + (field.name == "plan")
                yield from _references(getattr(node, field.name), inside)
        case _ if is_dataclass(node):
            for field in fields(node):
                yield from _references(getattr(node, field.name), depth)
        case _:
            pass
