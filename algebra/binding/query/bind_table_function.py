"""Binding of calls of table functions in FROM: ``TABLE(f(stream, argument, …))`` (S-611).

Such a function is an extension, written in the host language.  It reads a stream and returns one.
"""

from algebra.binding.expression.bind_expression import bind_expression
from algebra.binding.expression.scopes import NO_COLUMNS, RowScope
from algebra.binding.scope.environment import BoundQuery, Environment
from algebra.binding.scope.meant import names_meant
from algebra.binding.scope.names import parts_of
from algebra.catalog import Stream, TableCall, TableFunction
from algebra.expression import Literal
from algebra.folding import fold
from algebra.functions.coerce import Operand, cast_to
from algebra.plan import Reads, Scan
from algebra.refusal.validate import check_reading
from algebra.spelling import spelled
from algebra.types import TEXT, Field
from grammar import tree
from grammar.codes import Code
from grammar.counts import counted
from grammar.source import Location


def bind_table_function(call: tree.TableCall, environment: Environment) -> BoundQuery:
    """The output of a table function as a stream; equal calls are one stream.

    The first argument names a stream, the others are constants.  NOT_SUPPORTED if the catalog has
    no table function of that name.  WRONG_ARGUMENTS or TYPE_MISMATCH for wrong arguments.
    STREAM_TO_TABLE if the query does not stream, because the output has no history.

    Defines: S-611.c, S-611.m, S-611.n
    """
    function = environment.catalog.extensions.get(parts_of(call.name))
    if not isinstance(function, TableFunction):
        extensions = environment.catalog.extensions.items()
        known = [name[-1] for name, each in extensions if isinstance(each, TableFunction)]
        raise environment.refusal(
            Code.NOT_SUPPORTED,
            f"there is no table function {'.'.join(parts_of(call.name))} here",
            call.span,
            f"the table functions are: {', '.join(sorted(known))}"
            if known
            else "a table function is an extension of an embedded engine: rowtime.connect",
            lambda: names_meant(call.name.parts[-1], sorted(known)),
        )
    usage = ", ".join(["stream", *(each.name for each in function.parameters)])
    hint = f"TABLE({function.name[-1]}({usage}))"
    expected = len(function.parameters) + 1
    if len(call.arguments) != expected:
        message = f"{function.name[-1]} takes {counted(expected, 'argument')}"
        found = f"{message}, not {len(call.arguments)}"
        raise environment.error(Code.WRONG_ARGUMENTS, found, call.span, hint)
    first, *others = (plain_argument(each, hint, environment) for each in call.arguments)
    input = _input(first, hint, environment)
    arguments = [
        _argument(each, parameter, environment)
        for each, parameter in zip(others, function.parameters, strict=True)
    ]
    check_reading(call.name, environment)
    values = tuple(each.value for each in arguments)
    try:
        columns = function.columns(input.columns, values)
    except ValueError as error:
        message = f"{function.name[-1]}: {error}"
        raise environment.error(Code.WRONG_ARGUMENTS, message, call.span, hint) from None
    shown = ", ".join([".".join(input.name), *(spelled(each, ()) for each in arguments)])
    name = (f"{function.name[-1]}({shown})",)
    source = Stream(name, columns, call=TableCall(function, input, values))
    names = tuple(each.name for each in columns)
    location = Location(environment.sql, call.span)
    return BoundQuery(Scan(source, Reads.STREAM, location), names, None)


def plain_argument(
    node: tree.TableArgument, hint: str, environment: Environment
) -> tree.Expression:
    """The argument as an expression; WRONG_ARGUMENTS if it has TABLE, a name or PARTITION BY."""
    value = node.value
    if isinstance(value, tree.ExplicitTable | tree.Query) or node.partition or node.order:
        message = "this argument is an expression: it has neither TABLE nor PARTITION BY"
        raise environment.error(Code.WRONG_ARGUMENTS, message, node.span, hint)
    if node.name is not None:
        message = "the arguments of this function have no names"
        raise environment.error(Code.WRONG_ARGUMENTS, message, node.span, hint)
    return value


def _input(node: tree.Expression, hint: str, environment: Environment) -> Stream:
    """The stream that the first argument names."""
    named = parts_of(node.name) if isinstance(node, tree.ColumnRef) else ()
    found = environment.catalog.find(named)
    if isinstance(found, Stream):
        return found
    message = "the first argument of a table function is the name of a stream"
    raise environment.error(Code.WRONG_ARGUMENTS, message, node.span, hint)


def _argument(node: tree.Expression, parameter: Field, environment: Environment) -> Literal:
    """The constant value of an argument, converted to the type of ``parameter`` if possible.

    WRONG_ARGUMENTS if it is not constant, or is of another kind; a text may have another length.
    """
    scope = RowScope(environment, NO_COLUMNS, "a table function's arguments")
    bound = bind_expression(node, scope)
    # A cast of a text or DECIMAL is not folded: then the constant itself must be of the right kind.
    found = fold(cast_to(Operand(bound, node.span, environment.sql), parameter.type)) or fold(bound)
    kinds = {parameter.type.kind} if found is None else {parameter.type.kind, found.type.kind}
    if found is None or (len(kinds) > 1 and not kinds <= TEXT):
        message = f"{parameter.name} must be a constant of type {parameter.type}"
        hint = "write the value"
        raise environment.error(Code.WRONG_ARGUMENTS, message, node.span, hint)
    return found
