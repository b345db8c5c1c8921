"""Sub-queries in expressions: scalar, EXISTS, IN, ANY and ALL (S-512).

The sub-query is already bound to a plan.  The operand of IN, ANY and ALL and the sub-query's
columns are brought to the same types: by a cast of the operand, a Project on top of the plan, or
both.
"""

from collections.abc import Sequence

from algebra.expression import (
    Exists,
    Expression,
    InputRef,
    InQuery,
    Op,
    Quantified,
    ScalarQuery,
)
from algebra.functions.coerce import Operand, cast_hint, common_type, convert
from algebra.functions.comparison import Operands
from algebra.plan import Plan, Project, row_type
from algebra.types import BOOLEAN, Type
from grammar.codes import Code
from grammar.counts import counted
from grammar.source import Span, SqlError


def scalar_query(plan: Plan, at: Span, sql: str) -> Expression:
    """``(SELECT …)`` as a value, which is NULL if there is no row; ``at`` is the query's place."""
    (type,) = _columns(plan, 1, at, sql)
    return ScalarQuery(plan, type.as_nullable())


def exists(plan: Plan) -> Expression:
    """``EXISTS (SELECT …)``: true or false."""
    return Exists(plan, BOOLEAN.as_nullable(False))


def in_query(operand: Operands, plan: Plan, at: Span, sql: str) -> Expression:
    """``operand IN (SELECT …)``; ``at`` is the query's place."""
    columns = _columns(plan, len(operand), at, sql)
    types = [_common(each, column) for each, column in zip(operand, columns, strict=True)]
    operands = tuple(convert(o.expression, t) for o, t in zip(operand, types, strict=True))
    nullable = any(each.nullable for each in types)
    return InQuery(operands, _projected(plan, types), BOOLEAN.as_nullable(nullable))


def quantified(op: Op, every: bool, operand: Operand, plan: Plan, at: Span) -> Expression:
    """``operand op ANY (SELECT …)``, or ALL if ``every``; ``at`` is the query's place."""
    (column,) = _columns(plan, 1, at, operand.sql)
    type = _common(operand, column)
    value = convert(operand.expression, type)
    result = BOOLEAN.as_nullable(type.nullable)
    return Quantified(op, every, value, _projected(plan, [type]), result)


def _columns(plan: Plan, width: int, at: Span, sql: str) -> tuple[Type, ...]:
    """The types of the plan's columns; SUBQUERY_COLUMNS if there are not ``width``."""
    fields = row_type(plan)
    if len(fields) != width:
        message = f"a sub-query of {counted(len(fields), 'column')} where it must have {width}"
        hint = f"select {', '.join(each.name for each in fields[:width])}" if fields else ""
        raise SqlError(Code.SUBQUERY_COLUMNS, message, sql, at, hint)
    return tuple(each.type for each in fields)


def _common(operand: Operand, column: Type) -> Type:
    """The type in which the operand is compared with the column; TYPE_MISMATCH if there is none."""
    common = common_type((operand.type, column))
    if common is None:
        message = f"{operand.type} is not compared with a sub-query's {column}"
        raise operand.refused(message, cast_hint(operand, column))
    return common


def _projected(plan: Plan, types: Sequence[Type]) -> Plan:
    """The plan with its columns cast to ``types``; the plan itself if they have these types."""
    fields = row_type(plan)
    refs = [InputRef(i, each.type) for i, each in enumerate(fields)]
    cast = tuple(convert(ref, type) for ref, type in zip(refs, types, strict=True))
    return plan if cast == tuple(refs) else Project(plan, cast, tuple(f.name for f in fields))
