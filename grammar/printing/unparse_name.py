"""The SQL text of names, types and literals.

Each function returns the text of a syntax node.
"""

from collections.abc import Iterable

from grammar.names import delimited, is_plain
from grammar.tree import Alias, Identifier, IntervalQualifier, Literal, LiteralKind, Name, TypeName


def identifier(node: Identifier) -> str:
    """A name, in quotes if it was quoted or would otherwise be read differently."""
    if is_plain(node.name) and not node.quoted:
        return node.name
    return delimited(node.name)


def identifiers(nodes: Iterable[Identifier]) -> str:
    """A bracketed list of names."""
    return "(" + ", ".join([identifier(each) for each in nodes]) + ")"


def name(node: Name) -> str:
    """A possibly qualified name."""
    return ".".join([identifier(each) for each in node.parts])


def type_name(node: TypeName) -> str:
    """A type."""
    if node.qualifier is not None:
        return f"{node.name} {qualifier(node.qualifier)}"
    return node.name + numbers(node.precision, node.scale)


def qualifier(node: IntervalQualifier) -> str:
    """The fields of an interval, such as ``DAY(3) TO SECOND``."""
    if node.end is None:
        return node.start + numbers(node.precision, node.fraction)
    return f"{node.start}{numbers(node.precision)} TO {node.end}{numbers(node.fraction)}"


def numbers(*counts: int | None) -> str:
    """The bracketed numbers after a type or unit; empty if all are None.

    >>> numbers(10, 2), numbers(3, None), numbers(None, None)
    ('(10, 2)', '(3)', '')
    """
    written = [str(each) for each in counts if each is not None]
    return f"({', '.join(written)})" if written else ""


def string(text: str) -> str:
    """A text in quotes."""
    return "'" + text.replace("'", "''") + "'"


def literal(node: Literal) -> str:
    """A literal other than an interval."""
    match node.kind:
        case LiteralKind.NUMBER | LiteralKind.BOOLEAN | LiteralKind.NULL:
            return node.text
        case LiteralKind.STRING:
            return string(node.text)
        case LiteralKind.BINARY:
            return "X" + string(node.text)
        case LiteralKind.DATE | LiteralKind.TIME | LiteralKind.TIMESTAMP:
            return f"{node.kind} {string(node.text)}"


def function_name(node: Name) -> str:
    """The name of a function; SOME is printed without quotes although it is reserved."""
    match node.parts:
        case (Identifier("SOME", False),):
            return "SOME"
        case _:
            return name(node)


def alias(node: Alias | None) -> str:
    """``AS t (a, b)`` after a blank; empty without an alias."""
    if node is None:
        return ""
    columns = f" {identifiers(node.columns)}" if node.columns else ""
    return f" AS {identifier(node.name)}{columns}"
