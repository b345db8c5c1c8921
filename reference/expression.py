"""The value of an expression on a row: one ``match`` over the nodes, one over the operators."""

from collections.abc import Iterator

from algebra.expression import (
    Call,
    Case,
    Cast,
    Exists,
    Expression,
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
    Value,
)
from algebra.plan import Plan, row_type
from algebra.types import DATETIME, Kind, Type
from grammar.codes import Code
from reference import datetimes
from reference.arithmetic import (
    absolute,
    arithmetic,
    negated,
    rounded_number,
    step_number,
    transcendental,
)
from reference.casts import cast
from reference.logic import NEGATION, TESTS, comparison, distinct, every, some
from reference.relation import Environment, Relation, Row
from reference.text import like, overlay, position, similar, substring, trimmed
from reference.values import failure, floating, integer, text


def value_of(expression: Expression, row: Row, env: Environment) -> Value:
    """The value of ``expression``, of its type, on ``row``.

    Operands are evaluated from left to right, and only as far as AND, OR, CASE, COALESCE and IN
    need them.  Raises the run-time errors of `grammar.codes`.
    """
    match expression:
        case InputRef(index):
            return row[index]
        case OuterRef(level, index):
            return env.outer[level - 1][index]
        case Literal(value):
            return value
        case Parameter(index):
            return env.parameters[index]
        case Call():
            return _call(expression, row, env)
        case Cast(operand, type):
            value = value_of(operand, row, env)
            return None if value is None else cast(value, operand.type, type, env.now)
        case Case(branches, otherwise):
            chosen = (then for when, then in branches if value_of(when, row, env) is True)
            return value_of(next(chosen, otherwise), row, env)
        case Extract(unit, operand):
            value = value_of(operand, row, env)
            return (
                None
                if value is None
                else datetimes.extract(unit, operand.type.kind, integer(value))
            )
        case Round(up, operand, unit):
            value = value_of(operand, row, env)
            return (
                None
                if value is None
                else datetimes.rounded(up, operand.type.kind, integer(value), unit)
            )
        case Grouping(keys):
            return sum(
                (key not in env.grouping_set) << place for place, key in enumerate(reversed(keys))
            )
        case GroupId():
            return env.group_id
        case ScalarQuery(plan):
            return _scalar(_rows(plan, row, env))
        case Exists(plan):
            return len(_rows(plan, row, env)) > 0
        case InQuery(operands, plan):
            values = [value_of(each, row, env) for each in operands]
            columns = [field.type for field in row_type(plan)]
            types = list(zip((each.type for each in operands), columns, strict=True))
            return some(
                every(
                    comparison(Op.EQUAL, a, b, t) for a, b, t in zip(values, r, types, strict=True)
                )
                for r in _rows(plan, row, env)
            )
        case Quantified(op, all_of, operand, plan):
            value = value_of(operand, row, env)
            types_of = (operand.type, row_type(plan)[0].type)
            answers = (comparison(op, value, r[0], types_of) for r in _rows(plan, row, env))
            return every(answers) if all_of else some(answers)


def holds(condition: Expression, row: Row, env: Environment) -> bool:
    """Whether ``condition`` is true of ``row``: neither false nor unknown."""
    return value_of(condition, row, env) is True


def values_of(expressions: tuple[Expression, ...], row: Row, env: Environment) -> Row:
    """The row of the values of ``expressions``."""
    return tuple([value_of(each, row, env) for each in expressions])


def _rows(plan: Plan, row: Row, env: Environment) -> Relation:
    """The rows of a sub-query whose nearest enclosing row is ``row``."""
    return env.query(plan, (row, *env.outer))


def _scalar(rows: Relation) -> Value:
    """The value of a scalar sub-query: NULL of no row, SCALAR_SUBQUERY_ROWS of several."""
    if len(rows) > 1:
        raise failure(
            Code.SCALAR_SUBQUERY_ROWS,
            f"a scalar sub-query has {len(rows)} rows",
            "aggregate, or add FETCH FIRST ROW ONLY",
        )
    return rows[0][0] if rows else None


# --- operators ----------------------------------------------------------------------------------


def _call(call: Call, row: Row, env: Environment) -> Value:
    """The value of an operator: first those that can answer although an operand is NULL."""

    def operands() -> Iterator[Value]:
        return (value_of(each, row, env) for each in call.operands)

    def types() -> tuple[Type, Type]:
        a, b = call.operands
        return a.type, b.type

    match call.op:
        case Op.AND:
            return every(operands())
        case Op.OR:
            return some(operands())
        case Op.NOT:
            return NEGATION[next(operands())]
        case Op.IS_NULL:
            return next(operands()) is None
        case Op.IS_NOT_NULL:
            return next(operands()) is not None
        case Op.IS_TRUE | Op.IS_NOT_TRUE | Op.IS_FALSE | Op.IS_NOT_FALSE:
            return TESTS[call.op][next(operands())]
        case (
            Op.EQUAL | Op.NOT_EQUAL | Op.LESS | Op.LESS_OR_EQUAL | Op.GREATER | Op.GREATER_OR_EQUAL
        ):
            a, b = operands()
            return comparison(call.op, a, b, types())
        case Op.IS_DISTINCT_FROM:
            a, b = operands()
            return distinct(a, b, types())
        case Op.IS_NOT_DISTINCT_FROM:
            a, b = operands()
            return not distinct(a, b, types())
        case Op.IN:
            first, *others = call.operands
            a = value_of(first, row, env)
            return some(
                comparison(Op.EQUAL, a, value_of(b, row, env), (first.type, b.type)) for b in others
            )
        case Op.COALESCE:
            return next((each for each in operands() if each is not None), None)
        case Op.CURRENT_TIMESTAMP:
            return _clock(call.type.kind, env.now)
        case Op.MONOTONIC:
            return next(operands())
        case _:
            values = list(operands())
            return None if None in values else _strict(call, values)


def _clock(kind: Kind, now: int) -> Value:
    """CURRENT_TIMESTAMP, CURRENT_DATE and CURRENT_TIME: the parts of the session's clock."""
    if kind is Kind.TIME:
        return now % 86_400_000
    return datetimes.of_instant(kind, now)


def _strict(call: Call, values: list[Value]) -> Value:
    """The value of an operator that is NULL if an operand is; ``values`` are not."""
    kinds = [each.type.kind for each in call.operands]
    match call.op, values:
        case ((Op.PLUS | Op.MINUS | Op.TIMES | Op.DIVIDE | Op.MOD), [a, b]):
            return arithmetic(call.op, call.type, a, b)
        case Op.NEGATE, [a]:
            return negated(call.type, a)
        case Op.ABS, [a]:
            return absolute(call.type, a)
        case ((Op.FLOOR | Op.CEIL), [a]):
            return rounded_number(call.op is Op.CEIL, call.type, a)
        case ((Op.EXP | Op.LN | Op.SQRT), [a]):
            return transcendental(call.op, call.type, floating(a))
        case Op.POWER, [a, b]:
            return transcendental(call.op, call.type, floating(a), floating(b))
        case Op.DATETIME_PLUS, [a, b]:
            return datetimes.plus(call.type, integer(a), kinds[0], integer(b), kinds[1])
        case Op.DATETIME_MINUS, [a, b]:
            return datetimes.minus(call.type, integer(a), kinds[0], integer(b), kinds[1])
        case Op.STEP, [a, b] if kinds[0] in DATETIME:
            return datetimes.step(kinds[0], integer(a), integer(b), kinds[1])
        case Op.STEP, [a, b]:
            return step_number(call.type, a, b)
        case Op.CONCAT, [a, b]:
            return text(a) + text(b)
        case Op.SUBSTRING, [a, *places]:
            return substring(text(a), *map(integer, places))
        case Op.POSITION, [a, b]:
            return position(text(a), text(b))
        case Op.TRIM_BOTH, [a, b]:
            return trimmed(text(a), text(b), leading=True, trailing=True)
        case Op.TRIM_LEADING, [a, b]:
            return trimmed(text(a), text(b), leading=True, trailing=False)
        case Op.TRIM_TRAILING, [a, b]:
            return trimmed(text(a), text(b), leading=False, trailing=True)
        case Op.OVERLAY, [a, b, *places]:
            return overlay(text(a), text(b), *map(integer, places))
        case Op.UPPER, [a]:
            return text(a).upper()
        case Op.LOWER, [a]:
            return text(a).lower()
        case Op.CHAR_LENGTH, [a]:
            return len(text(a))
        case Op.LIKE, [a, b, *escape]:
            return like(text(a), text(b), *map(text, escape))
        case Op.SIMILAR, [a, b, *escape]:
            return similar(text(a), text(b), *map(text, escape))
        case _:
            raise AssertionError(f"{call.op} of {len(values)} operands")
