"""Implicit casts: the common type of operands, and the conversion of each to it (S-204).

Text is never converted implicitly to a number, a date or an interval; other types become text only
in ``||``.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from algebra.expression import Call, Cast, Expression, Literal, Op, Parameter
from algebra.functions.casts import castable, detour
from algebra.functions.literals import datetime_hint
from algebra.rewrite import with_location
from algebra.types import (
    APPROXIMATE,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER_DIGITS,
    INTEGERS,
    INTERVAL,
    MAX_PRECISION,
    NULL,
    NUMERIC,
    REAL,
    TEXT,
    TIME,
    TIMESTAMP,
    VARCHAR,
    Kind,
    Type,
    decimal,
    interval,
)
from grammar.codes import Code
from grammar.source import Location, Span, SqlError
from grammar.tree import LiteralKind, TimeUnit


@dataclass(frozen=True, slots=True)
class Operand:
    """A bound expression, and its place ``at`` in the text ``sql``.

    If the place is that of a larger part, such as ``SELECT *``, then ``name`` is the name of the
    column that the expression is.
    """

    expression: Expression
    at: Span
    sql: str
    name: str = ""

    @property
    def type(self) -> Type:
        """The expression's type."""
        return self.expression.type

    @property
    def kind(self) -> Kind:
        """The kind of its type; NULL for a bare NULL and for a parameter that has no type yet."""
        return self.expression.type.kind

    @property
    def text(self) -> str:
        """The expression as it is, or can be, written."""
        return self.name or self.sql[self.at.start : self.at.end]

    def refused(self, message: str, hint: str = "", code: Code = Code.TYPE_MISMATCH) -> SqlError:
        """An error for the caller to raise, whose place is that of this expression."""
        return SqlError(code, message, self.sql, self.at, hint)


#: A text that can be cast to a number.
_NUMBER: Final = re.compile(r"\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*")

#: The fields of intervals, greatest first; `common_interval` finds the first and last of two types.
_FIELDS: Final = (
    TimeUnit.YEAR,
    TimeUnit.MONTH,
    TimeUnit.DAY,
    TimeUnit.HOUR,
    TimeUnit.MINUTE,
    TimeUnit.SECOND,
)


# --- common types -----------------------------------------------------------------------------


def common_type(types: Sequence[Type]) -> Type | None:
    """The narrowest type that has all values of ``types``, as for CASE, COALESCE, IN and UNION.

    None if there is no such type.  NULL has a common type with every type; the common type of NULLs
    alone is NULL.  The result is nullable if one of ``types`` is.

    ===================  ======================================================================
    integers             the widest
    with a DECIMAL       a DECIMAL with as many digits before and after the point as any of the
                         types has; if these are more than 38, it has fewer before the point
    with REAL, DOUBLE    REAL if all are REAL, else DOUBLE
    CHAR                 CHAR of the greatest length
    with VARCHAR         VARCHAR of the greatest length, without a limit if one has no limit; so is
                         VARBINARY
    DATE and TIMESTAMP   TIMESTAMP
    intervals            of one family: from the greatest first field to the least last one
    ===================  ======================================================================

    Defines: S-204.b
    """
    nullable = any(each.nullable for each in types)
    typed = [each for each in types if each.kind is not Kind.NULL]
    if not typed:
        return NULL
    found: Type | None = typed[0]
    for each in typed[1:]:
        found = None if found is None else _common(found, each)
    return None if found is None else found.as_nullable(nullable)


def _common(a: Type, b: Type) -> Type | None:
    """The common type of two types other than NULL; its nullability is not decided here."""
    kinds = {a.kind, b.kind}
    if kinds <= NUMERIC:
        return _common_number(a, b)
    if kinds <= TEXT:
        kind = Kind.CHAR if kinds == {Kind.CHAR} else Kind.VARCHAR
        return Type(kind, precision=_longest(a, b))
    if kinds == {Kind.VARBINARY}:
        return Type(Kind.VARBINARY, precision=_longest(a, b))
    if kinds == {Kind.DATE, Kind.TIMESTAMP}:
        return TIMESTAMP
    if len(kinds) > 1:
        return None
    return common_interval(a, b) if a.kind in INTERVAL else a


def _common_number(a: Type, b: Type) -> Type:
    """The common type of two numbers.

    Defines: S-202.q
    """
    if a.kind in APPROXIMATE or b.kind in APPROXIMATE:
        return REAL if a.kind is b.kind is Kind.REAL else DOUBLE
    if a.kind in INTEGERS and b.kind in INTEGERS:
        return max(a, b, key=lambda each: INTEGER_DIGITS[each.kind])
    a, b = as_decimal(a), as_decimal(b)
    scale = max(a.scale, b.scale)
    whole = max(a.precision - a.scale, b.precision - b.scale)
    return decimal(min(MAX_PRECISION, whole + scale), scale)


def as_decimal(type: Type) -> Type:
    """The DECIMAL that holds an exact type's values: DECIMAL(10, 0) for INTEGER (S-204).

    Defines: S-204.e
    """
    return type if type.kind is Kind.DECIMAL else decimal(INTEGER_DIGITS[type.kind], 0)


def common_interval(a: Type, b: Type) -> Type:
    """The interval type with the fields of both types, which belong to one family."""
    assert a.fields is not None, "an interval has fields"
    assert b.fields is not None, "an interval has fields"
    first = min(a.fields[0], b.fields[0], key=_FIELDS.index)
    last = max(a.fields[1], b.fields[1], key=_FIELDS.index)
    return Type(a.kind, fields=(first, last))


def _longest(a: Type, b: Type) -> int:
    """The greater of two lengths, where 0 means unlimited."""
    return max(a.precision, b.precision) if a.precision and b.precision else 0


# --- casts ------------------------------------------------------------------------------------


def convert(expression: Expression, type: Type) -> Expression:
    """The expression under a Cast to ``type``; the expression itself if it has this type.

    A bare NULL and an untyped parameter take the type instead of a cast, and are nullable.  Any
    other result is nullable if and only if the expression is.
    """
    match expression:
        case Literal(None):
            return Literal(None, type.as_nullable())
        case Parameter(index) if expression.type.kind is Kind.NULL:
            return Parameter(index, type.as_nullable(), expression.location)
        case _:
            target = type.as_nullable(expression.type.nullable)
            return expression if expression.type == target else Cast(expression, target)


def cast_to(operand: Operand, type: Type) -> Expression:
    """The operand converted to ``type`` by the rules of assignment (INSERT, VALUES, arguments).

    Any number can be assigned to any number and any text to any text (a value that does not fit is
    an error at run time), an interval to one of its family, a DATE to a TIMESTAMP, NULL to all
    types.  TYPE_MISMATCH for other pairs of types.
    """
    if not _assignable(operand.kind, type.kind):
        raise unassignable(operand, type)
    return with_location(convert(operand.expression, type), Location(operand.sql, operand.at))


def unassignable(operand: Operand, type: Type) -> SqlError:
    """The error TYPE_MISMATCH for an operand whose type cannot be assigned to ``type``."""
    message, hint = f"{operand.type} where {type} is expected", cast_hint(operand, type)
    if not operand.name:
        return operand.refused(message, hint)
    better, name = hint or f"a value of type {type}", operand.name
    return operand.refused(
        f"column {name}: {message}", f"select the columns one by one, with {better} for {name}"
    )


def _assignable(source: Kind, target: Kind) -> bool:
    """Whether a value of the kind ``source`` can be assigned to a type of the kind ``target``."""
    return (
        source is target
        or source is Kind.NULL
        or {source, target} <= NUMERIC
        or {source, target} <= TEXT
        or (source is Kind.DATE and target is Kind.TIMESTAMP)
    )


def bind_cast(operand: Operand, target: Type, at: Span) -> Expression:
    """``CAST(operand AS target)``; CANNOT_CAST at ``at``, the place of the whole expression.

    A text cast to BOOLEAN is nullable, because the text can be UNKNOWN.
    """
    if not castable(operand.type, target):
        message = f"{operand.type} is not cast to {target}"
        hint = detour(operand.type, target, operand.text)
        if not hint and castable(operand.type, VARCHAR):
            hint = f"CAST({operand.text} AS VARCHAR)"
        raise SqlError(Code.CANNOT_CAST, message, operand.sql, at, hint)
    if (operand.kind, target.kind) == (Kind.TIME, Kind.TIMESTAMP):
        return _on_current_date(operand.expression)
    if operand.kind in TEXT and target.kind is Kind.BOOLEAN:
        return Cast(operand.expression, target.as_nullable())
    return convert(operand.expression, target)


def _on_current_date(time: Expression) -> Expression:
    """CAST(time AS TIMESTAMP) as CURRENT_DATE + time: the plan then shows that it reads the clock.

    Defines: S-207.k
    """
    midnight = Literal(0, TIME.as_nullable(False))
    seconds = interval(TimeUnit.SECOND).as_nullable(time.type.nullable)
    since_midnight = Call(Op.DATETIME_MINUS, (time, midnight), seconds)
    date = Call(Op.CURRENT_TIMESTAMP, (), DATE.as_nullable(False))
    day = Cast(date, TIMESTAMP.as_nullable(False))
    type = TIMESTAMP.as_nullable(time.type.nullable)
    return Call(Op.DATETIME_PLUS, (day, since_midnight), type)


def cast_hint(operand: Operand, type: Type) -> str:
    """A literal or CAST that turns the operand into a value of ``type``; empty if there is none.

    If a number is needed and the operand is a text that is not a number, the hint is in words.
    """
    match operand.expression:
        case Literal(str() as text) if type.kind in (Kind.DATE, Kind.TIME, Kind.TIMESTAMP):
            return datetime_hint(LiteralKind(type.kind), text)
        case Literal(str() as text) if type.kind in NUMERIC and not _NUMBER.fullmatch(text):
            return f"write a number in place of {operand.text}"
        case Literal(int() as number) if type.kind in INTERVAL and not isinstance(number, bool):
            unit = "MONTH" if type.kind is Kind.MONTHS else "SECOND"
            return f"INTERVAL '{number}' {unit}"
        case _ if castable(operand.type, type):
            return f"CAST({operand.text} AS {type})"
        case _:
            return detour(operand.type, type, operand.text)


# --- operands together ------------------------------------------------------------------------


def unify(operands: Sequence[Operand], what: str) -> tuple[Type, tuple[Expression, ...]]:
    """The common type of the operands, and each operand converted to it.

    TYPE_MISMATCH at the first operand that has no common type with those before it, and at a
    parameter that is left without a type.  ``what`` is the name of the operands in the message.
    """
    return _unify(operands, [each.type for each in operands], what)


def unify_compared(operands: Sequence[Operand]) -> tuple[Type, tuple[Expression, ...]]:
    """`unify` for the operands of a comparison.

    CHARs are padded to the longest one.  If an operand is a CHAR, text literals count as CHAR, too,
    so trailing blanks are ignored.

    Defines: S-204.c
    """
    return _unify(operands, _compared_types(operands), "compared values")


def compared_type(operands: Sequence[Operand]) -> Type | None:
    """The type in which the operands are compared; None if they are not comparable."""
    return common_type(_compared_types(operands))


def _compared_types(operands: Sequence[Operand]) -> list[Type]:
    """The types as which the operands are compared.

    They are the operands' types; but text literals count as CHAR if an operand is a CHAR.
    """
    if any(each.kind is Kind.CHAR for each in operands):
        return [_as_char(each) for each in operands]
    return [each.type for each in operands]


def _as_char(operand: Operand) -> Type:
    """The type of a text literal as CHAR of its length; other operands' types as they are.

    Defines: S-204.d, S-204.n
    """
    match operand.expression:
        case Literal(str() as text):
            return Type(Kind.CHAR, precision=max(1, len(text)), nullable=False)
        case _:
            return operand.type


def _unify(
    operands: Sequence[Operand], types: Sequence[Type], what: str
) -> tuple[Type, tuple[Expression, ...]]:
    """The common type of ``types``, and each operand converted to it.

    ``types`` has the type as which each operand counts.  ``what`` names the operands in messages.
    """
    common = common_type(types)
    if common is None:
        # The first operand that has no common type with those before it.
        failing = next(i for i in range(1, len(types)) if common_type(types[: i + 1]) is None)
        before = common_type(types[:failing])
        assert before is not None, "the first that fails has a type before it"
        raise operands[failing].refused(
            f"{what} of types {before} and {operands[failing].type} do not go together",
            cast_hint(operands[failing], before),
        )
    if common.kind is Kind.NULL:
        for each in operands:
            require_typed(each)
    return common, tuple(convert(each.expression, common) for each in operands)


def require_typed(operand: Operand) -> Operand:
    """The operand; TYPE_MISMATCH if it is a parameter whose type nothing determines."""
    if isinstance(operand.expression, Parameter) and operand.kind is Kind.NULL:
        raise operand.refused("the type of this parameter is unknown", "CAST(? AS INTEGER)")
    return operand


def require_boolean(operand: Operand) -> Expression:
    """The operand as a condition; TYPE_MISMATCH if it is not BOOLEAN."""
    if operand.kind not in (Kind.BOOLEAN, Kind.NULL):
        hint = f"{operand.text} <> 0" if operand.kind in NUMERIC else f"{operand.text} IS NOT NULL"
        raise operand.refused(f"{operand.type} where a condition is expected", hint)
    return convert(operand.expression, BOOLEAN)
