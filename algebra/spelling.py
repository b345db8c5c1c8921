"""Expressions as text similar to SQL, with the names of columns: for messages and metadata."""

from collections.abc import Sequence
from typing import Final

from algebra.expression import (
    Call,
    Case,
    Cast,
    Exists,
    Expression,
    External,
    Extract,
    GroupId,
    Grouping,
    InputRef,
    InQuery,
    Literal,
    Op,
    OuterRef,
    Parameter,
    Quantified,
    Round,
    ScalarQuery,
    SortKey,
)
from algebra.functions.datetimes import format_date, format_time, format_timestamp, time_text
from algebra.plan import Plan, row_type
from algebra.types import APPROXIMATE, INTERVAL, TEXT, Kind

#: The operators that are written between their operands, each with its text.
_BETWEEN: Final = {
    Op.AND: "AND", Op.OR: "OR", Op.PLUS: "+", Op.MINUS: "-", Op.TIMES: "*", Op.DIVIDE: "/",
    Op.CONCAT: "||", Op.DATETIME_PLUS: "+", Op.EQUAL: "=", Op.NOT_EQUAL: "<>", Op.LESS: "<",
    Op.LESS_OR_EQUAL: "<=", Op.GREATER: ">", Op.GREATER_OR_EQUAL: ">=",
    Op.IS_DISTINCT_FROM: "IS DISTINCT FROM", Op.IS_NOT_DISTINCT_FROM: "IS NOT DISTINCT FROM",
}  # fmt: skip
#: The operators that are written after their operand.
_AFTER: Final = frozenset({
    Op.IS_NULL, Op.IS_NOT_NULL, Op.IS_TRUE, Op.IS_NOT_TRUE, Op.IS_FALSE, Op.IS_NOT_FALSE,
})  # fmt: skip


def names_of(plan: Plan) -> tuple[str, ...]:
    """The column names of ``plan``; a repeated name ends with the column's place: ``UNITS$3``."""
    names = [field.name for field in row_type(plan)]
    return tuple(n if names.count(n) == 1 else f"{n}${i}" for i, n in enumerate(names))


def spelled(expression: Expression, names: Sequence[str]) -> str:
    """The text of ``expression`` over columns called ``names``; it need not be valid SQL.

    >>> from algebra.types import INTEGER
    >>> spelled(Call(Op.PLUS, (InputRef(0, INTEGER), Literal(1, INTEGER)), INTEGER), ["UNITS"])
    'UNITS + 1'
    """

    def of(each: Expression) -> str:
        return spelled(each, names)

    def inner(each: Expression) -> str:
        needs_brackets = isinstance(each, Call) and (each.op in _BETWEEN or each.op in _AFTER)
        return f"({of(each)})" if needs_brackets else of(each)

    match expression:
        case InputRef(index):
            return names[index] if index < len(names) else f"${index}"
        case OuterRef(level, index):
            return f"$cor{level}.${index}"
        case Literal():
            return _literal(expression)
        case Parameter():
            return "?"
        case Call(Op.CURRENT_TIMESTAMP, _, type_):
            return f"CURRENT_{type_.kind}"
        case Call(Op.NEGATE, (operand,)):
            return f"-{inner(operand)}"
        case Call(Op.DATETIME_MINUS, (a, b), type_):
            return f"({of(a)} - {of(b)}) {str(type_).removeprefix('INTERVAL ')}"
        case Call(Op.STEP, (operand, by)):
            return f"STEP({of(operand)} BY {of(by)})"
        case Call(op, (operand,)) if op in _AFTER:
            return f"{inner(operand)} {op}"
        case Call(op, operands) if op in _BETWEEN:
            return f" {_BETWEEN[op]} ".join(map(inner, operands))
        case Call(op, operands):
            return f"{op}({', '.join(map(of, operands))})"
        case External(function, operands):
            return f"{function.name[-1]}({', '.join(map(of, operands))})"
        case Cast(operand, type_):
            return f"CAST({of(operand)} AS {type_})"
        case Case(branches, otherwise):
            whens = " ".join(f"WHEN {of(c)} THEN {of(r)}" for c, r in branches)
            return f"CASE {whens} ELSE {of(otherwise)} END"
        case Extract(unit, operand):
            return f"EXTRACT({unit} FROM {of(operand)})"
        case Round(up, operand, unit):
            return f"{'CEIL' if up else 'FLOOR'}({of(operand)} TO {unit})"
        case Grouping(keys):
            return f"GROUPING({', '.join(map(str, keys))})"
        case GroupId():
            return "GROUP_ID()"
        case ScalarQuery():
            return "(SELECT …)"
        case Exists():
            return "EXISTS (SELECT …)"
        case InQuery(operands):
            return f"({', '.join(map(of, operands))}) IN (SELECT …)"
        case Quantified(op, every, operand):
            return f"{inner(operand)} {op} {'ALL' if every else 'ANY'} (SELECT …)"


def direction(key: SortKey) -> str:
    """``ASC`` or ``DESC``, with NULLS FIRST or LAST if that is not the default (S-206).

    By default NULLs are last in ascending and first in descending order.
    """
    word = "DESC" if key.descending else "ASC"
    if key.nulls_first == key.descending or not key.expression.type.nullable:
        return word
    return f"{word} NULLS {'FIRST' if key.nulls_first else 'LAST'}"


def _literal(literal: Literal) -> str:
    """The text of a literal; the text of an interval is without the word INTERVAL."""
    value, kind = literal.value, literal.type.kind
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return f"X'{value.hex().upper()}'"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if kind in TEXT:
        return "'" + str(value).replace("'", "''") + "'"
    if kind in APPROXIMATE:
        return f"{value}E0"
    if not isinstance(value, int):
        return str(value)
    if kind in INTERVAL:
        return f"{value} MONTH" if kind is Kind.MONTHS else _time(value)
    match kind:
        case Kind.DATE:
            return f"DATE '{format_date(value)}'"
        case Kind.TIME:
            return f"TIME '{format_time(value)}'"
        case Kind.TIMESTAMP:
            return f"TIMESTAMP '{format_timestamp(value)}'"
        case _:
            return str(value)


def _time(millis: int) -> str:
    """The text of a number of milliseconds, which may be negative: ``1 HOUR 30 MINUTE``."""
    return time_text(millis) if millis >= 0 else f"-({time_text(-millis)})"
