"""The kinds of parameters of functions, and the conversion of arguments to them."""

from collections.abc import Mapping
from enum import Enum
from typing import Final

from algebra.expression import Expression
from algebra.functions.coerce import Operand, cast_hint, convert, require_typed
from algebra.types import (
    DOUBLE,
    INTEGER,
    INTEGERS,
    INTERVAL,
    NUMERIC,
    TEXT,
    TIMESTAMP,
    VARCHAR,
    Kind,
    Type,
)


class Parameter(Enum):
    """The kinds that a parameter accepts, and the type to which it converts an argument."""

    AMOUNT = "a number or an interval"  # as it is
    NUMBER = "a number"  # as it is
    INTEGER = "an integer"  # as it is
    DOUBLE = "a number (cast to DOUBLE)"  # cast to DOUBLE
    TEXT = "a text"  # cast to VARCHAR of its length
    DAY = "a DATE or TIMESTAMP"  # as it is


_KINDS: Final[Mapping[Parameter, frozenset[Kind]]] = {
    Parameter.AMOUNT: NUMERIC | INTERVAL,
    Parameter.NUMBER: NUMERIC,
    Parameter.INTEGER: INTEGERS,
    Parameter.DOUBLE: NUMERIC,
    Parameter.TEXT: TEXT,
    Parameter.DAY: frozenset({Kind.DATE, Kind.TIMESTAMP}),
}
#: The type of a NULL, of a ``?`` if it can be inferred, and of hints.
_DEFAULT: Final[Mapping[Parameter, Type]] = {
    Parameter.AMOUNT: INTEGER,
    Parameter.NUMBER: INTEGER,
    Parameter.INTEGER: INTEGER,
    Parameter.DOUBLE: DOUBLE,
    Parameter.TEXT: VARCHAR,
    Parameter.DAY: TIMESTAMP,
}
#: Parameters that take several types, so that the type of a ``?`` remains unknown.
_OPEN: Final = frozenset({Parameter.AMOUNT, Parameter.NUMBER, Parameter.DAY})


def fit(argument: Operand, parameter: Parameter) -> Expression:
    """The argument, converted for the parameter; TYPE_MISMATCH if it is not accepted."""
    default = _DEFAULT[parameter]
    if parameter in _OPEN:
        require_typed(argument)
    if argument.kind is Kind.NULL:
        return convert(argument.expression, default)
    if argument.kind not in _KINDS[parameter]:
        message = f"{argument.type} where {parameter.value} is expected"
        raise argument.refused(message, cast_hint(argument, default))
    if parameter is Parameter.DOUBLE:
        return convert(argument.expression, DOUBLE)
    if parameter is Parameter.TEXT:
        return convert(argument.expression, varchar(argument.type.precision))
    return argument.expression


def varchar(length: int = 0) -> Type:
    """VARCHAR(length); 0 means unlimited."""
    return Type(Kind.VARCHAR, precision=length)
