"""Binding of calls of aggregates, such as ``SUM(DISTINCT x) FILTER (WHERE …)`` (S-203).

Calls that the aggregate does not allow are refused.
"""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from algebra.binding.expression.bind_expression import bind_condition, bind_expression
from algebra.binding.expression.sort_key import bind_sort_key
from algebra.binding.scope.calls import function_name
from algebra.binding.scope.environment import Environment
from algebra.binding.scope.scope import Scope
from algebra.expression import (
    AggregateCall,
    AggregateFunction,
    Expression,
    Literal,
    Parameter,
    SortKey,
)
from algebra.folding import constant_number
from algebra.functions.aggregates import (
    AGGREGATES,
    Aggregate,
    ArgumentError,
    Within,
    aggregate_type,
)
from algebra.functions.coerce import convert
from algebra.types import VARCHAR, Kind
from grammar import tree
from grammar.codes import Code
from grammar.source import Location, SqlError

#: The separator of LISTAGG that is called without one.
_COMMA: Final = Literal(",", VARCHAR.as_nullable(False))


def bind_aggregate(
    node: tree.FunctionCall, scope: Scope, environment: Environment
) -> AggregateCall:
    """The call ``node`` of an aggregate, bound; ``scope`` is the scope of its arguments."""
    entry = AGGREGATES[function_name(node)]
    # A ``?`` as the separator of LISTAGG is a text; other arguments must have types.
    separator = VARCHAR if entry.function is AggregateFunction.LISTAGG else None
    arguments = tuple(
        bind_expression(each, scope, separator if place else None)
        for place, each in enumerate(node.arguments)
    )
    order = tuple(bind_sort_key(each, scope) for each in node.within_group)
    filter_ = None if node.filter is None else bind_condition(node.filter, scope)
    check_modifiers(node, environment)  # after its parts, whose faults come first (S-801)
    # The type of a percentile follows from the key of its WITHIN GROUP.
    keys = tuple(each.expression for each in order) if entry.within is Within.ONE_KEY else ()
    written = (*node.arguments, *(each.expression for each in node.within_group))
    try:
        type = aggregate_type(entry.function, [each.type for each in (*arguments, *keys)])
    except ArgumentError as error:
        raise argument_fault(error, node, written, environment) from None
    call = AggregateCall(
        entry.function,
        arguments,
        type,
        distinct=node.distinct,
        filter=filter_,
        order=order,
        location=Location(environment.sql, node.span),
    )
    match entry.function:
        case AggregateFunction.LISTAGG:
            return _bind_listagg(call, node, environment)
        case AggregateFunction.PERCENTILE_CONT | AggregateFunction.PERCENTILE_DISC:
            return _bind_percentile(call, node, environment)
        case _:
            return call


def check_modifiers(node: tree.FunctionCall, environment: Environment) -> None:
    """Refuse ``*``, DISTINCT and other modifiers that the aggregate does not take: WRONG_ARGUMENTS.

    A modifier that it requires, such as WITHIN GROUP, must not be missing either.
    """
    name = function_name(node)
    entry = AGGREGATES[name]
    example = entry.forms[0]  # a correct call, as text
    if node.star and name != "COUNT":
        message, hint = f"{name} takes no *", example
    elif name == "COUNT" and not node.star and not node.arguments:
        message, hint = "COUNT takes * or an argument", "COUNT(*)"
    elif node.distinct and not entry.distinct:
        message, hint = f"{name} takes no DISTINCT", example
    elif (fault := _order_fault(node, entry, name)) is not None:
        message, hint = fault
    elif node.nulls is not None:
        message, hint = f"{name} skips NULLs by itself", example
    elif name == "STRING_AGG" and len(node.arguments) != 2:
        message, hint = "STRING_AGG takes a text and a separator", "STRING_AGG(x, ', ')"
    else:
        return
    hint = hint if hint == "COUNT(*)" else f"write it as in {hint}"
    raise environment.error(Code.WRONG_ARGUMENTS, message, node.span, hint)


def _order_fault(node: tree.FunctionCall, entry: Aggregate, name: str) -> tuple[str, str] | None:
    """A message and a hint if WITHIN GROUP is missing or not allowed; None: there is no fault.

    Defines: S-203.v, S-203.z
    """
    match entry.within:
        case Within.NEVER if node.within_group:
            return f"{name} takes no WITHIN GROUP", entry.forms[0]
        case Within.ONE_KEY if len(node.within_group) != 1:
            return f"{name} requires WITHIN GROUP with one sort key", entry.forms[0]
        case _:
            return None


def argument_fault(
    error: ArgumentError,
    node: tree.FunctionCall,
    arguments: Sequence[tree.Expression],
    environment: Environment,
) -> SqlError:
    """``error`` as an `SqlError`, at the place of the argument at fault, or of the call ``node``.

    ``arguments`` are the arguments in the text, in the order in which ``error`` counts them.  In
    the hint of ``error``, ``{}`` stands for the text at this place.
    """
    at = node.span if error.place is None else arguments[error.place].span
    hint = error.hint.replace("{}", environment.sql[at.start : at.end])
    return environment.error(error.code, error.message, at, hint)


def _bind_listagg(
    call: AggregateCall, node: tree.FunctionCall, environment: Environment
) -> AggregateCall:
    """The call of LISTAGG with its text and separator as VARCHAR; without a separator, a comma.

    WRONG_ARGUMENTS if the separator is not constant, or if LISTAGG with DISTINCT is ordered by
    another expression than its text.

    Defines: S-203.s
    """
    value, *more = call.arguments
    separator: Expression = more[0] if more else _COMMA
    if not isinstance(separator, Literal | Parameter):
        raise environment.error(
            Code.WRONG_ARGUMENTS,
            "the separator must be a constant",
            node.arguments[1].span,
            "', '",
        )
    for item, key in zip(node.within_group, call.order, strict=True):
        if call.distinct and key.expression != value:
            raise environment.error(
                Code.WRONG_ARGUMENTS,
                "LISTAGG with DISTINCT is ordered by its own texts, each of which it has once",
                item.expression.span,
                environment.sql[node.arguments[0].span.start : node.arguments[0].span.end],
            )
    texts = tuple(
        convert(each, VARCHAR) if each.type.kind is Kind.CHAR else each
        for each in (value, separator)
    )
    return replace(call, arguments=texts)


def _bind_percentile(
    call: AggregateCall, node: tree.FunctionCall, environment: Environment
) -> AggregateCall:
    """The call of a percentile with its constant fraction; PERCENTILE_CONT(0.5) becomes MEDIAN.

    WRONG_ARGUMENTS if the fraction is not a constant from 0 to 1.

    Defines: S-203.u
    """
    match constant_number(call.arguments[0]):
        case Literal(value) as fraction if (
            isinstance(value, int | float | Decimal) and 0 <= value <= 1
        ):
            if call.function is not AggregateFunction.PERCENTILE_CONT or value * 2 != 1:
                return replace(call, arguments=(fraction,))
            key: SortKey = call.order[0]
            median = AggregateFunction.MEDIAN
            return AggregateCall(
                median, (key.expression,), call.type, filter=call.filter, location=call.location
            )
        case _:
            raise environment.error(
                Code.WRONG_ARGUMENTS,
                "the fraction must be a constant from 0 to 1",
                node.arguments[0].span,
                "0.5",
            )
