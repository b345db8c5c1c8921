"""The definitions on which an answer can depend: those that the reference's backend reaches."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Final, TypeAlias

from rowtime.score.change import source_of
from rowtime.score.fresh.subjects import is_left_out, modules_of_packages
from rowtime.score.fresh.wording import meaning, returns_suggestions, wording_names

#: The module by which the kit calls the reference: every definition that an answer can depend on is
#: reached from here.
ROOT: Final = "reference.backend"

#: A module and the name of a definition in it: a function, a class or a constant.
_Place: TypeAlias = tuple[str, str]


def gives_meaning(module: str, function: str) -> bool:
    """Whether an answer can depend on a function; a method is reached with its class."""
    return (module, function.partition(".")[0]) in _reached(ROOT)


@cache
def _reached(root: str) -> frozenset[_Place]:
    """The definitions of a module, and all that they mention, directly or through others.

    A definition that only functions that are left out mention is not reached.
    """
    modules = {each.__name__: _Module.read(each) for each in modules_of_packages()}
    left = [(root, name) for name in modules[root].definitions]
    reached = set(left)
    while left:
        module, name = left.pop()
        found = modules.get(module)
        definition = None if found is None else found.definitions.get(name)
        if found is None or definition is None or is_left_out(module, name):
            continue
        if not returns_suggestions(definition):
            new = set(found.named_in(definition)) - reached
            reached |= new
            left += new
    return frozenset(reached)


@dataclass(frozen=True, slots=True)
class _Module:
    """The definitions of a module, and the place of each name that it imports."""

    name: str
    definitions: Mapping[str, ast.stmt]
    imported: Mapping[str, _Place]

    @classmethod
    def read(cls, module: ModuleType) -> "_Module":
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
        """The places of the definitions that a definition mentions, without those for texts."""
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
