"""Syntax trees rewritten from the leaves up."""

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, cast

from grammar.source import Span

_Node = TypeVar("_Node")


def rewrite(node: _Node, change: Callable[[Any], Any]) -> _Node:  # Any: a node of any class
    """``node`` with ``change`` applied to each node below it, and then to itself.

    ``change`` is also called with values that are not nodes (names, units, numbers, tuples), and
    returns them.  It must keep to the classes that may stand in a node's place.
    """
    return cast("_Node", change(_below(node, change)))  # as `change` promises


def _below(node: Any, change: Callable[[Any], Any]) -> Any:  # Any: a node of any class
    if isinstance(node, tuple):
        return tuple(rewrite(each, change) for each in cast("tuple[object, ...]", node))
    if not is_dataclass(node) or isinstance(node, (type, Span)):
        return node
    old = {each.name: getattr(node, each.name) for each in fields(node)}
    new = {name: rewrite(value, change) for name, value in old.items()}
    return replace(node, **{name: new[name] for name in new if new[name] is not old[name]})
