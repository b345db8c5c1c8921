"""Facts of plans: results of functions of a node, which are computed once and kept in the node.

Example: ``@deduced_once def row_type(plan: Plan) -> RowType``.
"""

from collections.abc import Callable
from functools import update_wrapper
from typing import Concatenate, Final, ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")
N = TypeVar("N", bound="Node")

#: The mark of a fact that has not been deduced; None can be a fact.
_UNKNOWN: Final = object()


class Node:
    """A node of a plan, which remembers the facts that have been deduced from it.

    The facts are not part of its value: two nodes are equal if their fields are.
    """

    __slots__ = ("facts",)

    facts: dict[tuple[object, ...], object]


def deduced_once(rule: Callable[Concatenate[N, P], T]) -> Callable[Concatenate[N, P], T]:
    """A function like ``rule``, which calls it only once for the same node and arguments.

    The result of ``rule`` must depend only on the node and the other arguments, which must be
    hashable.  A node never changes, so the result is kept as long as the node.  As with
    `functools.lru_cache`, the function has a method ``cache_clear``, after which each fact is
    deduced again.
    """
    mark = object()  # in the keys of this rule's facts, until `cache_clear`
    defaults = rule.__defaults__ or ()
    argument_count = rule.__code__.co_argcount

    def fact(node: N, /, *args: P.args, **kwargs: P.kwargs) -> T:
        # Arguments that are left out are in the key with their defaults.
        missing = argument_count - 1 - len(args) - len(kwargs)
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
