"""Finds the statements that a case reaches, among those that mutants change.

The functions are compiled again, with a call before each of these statements.
"""

import ast
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from types import CodeType, FunctionType
from typing import Final

from rowtime.score.change import Change, clear_caches, codes, functions_of, source_of

#: The name of the function by which a watched function reports a reached statement.
_REPORT: Final = "_reached_statement"


@contextmanager
def watch(
    changes: Sequence[Change],
) -> Generator[Callable[[], AbstractContextManager[set[str]]]]:
    """A context in which the functions that ``changes`` concern report the statements they reach.

    The functions are restored at the end.  The value of the context
    is a function that opens an inner context.  The value of the inner context is a set.  At the end
    of the inner context, the set has the `Change.place` of each statement of ``changes`` that was
    reached in it.
    """
    reached = set[str]()
    originals: list[tuple[FunctionType, CodeType]] = []

    @contextmanager
    def collected() -> Generator[set[str]]:
        reached.clear()
        found = set[str]()
        try:
            yield found
        finally:
            found |= reached

    try:
        for module, places in _by_module(changes).items():
            originals += _watch(module, places, reached.add)
        clear_caches()
        yield collected
    finally:
        for function, code in originals:
            function.__code__ = code
        clear_caches()


def _by_module(changes: Iterable[Change]) -> Mapping[str, Sequence[Change]]:
    """The changes by the names of their modules."""
    found: dict[str, list[Change]] = {}
    for each in changes:
        found.setdefault(each.module, []).append(each)
    return found


def _watch(
    name: str, changes: Sequence[Change], report: Callable[[str], None]
) -> Generator[tuple[FunctionType, CodeType]]:
    """Replace the code of the functions of the module ``name`` that ``changes`` concern.

    In the new code, ``report`` is called with the place of each statement of ``changes`` before the
    statement is run.  Yields each function with its original code, before it is replaced.
    """
    module = import_module(name)
    vars(module)[_REPORT] = report
    tree = ast.parse(source_of(module))
    places = {each.statement: each.place for each in changes if each.statement}
    _CallInserter(places).visit(tree)
    compiled = compile(
        ast.fix_missing_locations(tree), str(module.__file__), "exec", dont_inherit=True
    )
    new_codes = {each.co_qualname: each for each in codes(compiled)}
    functions = functions_of(module)
    for function in {each.function: functions[each.function] for each in changes}.values():
        yield function, function.__code__
        function.__code__ = new_codes[function.__qualname__]


class _CallInserter(ast.NodeTransformer):
    """Inserts a call of `_REPORT` before some statements of a syntax tree.

    ``places`` has the `Change.place` of each of these statements, by its line and column.
    """

    def __init__(self, places: Mapping[tuple[int, int], str]) -> None:
        self._places = places

    def visit(self, node: ast.AST) -> ast.AST | list[ast.stmt]:
        """The node, whose parts have been visited; with a call before it if it has a place.

        Definitions of functions and classes are not watched.
        """
        changed = self.generic_visit(node)
        if not isinstance(changed, ast.stmt) or isinstance(changed, ast.FunctionDef | ast.ClassDef):
            return changed
        place = self._places.get((changed.lineno, changed.col_offset))
        if place is None:
            return changed
        call = ast.Expr(ast.Call(ast.Name(_REPORT, ast.Load()), [ast.Constant(place)], []))
        return [ast.copy_location(call, changed), changed]
