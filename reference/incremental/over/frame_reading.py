"""What a call reads of a row: its arguments, where the row counts (S-203)."""

from algebra.binding.expression.constants import fold
from algebra.expression import Expression, WindowCall
from reference.incremental.over.frame_span import Reading
from reference.relation import Environment, Row
from reference.scalar.expression import meaning_of, row_of, truth_of
from reference.values import integer


def constant(expression: Expression) -> int | None:
    """The integer that an argument always is; None if it is another on each row."""
    found = fold(expression)
    return None if found is None else integer(found.value)


def value_read(call: WindowCall, env: Environment) -> Reading:
    """The first argument; a NULL counts if it is not ignored."""
    argument_on = meaning_of(call.arguments[0], env)
    ignored = call.ignore_nulls

    def read(row: Row) -> Row | None:
        value = argument_on(row)
        return None if ignored and value is None else (value,)

    return read


def arguments_read(call: WindowCall, env: Environment) -> Reading:
    """The arguments where FILTER holds and none of them is NULL."""
    chosen = None if call.filter is None else truth_of(call.filter, env)
    arguments_on = row_of(call.arguments, env)

    def read(row: Row) -> Row | None:
        if chosen is not None and not chosen(row):
            return None
        arguments = arguments_on(row)
        return None if None in arguments else arguments

    return read
