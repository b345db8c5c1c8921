"""The place of a run-time error, deduced from the kind of the error and from the statement.

An error of Spark has a condition, such as ``DIVIDE_BY_ZERO``, but no place in the SQL text. If only
one expression of the statements can raise it, the place is that of the expression.
"""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Final, TypeAlias, cast

from algebra.expression import (
    AggregateCall,
    AggregateFunction,
    Call,
    Cast,
    Op,
    Parameter,
    Round,
    ScalarQuery,
    WindowCall,
    WindowFunction,
)
from algebra.modify import Merge
from algebra.plan import Hop
from algebra.types import APPROXIMATE, INTEGER_DIGITS, TEXT, Kind
from grammar.codes import Code
from grammar.source import Location, SqlError, located

#: Expressions that can fail at run time by themselves.
_Fallible: TypeAlias = (
    Call | Cast | Round | ScalarQuery | AggregateCall | WindowCall | Parameter | Hop | Merge
)

#: The operators whose results can leave the range of an exact type, or of the datetimes.
_OVERFLOWING: Final = frozenset({
    Op.PLUS, Op.MINUS, Op.TIMES, Op.DIVIDE, Op.MOD, Op.NEGATE, Op.DATETIME_PLUS, Op.DATETIME_MINUS,
    Op.ABS, Op.ROUND, Op.TRUNCATE, Op.FLOOR, Op.CEIL, Op.STEP, Op.LAST_DAY,
})  # fmt: skip
#: The operators among them whose result is a datetime: they fail only at an edge of the calendar.
_OF_TIMES: Final = frozenset({Op.DATETIME_PLUS, Op.DATETIME_MINUS})
#: The operators that are not defined for all values of their operands.
_UNDEFINED_SOMEWHERE: Final = frozenset({
    Op.LN, Op.LOG10, Op.SQRT, Op.POWER, Op.EXP, Op.STEP, Op.SUBSTRING, Op.OVERLAY, Op.TRIM_BOTH,
    Op.TRIM_LEADING, Op.TRIM_TRAILING, Op.LPAD, Op.RPAD, Op.LIKE, Op.SIMILAR,
})  # fmt: skip
#: The operators whose text can be too long, unless its type bounds it.
_LENGTHENING: Final = frozenset({Op.CONCAT, Op.OVERLAY, Op.REPLACE, Op.LPAD, Op.RPAD})
#: The window functions that fail for some numbers of rows or buckets.
_FAILING_IN_WINDOWS: Final = frozenset({
    WindowFunction.NTILE, WindowFunction.NTH_VALUE, WindowFunction.LAG, WindowFunction.LEAD,
})  # fmt: skip
#: The aggregates that add values up; the others choose a value, count, or return a DOUBLE.
_SUMS: Final = frozenset({AggregateFunction.SUM, AggregateFunction.AVG})


def located_in(error: SqlError, *statements: object) -> SqlError:
    """``error``, at the one location in ``statements`` where it can arise, if it has none yet.

    ``statements`` are plans, or statements of a script.
    """
    found = {each for statement in statements for each in _locations(statement, error.code)}
    return located(error, found.pop() if len(found) == 1 else None)


def _locations(node: object, code: Code) -> Iterator[Location | None]:
    """The locations of the expressions in ``node`` that can raise ``code``.

    None stands for an expression that has no location.
    """
    match node:
        case tuple():
            # cast: a tuple pattern does not have item types
            for each in cast("tuple[object, ...]", node):
                yield from _locations(each, code)
        case Location():
            return
        case _ if is_dataclass(node):
            if isinstance(node, _Fallible) and code in _codes(node):
                yield node.location
            for field in fields(node):
                yield from _locations(getattr(node, field.name), code)
        case _:
            pass


def can_fail_at_a_row(node: object, *, at_edges: bool) -> bool:
    """Whether an operator, function or cast in ``node`` can fail on some row.

    ``at_edges``: those that can fail only near the first or the last time of the calendar count,
    too.  A scalar sub-query with several rows, and the overflow of an aggregate, do not count.
    """
    match node:
        case tuple():
            # cast: a tuple pattern leaves the type of its items open
            parts = cast("tuple[object, ...]", node)
            return any(can_fail_at_a_row(each, at_edges=at_edges) for each in parts)
        case Hop() | Round() if at_edges:
            return True
        case Call(op) if op in _OF_TIMES and not at_edges:
            pass
        case Call() | Cast() if any(True for _ in _codes(node)):
            return True
        case _:
            pass
    if not is_dataclass(node):
        return False
    values = (getattr(node, field.name) for field in fields(node))
    return any(can_fail_at_a_row(each, at_edges=at_edges) for each in values)


def _codes(node: _Fallible) -> Iterator[Code]:
    """The codes that an expression or a statement may raise itself, apart from its operands."""
    match node:
        case Call(op, _, type):
            if op in (Op.DIVIDE, Op.MOD):
                yield Code.DIVISION_BY_ZERO
            if op in _OVERFLOWING and type.kind not in APPROXIMATE:
                yield Code.OVERFLOW
            if op in _LENGTHENING and not type.precision:
                yield Code.OVERFLOW
            if op in _UNDEFINED_SOMEWHERE:
                yield Code.INVALID_ARGUMENT
        case Cast():
            if node.operand.type.kind in TEXT and node.type.kind not in TEXT:
                yield Code.INVALID_CAST
            if not _widens(node):
                yield Code.OVERFLOW
        case Round() | Hop():
            yield Code.OVERFLOW
        case ScalarQuery():
            yield Code.SCALAR_SUBQUERY_ROWS
        case AggregateCall(function, _, type) | WindowCall(function, _, type):
            if function in _SUMS and type.kind not in APPROXIMATE:
                yield Code.OVERFLOW
            if function is AggregateFunction.LISTAGG:
                yield Code.OVERFLOW
            if function in _FAILING_IN_WINDOWS:
                yield Code.INVALID_ARGUMENT
        case Parameter() | Merge():  # OFFSET or FETCH of less than 0; a row changed twice
            yield Code.INVALID_ARGUMENT


def _widens(cast: Cast) -> bool:
    """Whether the target has all values of the operand's type."""
    source, target = cast.operand.type, cast.type
    if target.kind is Kind.VARCHAR and not target.precision:
        return True
    if source.kind in INTEGER_DIGITS and target.kind in INTEGER_DIGITS:
        return INTEGER_DIGITS[source.kind] <= INTEGER_DIGITS[target.kind]
    return target.kind in APPROXIMATE or source.as_nullable() == target.as_nullable()
