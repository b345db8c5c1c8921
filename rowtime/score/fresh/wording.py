"""Finds the parts of a function that only make texts for people: messages, hints, suggestions.

These parts are not mutated, because the cases do not judge texts.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from typing import Final

#: The functions that make errors and suggestions.  Nearly all of their arguments are texts for
#: people, so none of their arguments are mutated.
MAKERS: Final = frozenset(
    {
        *("SqlError", "SuggestingError", "error", "refusal", "refused", "failure", "located"),
        *("with_suggestion", "Suggestion", "Edit", "replacement", "counted", "_bad", "_mismatch"),
        *("_refused", "cast_hint"),
    }
)
#: The functions that take texts for people as arguments.  Of the arguments of those that are not in
#: `MAKERS`, only the texts are not mutated.
TAKERS: Final = MAKERS | {"fault", "ArgumentError"}
#: A pattern in the names of functions that make texts for people.
_FUNCTIONS: Final = re.compile(
    r"hint|suggest|explain|advice|message|wording|described|__repr__|__str__|reason"
)
#: The pattern of the names of variables and arguments that are texts for people.
_TEXTS: Final = re.compile(r"(\w+_)?(message|hint|hints|suggestion|suggestions)")


def is_wording_function(name: str) -> bool:
    """Whether a function makes texts for people, by its name."""
    return _FUNCTIONS.search(name) is not None


def returns_suggestions(definition: ast.AST) -> bool:
    """Whether a definition is a function that returns suggestions, by its annotation."""
    if not isinstance(definition, ast.FunctionDef) or definition.returns is None:
        return False
    names = (each.id for each in ast.walk(definition.returns) if isinstance(each, ast.Name))
    return "Suggestion" in names


def wording_names(function: ast.AST) -> frozenset[str]:
    r"""The local names whose values go into messages, hints and suggestions alone.

    >>> wording_names(ast.parse('if a:\n    b = a\n    raise error(f"not {b}", a)'))
    frozenset({'b'})
    """
    names = frozenset(_into_texts(function))
    # A name that is also read elsewhere is removed.  Then the statements that assign to it count as
    # meaning, and may read further names, so the search is repeated.
    while True:
        loaded = frozenset(_loaded(meaning(function, names)))
        if not names & loaded:
            return names
        names -= loaded


def _into_texts(function: ast.AST) -> set[str]:
    """The names whose values go into texts; the values can be used in other places, too.

    They are the names in texts, and then those in the statements that compute these names.
    """
    nodes = list(ast.walk(function))
    raised = {id(part) for each in nodes if isinstance(each, ast.Raise) for part in ast.walk(each)}
    texts = [
        argument
        for each in nodes
        if isinstance(each, ast.Call)
        if called(each.func) in TAKERS or id(each) in raised
        for argument in (*each.args, *each.keywords)
        if is_text(argument)
    ]
    found: set[str] = set()
    new = {name for each in texts for name in _loaded(ast.walk(each))}
    while new:
        found |= new
        names = frozenset(found)
        computing = [e for e in nodes if isinstance(e, ast.stmt) and is_wording(e, names)]
        new = {name for each in computing for name in _loaded(ast.walk(each))} - found
    return found


def _loaded(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The names that some nodes read; nodes that are not names are ignored."""
    for each in nodes:
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load):
            yield each.id


def meaning(node: ast.AST, names: frozenset[str], raised: bool = False) -> Iterator[ast.AST]:
    """A node and all nodes inside it, except for texts and for values that only texts need.

    ``names`` are the names of `wording_names`.  ``raised``: the node is in a `raise`.
    """
    if isinstance(node, ast.stmt) and is_wording(node, names):
        return
    yield node
    raised = raised or isinstance(node, ast.Raise)
    takes_texts = isinstance(node, ast.Call) and (raised or called(node.func) in TAKERS)
    for child in ast.iter_child_nodes(node):
        if not (takes_texts and is_text(child)):
            yield from meaning(child, names, raised)


def is_wording(statement: ast.stmt, names: frozenset[str]) -> bool:
    """Whether a statement only assigns to ``names``, or calls methods of their values.

    An `if` or a `for` does if all statements inside it do.
    """
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
    """The last name of a called function, such as ``error`` of ``environment.error``.

    It is empty if the function is not a name or an attribute.
    """
    match function:
        case ast.Name(name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def is_text(argument: ast.AST) -> bool:
    """Whether an argument of an error is its message, its hint or its suggestions."""
    match argument:
        case ast.JoinedStr() | ast.Constant():
            return True
        case ast.Lambda() | ast.Call(ast.Name("partial")):
            return True  # errors take no other functions than those that make suggestions
        case ast.Name(name) | ast.keyword(name):
            return name is not None and _TEXTS.fullmatch(name) is not None
        case _:
            return False
