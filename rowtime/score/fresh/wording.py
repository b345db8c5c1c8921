"""The parts of a function that only make texts for people: messages, hints and suggestions."""

import ast
import re
from collections.abc import Iterable, Iterator
from typing import Final

#: The functions that make errors and suggestions: their arguments are mostly wording.
MAKERS: Final = frozenset(
    {
        *("SqlError", "SuggestingError", "error", "refusal", "refused", "failure", "located"),
        *("with_suggestion", "Suggestion", "Edit", "replacement", "counted", "_bad", "_mismatch"),
        *("_refused", "cast_hint"),
    }
)
#: The names of texts for people.
_TEXTS: Final = re.compile(r"(\w+_)?(message|hint|hints|suggestion|suggestions)")


def wording_names(function: ast.AST) -> frozenset[str]:
    r"""The local names whose values go into messages, hints and suggestions alone.

    >>> wording_names(ast.parse('if a:\n    b = a\n    raise error(f"not {b}", a)'))
    frozenset({'b'})
    """
    names = frozenset(_into_texts(function))
    while True:
        loaded = frozenset(_loaded(meaning(function, names)))
        if not names & loaded:
            return names
        names -= loaded


def _into_texts(function: ast.AST) -> set[str]:
    """The names whose values go into texts, among other places perhaps."""
    nodes = list(ast.walk(function))
    texts = [
        argument
        for each in nodes
        if isinstance(each, ast.Call) and called(each.func) in MAKERS
        for argument in (*each.args, *each.keywords)
        if _is_text(argument)
    ]
    found: set[str] = set()
    new = {name for each in texts for name in _loaded(ast.walk(each))}
    while new:
        found |= new
        names = frozenset(found)
        makes = [e for e in nodes if isinstance(e, ast.stmt) and is_wording(e, names)]
        new = {name for each in makes for name in _loaded(ast.walk(each))} - found
    return found


def _loaded(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The names that are read, among some nodes."""
    for each in nodes:
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load):
            yield each.id


def meaning(node: ast.AST, names: frozenset[str]) -> Iterator[ast.AST]:
    """A node and all nodes inside it, except for texts and for values that only texts need.

    ``names`` are the names of `wording_names`.
    """
    if isinstance(node, ast.stmt) and is_wording(node, names):
        return
    yield node
    makes_text = isinstance(node, ast.Call) and called(node.func) in MAKERS
    for child in ast.iter_child_nodes(node):
        if not (makes_text and _is_text(child)):
            yield from meaning(child, names)


def is_wording(statement: ast.stmt, names: frozenset[str]) -> bool:
    """Whether a statement only assigns to ``names``, or appends to their values."""
    match statement:
        case ast.Assign([ast.Name(name)]):
            return name in names
        case ast.AnnAssign(ast.Name(name)) | ast.AugAssign(ast.Name(name)):
            return name in names
        case ast.Expr(ast.Call(ast.Attribute(ast.Name(name)))):
            return name in names
        case ast.If(_, body, orelse) | ast.For(_, _, body, orelse):
            return all(is_wording(each, names) for each in (*body, *orelse))
        case _:
            return False


def called(function: ast.expr) -> str:
    """The last name of a function: ``error`` of ``environment.error``."""
    match function:
        case ast.Name(name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _is_text(argument: ast.AST) -> bool:
    """Whether an argument of an error is its message, its hint or its suggestions."""
    match argument:
        case ast.JoinedStr() | ast.Constant():
            return True
        case ast.Name(name) | ast.keyword(name):
            return name is not None and _TEXTS.fullmatch(name) is not None
        case _:
            return False
