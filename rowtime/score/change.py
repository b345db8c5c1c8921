"""Changes of one function or constant of the reference, and how to apply them in this process.

A reference with such a change is a wrong backend.  The module also finds functions, their sources
and their syntax trees by name.
"""

import ast
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Final

#: The packages of the reference, whose functions are changed and traced.
PACKAGES: Final = ("algebra", "reference")


class ChangeError(Exception):
    """A change that cannot be applied, because the code was edited after the change was written."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a function: the text ``now`` replaces the text ``was`` in its source.

    ``function`` is a qualified name in ``module``, such as ``Aggregate.take``; for a nested
    function, it is that of the outermost function.  ``was`` must be in its source exactly once.

    If ``function`` is empty, a constant of the module is changed, such as a table of rules: ``now``
    is a statement that is executed in the module, and ``was`` is empty.

    ``statement`` is the line and column in the module of the one statement that is changed; None if
    it is not known.
    """

    module: str
    function: str
    was: str
    now: str
    statement: tuple[int, int] | None = None

    @property
    def where(self) -> str:
        """``module:function``; for the change of a constant, the module."""
        return f"{self.module}:{self.function}".rstrip(":")

    @property
    def place(self) -> str:
        """The place that a case must reach to detect the change: the statement, or the function."""
        return self.where if self.statement is None else f"{self.where}:{self.statement}"


def apply(change: Change) -> None:
    """Change the function, or the constant, in this process.

    The function object stays the same, so that all modules that have imported it call the changed
    one.  The caches of functions are cleared.  Raises `ChangeError`.
    """
    module = import_module(change.module)
    if change.function:
        function = functions_of(module).get(change.function)
        if function is None:
            raise ChangeError(f"{change.where}: there is no such function")
        function.__code__ = changed_code(change)
    else:
        exec(compile(change.now, change.module, "exec"), vars(module))  # noqa: S102  our own code
    clear_caches()


def changed_code(change: Change) -> CodeType:
    """The code of the changed function.  Raises `ChangeError`."""
    module = import_module(change.module)
    source = source_of(module)
    start, end = source_span(module, change.function)
    text = source[start:end]
    count = text.count(change.was) if change.was else 0
    if count != 1:
        raise ChangeError(f"{change.where}: {change.was!r} stands there {count} times, not once")
    changed = f"{source[:start]}{text.replace(change.was, change.now)}{source[end:]}"
    try:
        compiled = compile(changed, str(module.__file__), "exec", dont_inherit=True)
    except SyntaxError as error:
        raise ChangeError(f"{change.where}: {error.msg}: {change.now!r}") from None
    # If the name is defined several times, as by @overload, the last definition counts.
    return [each for each in codes(compiled) if each.co_qualname == change.function][-1]


def codes(code: CodeType) -> Iterator[CodeType]:
    """The codes of the functions in a compiled module, those of its classes too."""
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield each
            yield from codes(each)


@cache
def source_of(module: ModuleType) -> str:
    """The source of a module at the time of the first call."""
    return Path(str(module.__file__)).read_text("utf-8")


def read_source(change: Change) -> None:
    """Read and parse the module of a change, and keep the results in caches.

    Forks that begin later have the same caches, and can apply the change even if the file was
    edited in the meantime.
    """
    _tree(import_module(change.module))


def source_span(module: ModuleType, function: str) -> tuple[int, int]:
    """The half-open range of a function in its module's source, in whole lines.

    Raises `ChangeError` if there is no such function.
    """
    found = node_of(module, function)
    lines = source_of(module).splitlines(keepends=True)
    start = sum(map(len, lines[: found.lineno - 1]))
    assert found.end_lineno is not None, "a parsed node has an end"
    return start, start + sum(map(len, lines[found.lineno - 1 : found.end_lineno]))


def node_of(module: ModuleType, function: str) -> ast.ClassDef | ast.FunctionDef:
    """The last definition of a function, or of a class, in the syntax tree of its module.

    Raises `ChangeError` if there is no such function.
    """
    found: ast.AST = _tree(module)
    for name in function.split("."):
        definitions = [
            each
            for each in ast.iter_child_nodes(found)
            if isinstance(each, ast.ClassDef | ast.FunctionDef) and each.name == name
        ]
        if not definitions:
            raise ChangeError(f"{module.__name__}:{function}: there is no such function")
        found = definitions[-1]
    assert isinstance(found, ast.ClassDef | ast.FunctionDef), "a name has at least one part"
    return found


@cache
def _tree(module: ModuleType) -> ast.Module:
    return ast.parse(source_of(module))


def functions_of(module: ModuleType) -> dict[str, FunctionType]:
    """The functions of a module by their qualified names, with the methods of its classes.

    Only functions that the module's source defines with ``def`` are returned.
    """
    return {
        name: function
        for name, function in _functions(module.__name__, vars(module))
        if function.__code__.co_filename == module.__file__ and "<" not in name
    }


def _functions(module: str, names: Mapping[str, object]) -> Iterator[tuple[str, FunctionType]]:
    """The functions among the values of a module or class, and those of classes among them.

    Functions and classes that ``module`` only imports are left out.
    """
    for each in names.values():
        if isinstance(each, type):
            if each.__module__ == module:
                yield from _functions(module, vars(each))
            continue
        function = _underlying(each)
        if function is not None and function.__module__ == module:
            yield function.__qualname__, function


def _underlying(value: object) -> FunctionType | None:
    """The function that a property, a decorated function or a class method calls; else None."""
    inner: object = value.fget if isinstance(value, property) else value
    while (wrapped := getattr(inner, "__wrapped__", None)) is not None:
        inner = wrapped
    return inner if isinstance(inner, FunctionType) else None


def clear_caches() -> None:
    """Clear the caches of all functions of the reference."""
    for clear in _clearing(len(sys.modules)):
        clear()


@cache
def _clearing(_loaded: int) -> tuple[Callable[[], None], ...]:
    """The methods that clear the caches of functions.

    ``_loaded`` is the number of loaded modules: when it has grown, the result is computed again.
    """
    clearing = {
        id(each): each.cache_clear
        for name, module in list(sys.modules.items())
        if name.partition(".")[0] in PACKAGES
        for each in vars(module).values()
        if hasattr(each, "cache_clear")
    }
    return tuple(clearing.values())
