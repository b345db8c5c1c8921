"""Facts of a plan: each is deduced of a node and its inputs, once for each node."""

from collections.abc import Callable
from functools import update_wrapper
from typing import Concatenate, Final, ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")
N = TypeVar("N", bound="Node")

_UNKNOWN: Final = object()


class Node:
    """A node of a plan, which remembers the facts that have been deduced of it.

    They are not part of its value: two nodes are equal if their fields are.
    """

    __slots__ = ("facts",)

    facts: dict[tuple[object, ...], object]


def deduced_once(rule: Callable[Concatenate[N, P], T]) -> Callable[Concatenate[N, P], T]:
    """The fact that ``rule`` deduces: a function of a node and of the other arguments alone.

    A node never changes, so each fact of it is deduced when it is first asked for, and kept as long
    as the node.  The other arguments are hashable.  As with `functools.lru_cache`, the function has
    a method ``cache_clear``, after which each fact is deduced again.
    """
    mark = object()
    defaults = rule.__defaults__ or ()
    most = rule.__code__.co_argcount

    def fact(node: N, /, *args: P.args, **kwargs: P.kwargs) -> T:
        # Arguments that are left out are in the key with their defaults.
        missing = most - 1 - len(args) - len(kwargs)
        key = (mark, *args, *kwargs.items(), *(defaults[-missing:] if missing > 0 else ()))
        try:
            facts = node.facts
        except AttributeError:
            facts = {}
            object.__setattr__(node, "facts", facts)
        found = facts.get(key, _UNKNOWN)
        if found is _UNKNOWN:
            found = facts[key] = rule(node, *args, **kwargs)
        return cast("T", found)

    def cache_clear() -> None:
        nonlocal mark
        mark = object()

    update_wrapper(fact, rule)
    setattr(fact, "cache_clear", cache_clear)  # noqa: B010  a function has no such attribute by type
    return fact
