"""Applies the mutation operators of cosmic-ray, a mutation tool, to the text of a function.

An operator makes one kind of small mistake, such as `<` in place of `<=`.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Final

# Any: cosmic-ray has no types.
_AST: Final[Any] = import_module("cosmic_ray.ast")
_MUTATING: Final[Any] = import_module("cosmic_ray.mutating")
_PLUGINS: Final[Any] = import_module("cosmic_ray.plugins")


def occurrences(text: str, operators: Sequence[str]) -> Mapping[str, int]:
    """The number of mutants that each of the operators makes of a text, by the operator's name."""
    nodes = list(_AST.ast_nodes(_AST.get_ast(text)))
    found: dict[str, int] = {}
    for name in operators:
        operator = _PLUGINS.get_operator(name)()
        found[name] = sum(len(list(operator.mutation_positions(node))) for node in nodes)
    return found


def mutated(text: str, operator: str, occurrence: int) -> str | None:
    """The mutant that an operator makes at one of its places in a text.

    ``occurrence`` is the number of the place, from 0.  None if there is no such place.
    """
    made = _MUTATING.mutate_code(text, _PLUGINS.get_operator(operator)(), occurrence)
    return None if made is None else str(made)
