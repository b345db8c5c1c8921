"""Compares two texts of a function by the code to which Python compiles them.

A mutant that compiles to the same code as its original is not worth trying.
"""

import ast
from dis import get_instructions, hasjabs, hasjrel
from types import CodeType
from typing import TypeAlias

#: The instructions of a function: the name of each, and its argument.
_Instructions: TypeAlias = tuple[tuple[str, object], ...]


def compiles_to_the_same(was: str, now: str) -> bool:
    r"""Whether two texts of a function, with their indentation, compile to the same code.

    A function that ends without a `return` returns None.  If it is annotated with bool, this counts
    as False, because None and False have the same effect in each condition.

    >>> compiles_to_the_same("def f():\n    return None", "def f():\n    pass")
    True
    >>> compiles_to_the_same("def f() -> bool:\n    return False", "def f() -> bool:\n    pass")
    True
    >>> compiles_to_the_same("def f() -> int:\n    return 0", "def f() -> int:\n    pass")
    False
    """
    return _instructions(_compiled(was)) == _instructions(_compiled(now))


def _compiled(text: str) -> CodeType:
    """The code of a text; a function that is annotated with bool returns False at its end."""
    # Python accepts an indented text, such as that of a method, only inside of a block.
    tree = ast.parse(f"if True:\n{text}" if text[0].isspace() else text)
    for each in ast.walk(tree):
        if isinstance(each, ast.FunctionDef) and _is_bool(each.returns):
            each.body.append(ast.Return(ast.Constant(False)))
    return compile(ast.fix_missing_locations(tree), "", "exec", dont_inherit=True)


def _is_bool(annotation: ast.expr | None) -> bool:
    return isinstance(annotation, ast.Name) and annotation.id == "bool"


def _instructions(code: CodeType) -> _Instructions:
    """The instructions of a code, without NOP.

    The argument of a jump is the place of its target among these instructions, because an offset in
    bytes would depend on the NOPs.
    """
    effective = [each for each in get_instructions(code) if each.opname != "NOP"]
    found: list[tuple[str, object]] = []
    for each in effective:
        argument: object = each.argval
        if isinstance(argument, CodeType):
            argument = _instructions(argument)
        elif each.opcode in hasjrel or each.opcode in hasjabs:
            argument = sum(other.offset < each.argval for other in effective)
        found.append((each.opname, (type(argument), argument)))
    return tuple(found)
