"""The enclosing queries whose columns an expression refers to."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import cast

from algebra.catalog import Stream, Table
from algebra.expression import (
    Exists,
    Expression,
    InputRef,
    InQuery,
    OuterRef,
    Quantified,
    ScalarQuery,
)


def levels_of(expression: Expression) -> frozenset[int]:
    """The levels of the columns in ``expression``: 0 for its own row's, 1 for the next query's, ….

    Columns that its sub-queries take of their own rows do not count.
    """
    return frozenset(_levels(expression, 0))


def _levels(node: object, depth: int) -> Iterator[int]:
    """`levels_of` for a part of an expression that is ``depth`` sub-queries deep in it."""
    match node:
        case InputRef():
            if depth == 0:
                yield 0
        case OuterRef(level):
            if level >= depth:
                yield level - depth
        case tuple():
            for each in cast("tuple[object, ...]", node):  # a pattern does not say of what
                yield from _levels(each, depth)
        case Table() | Stream():
            return
        case _ if is_dataclass(node) and not isinstance(node, type):
            query = isinstance(node, ScalarQuery | Exists | InQuery | Quantified)
            for each in fields(node):
                inside = depth + (query and each.name == "plan")
                yield from _levels(getattr(node, each.name), inside)
        case _:
            return
