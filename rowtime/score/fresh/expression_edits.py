"""Finds the edits of an expression that make a small mistake, such as `<=` in place of `<`.

They concern comparisons, signs, conditions, constants, calls, arguments, fields and slices.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Protocol


@dataclass(frozen=True, slots=True)
class Replacement:
    """The replacement of the characters ``[start, end)`` of a source by ``text``.

    ``operator`` is the name of the mistake, such as "off by one".
    """

    operator: str
    start: int
    end: int
    text: str


class Spans(Protocol):
    """A source in which the nodes of its syntax tree can be located."""

    @property
    def text(self) -> str:
        """The whole source."""
        ...

    def span(self, node: ast.expr | ast.stmt | ast.pattern) -> tuple[int, int]:
        """The half-open range of characters of a node."""
        ...


#: For each comparison: a pattern of its text, the replacement, and the name of the mistake.
_COMPARISONS: Final[Mapping[type[ast.cmpop], tuple[str, str, str]]] = {
    ast.Lt: (r"<", "<=", "boundary"),
    ast.LtE: (r"<=", "<", "boundary"),
    ast.Gt: (r">", ">=", "boundary"),
    ast.GtE: (r">=", ">", "boundary"),
    ast.Eq: (r"==", "!=", "comparison"),
    ast.NotEq: (r"!=", "==", "comparison"),
    ast.Is: (r"\bis\b", "is not", "comparison"),
    ast.IsNot: (r"\bis\s+not\b", "is", "comparison"),
    ast.In: (r"\bin\b", "not in", "comparison"),
    ast.NotIn: (r"\bnot\s+in\b", "in", "comparison"),
}
#: For each operator: a pattern of its text, and the replacement.
_SIGNS: Final[Mapping[type[ast.operator], tuple[str, str]]] = {
    ast.Add: (r"\+", "-"),
    ast.Sub: (r"-", "+"),
    ast.BitOr: (r"\|", "&"),
    ast.BitAnd: (r"&", "|"),
}
#: Names of fields and functions that are easily confused.
_PAIRS: Final = (
    *(("left", "right"), ("start", "end"), ("start", "stop"), ("first", "last")),
    *(("lower", "upper"), ("preceding", "following"), ("precision", "scale"), ("min", "max")),
    *(("any", "all"), ("startswith", "endswith"), ("union", "intersection"), ("lo", "hi")),
    *(("low", "high"), ("before", "after"), ("older", "newer"), ("earlier", "later")),
    *(("nulls_first", "descending"), ("strict", "descending")),
    *(("preserves_left", "preserves_right"), ("floor", "ceil")),
)  # fmt: skip
#: The wrong name for each right name of `_PAIRS`: each pair in both directions.  If a name is in
#: several pairs, the first pair counts.
_OTHER: Final[Mapping[str, str]] = {b: a for a, b in reversed(_PAIRS)} | dict(reversed(_PAIRS))
#: The functions whose call a programmer may forget, because the result has the type of the
#: argument.  `tuple` and `list` are not among them, because a copy behaves as its original.
_FORGETTABLE_FUNCTIONS: Final = frozenset(
    {"sorted", "reversed", "abs", "set", "frozenset", "half_up", "convert", "single"}
)
#: The functions whose value does not depend on the order of their arguments.
_SYMMETRIC: Final = frozenset({"min", "max"})
#: The methods whose call a programmer may forget, because the result has the type of the object.
_FORGETTABLE_METHODS: Final = frozenset(
    {"strip", "lstrip", "rstrip", "upper", "lower", "normalize", "copy"}
)


def expression_edits(node: ast.expr | ast.comprehension, source: Spans) -> Iterator[Replacement]:
    """The edits of an expression itself, without those of its parts."""
    match node:
        case ast.Compare(left, ops, comparators):
            yield from _comparison([left, *comparators], ops, source)
        case ast.BinOp(left, op, right) if not (_is_text(left) or _is_text(right)):
            if type(op) in _SIGNS:
                pattern, other = _SIGNS[type(op)]
                yield from _between("sign", left, right, pattern, other, source)
        case ast.UnaryOp(ast.USub() | ast.Not() as op, operand):
            name = "sign" if isinstance(op, ast.USub) else "negated condition"
            yield _whole(name, node, f"({_text(operand, source)})", source)
        case ast.BoolOp(op, values):
            yield from _conditions(op, values, source)
        case ast.IfExp(test, body, orelse):
            yield _negated(test, source)
            yield _whole("dropped else", node, f"({_text(body, source)})", source)
            yield _whole("dropped branch", node, f"({_text(orelse, source)})", source)
        case ast.comprehension(ifs=conditions):
            for each in conditions:
                yield _negated(each, source)
                yield _whole("dropped condition", each, "True", source)
        case ast.Constant(bool() as value):
            yield _whole("constant", node, str(not value), source)
        case ast.Constant(int() as value):
            yield _whole("constant", node, f"{value + 1}", source)
        case ast.Call():
            yield from _call(node, source)
        case ast.Attribute(value, name) if name in _OTHER:
            end = source.span(node)[1]
            assert source.span(value)[1] < end, "a field follows its object"
            yield Replacement("wrong field", end - len(name), end, _OTHER[name])
        case ast.Slice(lower, upper):
            for bound in (lower, upper):
                if bound is not None:
                    yield _whole("off by one", bound, f"{_text(bound, source)} + 1", source)
        case _:
            pass


def _comparison(
    operands: list[ast.expr], ops: list[ast.cmpop], source: Spans
) -> Iterator[Replacement]:
    """Each operator of a comparison such as ``a < b <= c``, replaced by a similar one."""
    for place, op in enumerate(ops):
        pattern, other, name = _COMPARISONS[type(op)]
        yield from _between(name, operands[place], operands[place + 1], pattern, other, source)


def _conditions(op: ast.boolop, values: list[ast.expr], source: Spans) -> Iterator[Replacement]:
    """The edits of a condition with the operator ``op`` and the operands ``values``.

    They are AND in place of OR, or the reverse; and the condition without one of its operands.  An
    operand is removed by writing the constant that does not change the result of the others.
    """
    word, other, neutral = (
        ("and", "or", "True") if isinstance(op, ast.And) else ("or", "and", "False")
    )
    for left, right in pairwise(values):
        yield from _between("and for or", left, right, rf"\b{word}\b", other, source)
    for each in values:
        yield _whole("dropped condition", each, neutral, source)


def _call(node: ast.Call, source: Spans) -> Iterator[Replacement]:
    """The edits of a call: a wrong or forgotten function, a wrong end, swapped arguments."""
    match node:
        case ast.Call(ast.Name(name) as function) if name in _OTHER:
            yield _whole("wrong function", function, _OTHER[name], source)
        case ast.Call(ast.Name("len")):
            yield _whole("off by one", node, f"({_text(node, source)} - 1)", source)
        case ast.Call(ast.Name("range"), [*_, last]):
            yield _whole("off by one", last, f"{_text(last, source)} + 1", source)
        case ast.Call(ast.Name("set" | "frozenset"), [ast.Set() | ast.SetComp()]):
            pass  # a copy of a set: it behaves as its original
        case ast.Call(ast.Name(name), [argument]) if name in _FORGETTABLE_FUNCTIONS:
            yield _whole("removed call", node, f"({_text(argument, source)})", source)
        case ast.Call(ast.Attribute(value, name)) if name in _FORGETTABLE_METHODS:
            yield _whole("removed call", node, _text(value, source), source)
        case _:
            pass
    match node.args:
        case [first, second, *_] if not (isinstance(first, ast.Starred) or _is_symmetric(node)):
            texts = _text(first, source), _text(second, source)
            if texts[0] != texts[1] and not isinstance(second, ast.Starred):
                start, end = source.span(first)[0], source.span(second)[1]
                between = source.text[source.span(first)[1] : source.span(second)[0]]
                text = f"{texts[1]}{between}{texts[0]}"
                yield Replacement("swapped arguments", start, end, text)
        case _:
            pass


def _is_symmetric(node: ast.Call) -> bool:
    """Whether the value of a call does not depend on the order of its arguments."""
    return isinstance(node.func, ast.Name) and node.func.id in _SYMMETRIC


def _negated(test: ast.expr, source: Spans) -> Replacement:
    """The condition ``test``, negated."""
    return _whole("negated condition", test, f"(not ({_text(test, source)}))", source)


def _between(
    name: str, left: ast.expr, right: ast.expr, pattern: str, other: str, source: Spans
) -> Iterator[Replacement]:
    """The operator between two operands, replaced by ``other``.

    ``pattern`` finds the operator, ``name`` is the name of the mistake.  If the pattern does not
    match, there is no edit.
    """
    start, end = source.span(left)[1], source.span(right)[0]
    found = re.search(pattern, source.text[start:end])
    if found is not None:
        yield Replacement(name, start + found.start(), start + found.end(), other)


def _whole(name: str, node: ast.expr, text: str, source: Spans) -> Replacement:
    """The whole expression ``node``, replaced by ``text``."""
    start, end = source.span(node)
    return Replacement(name, start, end, text)


def _text(node: ast.expr, source: Spans) -> str:
    """The text of an expression in the source."""
    start, end = source.span(node)
    return source.text[start:end]


def _is_text(node: ast.expr) -> bool:
    """Whether an operand is written as a text, a list or a tuple, which cannot be subtracted."""
    match node:
        case ast.JoinedStr() | ast.List() | ast.Tuple() | ast.Constant(str() | bytes()):
            return True
        case _:
            return False
