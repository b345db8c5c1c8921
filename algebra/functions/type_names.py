"""Binding of type names: from the text of a type to the type (S-201)."""

from typing import Final

from algebra.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    MAX_CHARACTERS,
    MAX_PRECISION,
    REAL,
    SMALLINT,
    TIME,
    TIMESTAMP,
    TINYINT,
    Kind,
    Type,
    decimal,
    interval,
)
from grammar.codes import Code
from grammar.source import SqlError
from grammar.tree import IntervalQualifier, TimeUnit, TypeName

#: The types whose names take no numbers, by name.
_PLAIN: Final = {
    str(each.kind): each
    for each in (BOOLEAN, TINYINT, SMALLINT, INTEGER, BIGINT, REAL, DOUBLE, DATE)
}
#: The types whose names can have a precision, which must be 3, by name.
_TIMES: Final = {str(each.kind): each for each in (TIME, TIMESTAMP)}
#: The kinds whose names can have a length, by name.
_TEXTS: Final = {str(each): each for each in (Kind.CHAR, Kind.VARCHAR, Kind.VARBINARY)}

#: The field that an interval of weeks or quarters has: neither unit is a field itself.
_FIELD: Final = {TimeUnit.WEEK: TimeUnit.DAY, TimeUnit.QUARTER: TimeUnit.MONTH}


def bind_type(name: TypeName, sql: str) -> Type:
    """The type that ``name`` spells, nullable.

    Defaults: DECIMAL is DECIMAL(38, 0), CHAR is CHAR(1), VARCHAR and VARBINARY are unlimited, TIME
    and TIMESTAMP have precision 3, the only one (S-101).  SYNTAX_ERROR for numbers that no type can
    have, such as a length of 0 or a scale above the precision; NOT_SUPPORTED for numbers beyond
    those of S-201.
    """
    if name.qualifier is not None:
        return interval_type(name.qualifier)
    if (plain := _PLAIN.get(name.name)) is not None:
        return plain
    if (time := _TIMES.get(name.name)) is not None:
        if name.precision not in (None, 3):
            message = f"the precision of {time.kind} is 3, milliseconds (S-101)"
            raise SqlError(Code.NOT_SUPPORTED, message, sql, name.span, str(time))
        return time
    if (kind := _TEXTS.get(name.name)) is not None:
        if name.precision == 0:
            message = f"{kind} of no length"
            raise SqlError(Code.SYNTAX_ERROR, message, sql, name.span, f"{kind}(1)")
        if (name.precision or 0) > MAX_CHARACTERS:
            message = f"a {kind} has a length of at most {MAX_CHARACTERS:,} (S-204.l)"
            hint = f"{kind}({MAX_CHARACTERS})"
            raise SqlError(Code.NOT_SUPPORTED, message, sql, name.span, hint)
        default = 1 if kind is Kind.CHAR else 0  # 0: the length is not limited
        return Type(kind, precision=name.precision or default)
    assert name.name == "DECIMAL", f"the grammar knows no type {name.name}"
    return _decimal_type(name, sql)


def _decimal_type(name: TypeName, sql: str) -> Type:
    """The DECIMAL that ``name`` spells, after a check of its precision and scale."""
    precision = MAX_PRECISION if name.precision is None else name.precision
    scale = name.scale or 0
    if precision > MAX_PRECISION:
        hint = f"DECIMAL({MAX_PRECISION}, {min(scale, MAX_PRECISION)})"
        message = f"a DECIMAL has at most {MAX_PRECISION} digits (S-201)"
        raise SqlError(Code.NOT_SUPPORTED, message, sql, name.span, hint)
    if precision == 0 or scale > precision:
        hint = (
            f"DECIMAL({min(max(precision, scale, 1), MAX_PRECISION)}, {min(scale, MAX_PRECISION)})"
        )
        message = "a DECIMAL has at least one digit, and no more after the point than in all"
        raise SqlError(Code.SYNTAX_ERROR, message, sql, name.span, hint)
    return decimal(precision, scale)


def interval_type(qualifier: IntervalQualifier) -> Type:
    """The interval type of a qualifier; WEEK becomes the field DAY, and QUARTER becomes MONTH."""
    start = _FIELD.get(qualifier.start, qualifier.start)
    return interval(start, qualifier.end)
