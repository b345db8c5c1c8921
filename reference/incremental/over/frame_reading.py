"""Functions that read the arguments of a call from a row, if the row counts (S-203)."""

from algebra.expression import Expression, WindowCall
from algebra.folding import fold
from reference.environment import Environment
from reference.incremental.over.frame_span import ReadArguments
from reference.relation import Row
from reference.scalar.expression import meaning_of, row_of, truth_of
from reference.values import integer


def constant(expression: Expression) -> int | None:
    """The value of the integer argument ``expression``; None if it is not constant."""
    found = fold(expression)
    return None if found is None else integer(found.value)


def value_read(call: WindowCall, env: Environment) -> ReadArguments:
    """The function that reads the first argument of ``call`` from a row, as a tuple.

    It returns None if the argument is NULL and the call has IGNORE NULLS.
    """
    argument_on = meaning_of(call.arguments[0], env)
    ignored = call.ignore_nulls

    def read(row: Row) -> Row | None:
        value = argument_on(row)
        return None if ignored and value is None else (value,)

    return read


def arguments_read(call: WindowCall, env: Environment) -> ReadArguments:
    """The function that reads all arguments of ``call`` from a row, as a tuple.

    It returns None if FILTER is not true or an argument is NULL.
    """
    chosen = None if call.filter is None else truth_of(call.filter, env)
    arguments_on = row_of(call.arguments, env)

    def read(row: Row) -> Row | None:
        if chosen is not None and not chosen(row):
            return None
        arguments = arguments_on(row)
        return None if None in arguments else arguments

    return read
