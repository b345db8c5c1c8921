"""Calls of aggregates: their arguments, DISTINCT and FILTER (S-203)."""

from collections.abc import Sequence

from algebra.aggregates import ArgumentError, aggregate_type
from algebra.bind_expression import bind_condition, bind_expression
from algebra.calls import AGGREGATES, ORDERED_AGGREGATES
from algebra.constants import fold
from algebra.environment import Environment
from algebra.expression import AggregateCall, AggregateFunction, Expression
from algebra.scope import Scope
from grammar import tree
from grammar.codes import Code
from grammar.source import SqlError


def bind_aggregate(
    node: tree.FunctionCall, name: str, scope: Scope, environment: Environment
) -> AggregateCall:
    """The aggregate that ``node`` calls; ``scope`` is that of its arguments."""
    if name in ORDERED_AGGREGATES:
        return _ordered(node, name, scope, environment)
    check_modifiers(node, name, environment)
    function = AGGREGATES[name]
    arguments = tuple(bind_expression(each, scope) for each in node.arguments)
    kept = None if node.filter is None else bind_condition(node.filter, scope)
    try:
        type = aggregate_type(function, [each.type for each in arguments])
    except ArgumentError as error:
        raise argument_fault(error, node, node.arguments, environment) from None
    return AggregateCall(function, arguments, node.distinct, kept, type)


def check_modifiers(node: tree.FunctionCall, name: str, environment: Environment) -> None:
    """Refuse ``*`` but in COUNT, COUNT of nothing, WITHIN GROUP and null treatment."""
    if node.star and name != "COUNT":
        message, hint = f"{name} takes no *", f"{name}(x)"
    elif name == "COUNT" and not node.star and not node.arguments:
        message, hint = "COUNT takes * or an argument", "COUNT(*)"
    elif node.star and node.distinct:
        message, hint = "DISTINCT wants a column", "COUNT(DISTINCT x)"
    elif node.within_group:
        message, hint = f"{name} takes no WITHIN GROUP", f"{name}(x)"
    elif node.nulls is not None:
        message, hint = f"{name} skips NULLs by itself", f"{name}(x)"
    else:
        return
    raise environment.error(Code.WRONG_ARGUMENTS, message, node.span, hint)


def argument_fault(
    error: ArgumentError,
    node: tree.FunctionCall,
    arguments: Sequence[tree.Expression],
    environment: Environment,
) -> SqlError:
    """The refusal of an argument, at its place in the text."""
    at = node.span if error.place is None else arguments[error.place].span
    text = environment.sql[at.start : at.end]
    return environment.error(error.code, error.message, at, error.hint.replace("{}", text))


def _ordered(
    node: tree.FunctionCall, name: str, scope: Scope, environment: Environment
) -> AggregateCall:
    """PERCENTILE_CONT(0.5), which is MEDIAN; the others are not in the algebra."""
    if name == "PERCENTILE_CONT" and len(node.arguments) == 1 and len(node.within_group) == 1:
        fraction = fold(bind_expression(node.arguments[0], scope))
        if fraction is not None and fraction.value is not None and float(fraction.value) == 0.5:
            value: Expression = bind_expression(node.within_group[0].expression, scope)
            kept = None if node.filter is None else bind_condition(node.filter, scope)
            try:
                type = aggregate_type(AggregateFunction.MEDIAN, [value.type])
            except ArgumentError as error:
                ordered = (node.within_group[0].expression,)
                raise argument_fault(error, node, ordered, environment) from None
            return AggregateCall(AggregateFunction.MEDIAN, (value,), False, kept, type)
    raise environment.error(
        Code.NOT_SUPPORTED,
        f"{name} is not supported",
        node.span,
        "MEDIAN(x), or PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x)",
    )
