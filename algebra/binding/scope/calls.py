"""Searches in a syntax tree: for calls of aggregates, for names and literals, for sub-queries.

The sets below have the names of the functions of each kind.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Final, cast

from algebra.expression import WindowFunction
from algebra.functions.aggregates import AGGREGATES
from grammar import tree

#: The functions that need OVER, by name.
WINDOW_FUNCTIONS: Final[Mapping[str, WindowFunction]] = {str(each): each for each in WindowFunction}
#: The functions that identify grouping sets.
GROUPING_FUNCTIONS: Final = frozenset({"GROUPING", "GROUPING_ID", "GROUP_ID"})
#: The functions that put rows into windows in GROUP BY.
GROUP_WINDOWS: Final = frozenset({"TUMBLE", "HOP", "SESSION"})
#: The functions that return the start or the end of such a window.
GROUP_WINDOW_ENDS: Final = frozenset(
    f"{each}_{end}" for each in GROUP_WINDOWS for end in ("START", "END")
)


def function_name(call: tree.FunctionCall) -> str:
    """The name of the called function; empty for a name with a schema, which no built-in has."""
    return call.name.parts[0].name if len(call.name.parts) == 1 else ""


def is_aggregate(node: object) -> bool:
    """Whether ``node`` is a call that aggregates a group; a call with OVER does not."""
    if not isinstance(node, tree.FunctionCall) or node.over is not None:
        return False
    return function_name(node) in AGGREGATES.keys() | GROUPING_FUNCTIONS


def operands_of(call: tree.FunctionCall) -> tuple[tree.Expression, ...]:
    """The expressions in a call, in the order of the text: arguments, order, filter, window."""
    found = [*call.arguments, *(each.expression for each in call.within_group)]
    if call.filter is not None:
        found.append(call.filter)
    if call.over is not None:
        found += [*call.over.partition, *(each.expression for each in call.over.order)]
    return tuple(found)


def inside(node: object) -> Iterable[object]:
    """The direct parts of a syntax node or of a tuple of nodes; none for any other object."""
    if isinstance(node, tuple):
        return cast("tuple[object, ...]", node)  # isinstance does not narrow the items
    kind = type(node)
    return [getattr(node, each) for each in _field_names(kind)]  # type: ignore[arg-type]  # it is hashable


@cache
def _field_names(kind: type) -> Sequence[str]:
    """The names of the fields of a kind of syntax nodes; none for any other class."""
    return [each.name for each in fields(kind)] if is_dataclass(kind) else ()


def nodes_in(node: object, without: type | tuple[()] = ()) -> Iterator[object]:
    """``node`` and all nodes in it, in the order of the text, each before its parts.

    A node of the class ``without`` is left out, with all its parts.
    """
    remaining = [node]
    while remaining:
        each = remaining.pop()
        if not isinstance(each, without):
            yield each
            remaining.extend(reversed([*inside(each)]))


def has_query(node: object) -> bool:
    """Whether ``node`` is or contains a sub-query."""
    return any(isinstance(each, tree.Query) for each in nodes_in(node))


def calls_in(node: object) -> Iterator[tree.FunctionCall]:
    """The calls in ``node``, in the order of the text, without those in sub-queries."""
    return (each for each in nodes_in(node, tree.Query) if isinstance(each, tree.FunctionCall))


def leaves_in(node: object) -> Iterator[tree.ColumnRef | tree.Literal | tree.IntervalLiteral]:
    """The names and literals in ``node``, in the order of the text; not those in sub-queries."""
    for each in nodes_in(node, tree.Query):
        if isinstance(each, tree.ColumnRef | tree.Literal | tree.IntervalLiteral):
            yield each


def aggregates_in(*nodes: object) -> Iterator[tree.FunctionCall]:
    """The aggregates in ``nodes``, node by node, each in the order of its text.

    Aggregates in sub-queries are left out.
    """
    return (call for node in nodes for call in calls_in(node) if is_aggregate(call))
