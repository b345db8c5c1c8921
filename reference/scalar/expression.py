"""The definition of expressions: from an expression to a function from rows to its values.

`meaning_of` has a case for each kind of node, and `_call` a case for each operator that can accept
NULL; `reference.scalar.operators` has the other operators.
"""

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import TypeAlias

from algebra.catalog import ExternalFunction
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
    Value,
)
from algebra.plan import Plan
from algebra.rewrite import conjuncts
from algebra.types import Kind
from grammar.codes import Code
from grammar.source import Location, SqlError, located
from reference.environment import Environment
from reference.relation import Relation, Row
from reference.scalar import datetimes
from reference.scalar.casts import cast
from reference.scalar.correlation import depends_on_row
from reference.scalar.logic import NEGATION, TESTS, comparison, distinct, every, some
from reference.scalar.operators import binary, unary, variadic
from reference.values import failure, integer

#: A function from a row to the value of an expression.
Meaning: TypeAlias = Callable[[Row], Value]


def meaning_of(expression: Expression, env: Environment) -> Meaning:
    """The function from a row to the value of ``expression`` on that row.

    Operands are evaluated from left to right; AND, OR, CASE, COALESCE and IN evaluate only the
    operands that they need. The returned function raises the run-time errors of `grammar.codes`;
    `meaning_of` itself raises none.

    Defines: S-202.r, S-202.s
    """
    match expression:
        case InputRef(index):
            return itemgetter(index)
        case OuterRef(level, index):
            return lambda _: env.outer[level - 1][index]
        case Literal(value):
            return lambda _: value
        case Parameter(index):
            return lambda _: env.parameters[index]
        case Call():
            return _call(expression, env)
        case External(function, operands):
            return _external(function, [meaning_of(each, env) for each in operands], expression)
        case Cast(operand, type):
            source = operand.type
            return _unless_null(
                lambda value: cast(value, source, type),
                meaning_of(operand, env),
                expression.location,
            )
        case Case(branches, otherwise):
            choices = [(meaning_of(a, env), meaning_of(b, env)) for a, b in branches]
            last = meaning_of(otherwise, env)

            def chosen(row: Row) -> Value:
                return next((then for when, then in choices if when(row) is True), last)(row)

            return chosen
        case Extract(unit, operand):
            of, (first, _) = operand.type.kind, operand.type.fields or (None, None)
            return _unless_null(
                lambda a: datetimes.extract(unit, of, integer(a), first),
                meaning_of(operand, env),
                expression.location,
            )
        case Round(up, operand, unit):
            of = operand.type.kind
            return _unless_null(
                lambda a: datetimes.rounded(up, of, integer(a), unit),
                meaning_of(operand, env),
                expression.location,
            )
        case Grouping(keys):
            # A key has a 1 if the grouping set lacks it; the last key is the lowest bit.
            bits = [key not in env.grouping_set for key in reversed(keys)]
            return lambda _: sum(bit << place for place, bit in enumerate(bits))
        case GroupId():
            return lambda _: env.group_id
        case ScalarQuery(plan):
            rows = _rows(plan, env)
            return lambda row: _scalar(rows(row), expression.location)
        case Exists(plan):
            rows = _rows(plan, env)
            return lambda row: len(rows(row)) > 0
        case InQuery(operands, plan):
            return _in_query(operands, plan, env)
        case Quantified(op, all_of, operand, plan):
            rows = _rows(plan, env)
            value_on = meaning_of(operand, env)
            answer = comparison(op)
            quantify = every if all_of else some

            def quantified(row: Row) -> Value:
                value = value_on(row)
                return quantify(answer(value, each[0]) for each in rows(row))

            return quantified


def value_of(expression: Expression, row: Row, env: Environment) -> Value:
    """The value of ``expression`` on one row; for many rows, call `meaning_of` once."""
    return meaning_of(expression, env)(row)


def truth_of(condition: Expression, env: Environment) -> Callable[[Row], bool]:
    """The function that returns whether ``condition`` is true of a row: not false, not unknown."""
    meaning = meaning_of(condition, env)
    return lambda row: meaning(row) is True


def truth_in_turn(condition: Expression, env: Environment) -> Callable[[Row], bool]:
    """As `truth_of`, but conjuncts after the first that is not true are not evaluated.

    In a join of streams, the conjuncts of WHERE follow those of ON.  So WHERE cannot fail for a
    pair that ON does not accept.
    """
    truths = [truth_of(each, env) for each in conjuncts(condition)]
    return truths[0] if len(truths) == 1 else lambda row: all(each(row) for each in truths)


def holds(condition: Expression, row: Row, env: Environment) -> bool:
    """Whether ``condition`` is true of one row."""
    return value_of(condition, row, env) is True


def row_of(expressions: Sequence[Expression], env: Environment) -> Callable[[Row], Row]:
    """The function from a row to the row of the values of ``expressions``."""
    meanings = [meaning_of(each, env) for each in expressions]
    if len(meanings) == 1:
        [only] = meanings
        return lambda row: (only(row),)
    places = [each.index for each in expressions if isinstance(each, InputRef)]
    if len(places) == len(expressions) > 1:
        return itemgetter(*places)
    return lambda row: tuple([each(row) for each in meanings])


# --- sub-queries --------------------------------------------------------------------------------


def _rows(plan: Plan, env: Environment) -> Callable[[Row], Relation]:
    """The function from the nearest enclosing row to the rows of a sub-query.

    A sub-query that does not refer to that row is evaluated at its first use, and again when the
    relations that it reads have changed.
    """
    if depends_on_row(plan):
        return lambda row: env.query(plan, (row, *env.outer))
    found: dict[int, Relation] = {}

    def rows(row: Row) -> Relation:
        version = env.version()
        if version not in found:
            found.clear()
            found[version] = env.query(plan, (row, *env.outer))
        return found[version]

    return rows


def _scalar(rows: Relation, location: Location | None) -> Value:
    """The value of a scalar sub-query: NULL for no row, SCALAR_SUBQUERY_ROWS for several."""
    if len(rows) > 1:
        raise failure(
            Code.SCALAR_SUBQUERY_ROWS,
            f"a scalar sub-query has {len(rows)} rows",
            "aggregate, or add FETCH FIRST ROW ONLY",
            location,
        )
    return rows[0][0] if rows else None


def _in_query(operands: tuple[Expression, ...], plan: Plan, env: Environment) -> Meaning:
    """IN: whether the row of ``operands`` is among the rows of a sub-query; UNKNOWN is None."""
    rows = _rows(plan, env)
    values_on = row_of(operands, env)
    same = comparison(Op.EQUAL)

    def among(row: Row) -> Value:
        values = values_on(row)
        return some(
            every(same(a, b) for a, b in zip(values, each, strict=True)) for each in rows(row)
        )

    return among


# --- operators ----------------------------------------------------------------------------------


def _call(call: Call, env: Environment) -> Meaning:
    """The meaning of an operator.

    The cases are the operators that can accept NULL operands; `_strict` has all others.
    """
    operands = [meaning_of(each, env) for each in call.operands]
    match call.op, operands:
        case Op.AND, _:
            return lambda row: every(each(row) for each in operands)
        case Op.OR, _:
            return lambda row: some(each(row) for each in operands)
        case Op.NOT, [a]:
            return lambda row: NEGATION[a(row)]
        case Op.IS_NULL, [a]:
            return lambda row: a(row) is None
        case Op.IS_NOT_NULL, [a]:
            return lambda row: a(row) is not None
        case ((Op.IS_TRUE | Op.IS_NOT_TRUE | Op.IS_FALSE | Op.IS_NOT_FALSE), [a]):
            answers = TESTS[call.op]
            return lambda row: answers[a(row)]
        case (
            (
                Op.EQUAL
                | Op.NOT_EQUAL
                | Op.LESS
                | Op.LESS_OR_EQUAL
                | Op.GREATER
                | Op.GREATER_OR_EQUAL
            ),
            [a, b],
        ):
            answer = comparison(call.op)
            return lambda row: answer(a(row), b(row))
        case Op.IS_DISTINCT_FROM, [a, b]:
            return lambda row: distinct(a(row), b(row))
        case Op.IS_NOT_DISTINCT_FROM, [a, b]:
            return lambda row: not distinct(a(row), b(row))
        case Op.IN, [a, *others]:
            return lambda row: _among(a(row), row, others)
        case Op.COALESCE, _:
            return lambda row: next(
                (value for each in operands if (value := each(row)) is not None), None
            )
        case Op.CURRENT_TIMESTAMP, _:
            return lambda _: _clock(call.type.kind, env.now)
        case Op.MONOTONIC, [a]:
            return a
        case _:
            return _strict(call, operands, env)


def _among(value: Value, row: Row, others: Sequence[Meaning]) -> Value:
    """IN: whether ``value`` is among the values of ``others`` on ``row``; UNKNOWN is None.

    The operands after the first equal value are not evaluated.
    """
    same = comparison(Op.EQUAL)
    return some(same(value, each(row)) for each in others)


def _clock(kind: Kind, now: int) -> Value:
    """CURRENT_TIMESTAMP, CURRENT_DATE and CURRENT_TIME: the parts of the session's clock.

    Defines: S-106.a, S-106.f
    """
    if kind is Kind.TIME:
        return now % 86_400_000
    return datetimes.of_instant(kind, now)


def _unless_null(
    function: Callable[[Value], Value], a: Meaning, location: Location | None
) -> Meaning:
    """The meaning that applies ``function`` to the value of ``a``; NULL if that value is NULL.

    Errors of ``function`` are located at ``location``.
    """

    def on_one(row: Row) -> Value:
        x = a(row)
        try:
            return None if x is None else function(x)
        except SqlError as error:
            raise located(error, location) from None

    return on_one


def _external(
    function: ExternalFunction, arguments: Sequence[Meaning], expression: External
) -> Meaning:
    """The meaning of a call of a function of the host language; NULL if an argument is NULL.

    Defines: S-611.b, S-611.k, S-611.l
    """

    def called(row: Row) -> Value:
        values = [argument(row) for argument in arguments]
        try:
            return None if None in values else function.call(*values)
        except SqlError as error:
            raise located(error, expression.location) from None

    return called


def _strict(call: Call, operands: Sequence[Meaning], env: Environment) -> Meaning:
    """The meaning of an operator that is NULL if an operand is; its errors are at its location."""
    location = call.location
    match operands:
        case [a] if (of_one := unary(call)) is not None:
            return _unless_null(of_one, a, location)
        case [a, b] if (of_two := binary(call, env)) is not None:

            def on_two(row: Row) -> Value:
                x, y = a(row), b(row)
                try:
                    return None if x is None or y is None else of_two(x, y)
                except SqlError as error:
                    raise located(error, location) from None

            return on_two
        case _:
            of_any = variadic(call)

            def on_any(row: Row) -> Value:
                values = [each(row) for each in operands]
                try:
                    return None if None in values else of_any(values)
                except SqlError as error:
                    raise located(error, location) from None

            return on_any
