"""Binding of ``||``, LIKE, SUBSTRING and the other operators on text (S-204).

All texts are cast to VARCHAR; the trailing blanks of a CHAR stay.  `fit` casts an operand to the
type that a parameter takes, and refuses an operand that is not of this kind.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from algebra.build import any_nullable
from algebra.expression import Call, Expression, Literal, Op
from algebra.functions.coerce import Operand, convert
from algebra.functions.parameters import Parameter, fit, varchar
from algebra.types import BOOLEAN, EXACT, INTEGER, MAX_CHARACTERS, TEXT, VARCHAR, Kind, Type
from grammar.codes import Code
from grammar.source import Span, SqlError
from grammar.tree import TrimSide

#: The operator of TRIM for each word before FROM.
_TRIMS: Final[Mapping[TrimSide, Op]] = {
    TrimSide.BOTH: Op.TRIM_BOTH,
    TrimSide.LEADING: Op.TRIM_LEADING,
    TrimSide.TRAILING: Op.TRIM_TRAILING,
}


def bind_concat(left: Operand, right: Operand, at: Span) -> Expression:
    """``left || right``: a text, and a text or an exact number, which becomes its digits (E-03).

    TYPE_MISMATCH at an operand that is neither; at ``at``, the whole, if both are numbers.

    Defines: S-204.a
    """
    for each in (left, right):
        if each.kind not in TEXT | EXACT | {Kind.NULL}:
            hint = f"CAST({each.text} AS VARCHAR)"
            raise each.refused(f"'||' does not take {each.type}", hint)
    if left.kind in EXACT and right.kind in EXACT:
        message = f"'||' takes a text on one side: not {left.type} and {right.type}"
        hint = f"CAST({left.text} AS VARCHAR) || {right.text}"
        raise SqlError(Code.TYPE_MISMATCH, message, left.sql, at, hint)
    operands = tuple(
        convert(each.expression, varchar(each.type.precision) if each.kind in TEXT else VARCHAR)
        for each in (left, right)
    )
    type = _joined(operands)
    return Call(Op.CONCAT, operands, type.as_nullable(any_nullable(operands)))


def bind_like(
    operand: Operand, pattern: Operand, escape: Operand | None, *, similar: bool
) -> Expression:
    """``operand LIKE pattern [ESCAPE escape]``; with SIMILAR TO in place of LIKE if ``similar``.

    BAD_LITERAL at a literal escape that is not one character, and at a literal LIKE pattern in
    which the escape stands before a character other than ``%``, ``_`` and itself.
    """
    parts = [operand, pattern] if escape is None else [operand, pattern, escape]
    operands = tuple(fit(each, Parameter.TEXT) for each in parts)
    # Only literals can be checked here; the values of other operands are checked at run time.
    if escape is not None and isinstance(escape.expression, Literal):
        sign = escape.expression.value
        if isinstance(sign, str):
            if len(sign) != 1:
                message = f"an escape is one character, not {len(sign)}"
                raise escape.refused(message, "ESCAPE '!'", Code.BAD_LITERAL)
            if not similar:
                _check_escapes(pattern, sign)
    type = BOOLEAN.as_nullable(any_nullable(operands))
    return Call(Op.SIMILAR if similar else Op.LIKE, operands, type)


def _check_escapes(pattern: Operand, escape: str) -> None:
    """Refuse a literal pattern in which the escape stands before an ordinary character, or last."""
    match pattern.expression:
        case Literal(str() as text):
            following = iter(text)
            for each in following:
                if each == escape and (after := next(following, "")) not in {"%", "_", escape}:
                    message = f"the escape {escape} stands before '{after}' in the pattern"
                    hint = f"{escape}%, {escape}_ or {escape}{escape}"
                    raise pattern.refused(message, hint, Code.BAD_LITERAL)
        case _:
            pass


def bind_substring(operand: Operand, start: Operand, length: Operand | None) -> Expression:
    """``SUBSTRING(operand FROM start [FOR length])``, at most as long as the operand."""
    places = [start] if length is None else [start, length]
    text = fit(operand, Parameter.TEXT)
    operands = (text, *(fit(each, Parameter.INTEGER) for each in places))
    return Call(Op.SUBSTRING, operands, text.type.as_nullable(any_nullable(operands)))


def bind_position(needle: Operand, haystack: Operand) -> Expression:
    """``POSITION(needle IN haystack)``, INTEGER."""
    operands = (fit(needle, Parameter.TEXT), fit(haystack, Parameter.TEXT))
    return Call(Op.POSITION, operands, INTEGER.as_nullable(any_nullable(operands)))


def bind_trim(side: TrimSide, characters: Operand | None, operand: Operand) -> Expression:
    """``TRIM(side characters FROM operand)``; blanks are trimmed if no characters are named.

    BAD_LITERAL if a literal of characters is not one character.
    """
    cut: Expression = Literal(" ", VARCHAR.as_nullable(False))
    if characters is not None:
        cut = fit(characters, Parameter.TEXT)
        if isinstance(cut, Literal) and isinstance(cut.value, str) and len(cut.value) != 1:
            message = f"TRIM takes one character off, not {len(cut.value)}"
            raise characters.refused(message, "' '", Code.BAD_LITERAL)
    text = fit(operand, Parameter.TEXT)
    type = text.type.as_nullable(any_nullable((cut, text)))
    return Call(_TRIMS[side], (cut, text), type)


def bind_overlay(
    operand: Operand, replacement: Operand, start: Operand, length: Operand | None
) -> Expression:
    """``OVERLAY(operand PLACING replacement FROM start [FOR length])``.

    Its type is long enough for both texts.
    """
    places = [start] if length is None else [start, length]
    texts = (fit(operand, Parameter.TEXT), fit(replacement, Parameter.TEXT))
    operands = (*texts, *(fit(each, Parameter.INTEGER) for each in places))
    type = _joined(texts)
    return Call(Op.OVERLAY, operands, type.as_nullable(any_nullable(operands)))


def _joined(texts: Sequence[Expression]) -> Type:
    """The type of a text made of all ``texts``: VARCHAR(n), where n is the sum of their lengths.

    It is VARCHAR without a length if a text has no length, or if n is above the greatest length.
    """
    lengths = [each.type.precision for each in texts]
    return varchar(sum(lengths)) if all(lengths) and sum(lengths) <= MAX_CHARACTERS else VARCHAR
