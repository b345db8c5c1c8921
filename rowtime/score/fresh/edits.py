"""Finds all places of a function where an edit of its text makes a small mistake.

An example is a boundary that is off by one.  Texts for people, and code that no case can reach, are
not edited.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

from rowtime.score.fresh.expression_edits import Replacement, expression_edits
from rowtime.score.fresh.statement_edits import statement_edits
from rowtime.score.fresh.wording import (
    MAKERS,
    TAKERS,
    called,
    is_text,
    is_wording,
    is_wording_function,
    wording_names,
)

#: The statements whose parts are not edited: they make texts for people, or are assertions.
_LEFT_OUT: Final = (ast.Assert, ast.Raise, ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal)
#: The functions whose arguments are not edited: types, or the texts of internal errors.
_TAKE_NO_VALUES: Final = frozenset(
    {"isinstance", "cast", "Final", "TypeVar", "RuntimeError", "ValueError", "AssertionError"}
)
#: Functions whose calls are not edited: they only refuse parameters of unknown type, and no case of
#: the kit has parameters.
_REFUSE_PARAMETERS: Final = frozenset({"require_typed"})
#: Expressions that no case of the kit has: parameters, and functions of a host language.
_IN_NO_CASE: Final = frozenset({"Parameter", "External", "ExternalFunction"})
_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Edit:
    """The replacement of the characters ``[start, end)`` of a source by ``text``.

    ``operator`` is the name of the mistake, such as "off by one".  ``statement`` is the line and
    column of the innermost statement that contains the edit.
    """

    operator: str
    start: int
    end: int
    text: str
    statement: tuple[int, int]


@dataclass(frozen=True)
class Source:
    """The text of a module, in which the nodes of its syntax tree can be located."""

    text: str

    @cached_property
    def _lines(self) -> list[str]:
        return self.text.splitlines(keepends=True)

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        for line in self._lines:
            starts.append(starts[-1] + len(line))
        return starts

    def offset(self, line: int, column: int) -> int:
        """The place in the text, in characters, of a position in the syntax tree.

        The syntax tree counts lines from 1, and columns in bytes of UTF-8.
        """
        whole_line = self._lines[line - 1]
        return self._starts[line - 1] + len(whole_line.encode()[:column].decode())

    def span(self, node: ast.expr | ast.stmt | ast.pattern) -> tuple[int, int]:
        """The half-open range of characters of a node."""
        assert node.end_lineno is not None, "a parsed node has an end"
        assert node.end_col_offset is not None, "a parsed node has an end"
        start = self.offset(node.lineno, node.col_offset)
        return start, self.offset(node.end_lineno, node.end_col_offset)


def edits(function: _Function, source: Source) -> Iterator[Edit]:
    """All edits of the statements in a function's body, in the order of the syntax tree.

    Statements that only make texts for people are not edited.
    """
    texts = wording_names(function)
    for statement in function.body:
        yield from _edits(statement, statement, source, texts)


def _edits(
    node: ast.AST, statement: ast.stmt, source: Source, texts: frozenset[str]
) -> Iterator[Edit]:
    """The edits of a node and of its parts.

    ``statement`` is the innermost statement around the node.  ``texts`` are the local names whose
    values go into texts alone.
    """
    if _is_in_no_case(node):
        return
    if isinstance(node, ast.stmt):
        if is_wording(node, texts):
            return
        if isinstance(node, ast.If) and _asks_for_parameters(node.test):
            for branch in node.orelse:
                yield from _edits(branch, branch, source, texts)
            return
        statement = node
    for each in _replacements(node, source):
        place = (statement.lineno, statement.col_offset)
        yield Edit(each.operator, each.start, each.end, each.text, place)
    for child in _edited_parts(node):
        yield from _edits(child, statement, source, texts)


def _is_in_no_case(node: ast.AST) -> bool:
    """Whether a node is a branch or a check for an expression that no case has."""
    match node:
        case ast.Expr(ast.Call(func)):
            return called(func) in _REFUSE_PARAMETERS
        case ast.match_case(ast.MatchClass(cls)):
            return called(cls) in _IN_NO_CASE
        case _:
            return False


def _asks_for_parameters(test: ast.expr) -> bool:
    """Whether a condition asks whether an expression is one that no case has."""
    return any(
        called(each.func) == "isinstance" and called(each.args[1]) in _IN_NO_CASE
        for each in ast.walk(test)
        if isinstance(each, ast.Call) and len(each.args) == 2
    )


def _replacements(node: ast.AST, source: Source) -> Iterator[Replacement]:
    """The edits of a node itself, without those of its parts."""
    if isinstance(node, ast.stmt | ast.match_case):
        yield from statement_edits(node, source)
    elif isinstance(node, ast.expr | ast.comprehension):
        yield from expression_edits(node, source)


def _edited_parts(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a node that are edited."""
    match node:
        case _ if isinstance(node, _LEFT_OUT):
            return
        case ast.Call(func) if called(func) in MAKERS | _TAKE_NO_VALUES:
            return
        case ast.Call(func) if called(func) in TAKERS:
            yield from (each for each in ast.iter_child_nodes(node) if not is_text(each))
        case ast.JoinedStr() | ast.FormattedValue():
            return
        case ast.keyword("strict", ast.Constant(True)):
            return  # strict=True checks a condition that always holds, like an `assert`
        case ast.FunctionDef(name) if is_wording_function(name):
            return
        case ast.FunctionDef(body=body) | ast.AsyncFunctionDef(body=body):
            yield from body
        case ast.AnnAssign(value=value):
            yield from (value,) if value is not None else ()
        case ast.MatchClass() | ast.MatchValue() | ast.MatchAs() | ast.MatchOr():
            return
        case _:
            yield from ast.iter_child_nodes(node)
