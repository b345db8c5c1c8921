"""Decides which functions are worth mutating: those on which an answer of the reference can depend.

The answer can depend on a function if the reference's backend reaches it: the backend mentions its
name, or mentions a definition that reaches it.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Final, TypeAlias

from rowtime.score.change import source_of
from rowtime.score.fresh.subjects import is_left_out, modules_of_packages
from rowtime.score.fresh.wording import meaning, returns_suggestions, wording_names

#: The module by which the kit calls the reference; the search begins here.
ROOT: Final = "reference.backend"

#: A module and the name of a definition in it: a function, a class or a constant.
_Place: TypeAlias = tuple[str, str]


def gives_meaning(module: str, function: str) -> bool:
    """Whether an answer can depend on a function.  A method is reached with its class."""
    return (module, function.partition(".")[0]) in _reached(ROOT)


@cache
def _reached(root: str) -> frozenset[_Place]:
    """The definitions of the module ``root``, and all that they mention, directly or indirectly.

    The search does not continue through functions that are left out (`is_left_out`) or that return
    suggestions.  So a definition that only these mention is not reached.
    """
    modules = {each.__name__: _Module.read(each) for each in modules_of_packages()}
    pending = [(root, name) for name in modules[root].definitions]
    reached = set(pending)
    while pending:
        module, name = pending.pop()
        found = modules.get(module)
        definition = None if found is None else found.definitions.get(name)
        if found is None or definition is None or is_left_out(module, name):
            continue
        if not returns_suggestions(definition):
            new = set(found.named_in(definition)) - reached
            reached |= new
            pending += new
    return frozenset(reached)


@dataclass(frozen=True, slots=True)
class _Module:
    """A module: its top-level definitions by name, and the place of each name that it imports."""

    name: str
    definitions: Mapping[str, ast.stmt]
    imported: Mapping[str, _Place]

    @classmethod
    def read(cls, module: ModuleType) -> "_Module":
        """Parse the source of a module."""
        tree = ast.parse(source_of(module))
        definitions = {name: each for each in tree.body for name in _defined(each)}
        imported = {
            alias.asname or alias.name: (each.module or "", alias.name)
            for each in ast.walk(tree)
            if isinstance(each, ast.ImportFrom)
            for alias in each.names
        }
        return cls(module.__name__, definitions, imported)

    def named_in(self, definition: ast.stmt) -> Iterator[_Place]:
        """The places of the definitions that a definition mentions.

        Names that it only mentions to make messages, hints and suggestions are left out.
        """
        for node in meaning(definition, wording_names(definition)):
            match node:
                case ast.Name(name) if name in self.definitions:
                    yield self.name, name
                case ast.Name(name) if name in self.imported:
                    yield self.imported[name]
                case ast.Attribute(ast.Name(name), member) if name in self.imported:
                    yield ".".join(self.imported[name]), member
                case _:
                    pass


def _defined(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement of a module defines."""
    match statement:
        case ast.FunctionDef(name) | ast.ClassDef(name):
            yield name
        case ast.Assign(targets):
            for target in targets:
                yield from (each.id for each in ast.walk(target) if isinstance(each, ast.Name))
        case ast.AnnAssign(ast.Name(name)):
            yield name
        case _:
            pass
