"""Syntax trees rewritten from the leaves up."""

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from grammar.source import Span

_Node = TypeVar("_Node")


def rewrite(node: _Node, change: Callable[[Any], Any]) -> _Node:  # Any: a node of any class
    """``node`` with ``change`` applied to each node below it, and then to itself.

    What has no nodes below it (names, units, numbers, spans) is given to ``change`` only if it is a
    node itself.
    """
    return change(_below(node, change))


def _below(node: Any, change: Callable[[Any], Any]) -> Any:  # Any: a node of any class
    if isinstance(node, tuple):
        return tuple(rewrite(each, change) for each in node)
    if not is_dataclass(node) or isinstance(node, (type, Span)):
        return node
    old = {each.name: getattr(node, each.name) for each in fields(node)}
    new = {name: rewrite(value, change) for name, value in old.items()}
    return replace(node, **{name: new[name] for name in new if new[name] is not old[name]})
