"""The kinds of parameters that scalar functions have, and the conversion of arguments to them."""

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
    """A kind of parameter; its value states in words which arguments are accepted.

    `fit` casts the argument of DOUBLE to DOUBLE, and that of TEXT to VARCHAR of its length.
    """

    AMOUNT = "a number or an interval"
    NUMBER = "a number"
    INTEGER = "an integer"
    DOUBLE = "a number (cast to DOUBLE)"
    TEXT = "a text"
    DAY = "a DATE or TIMESTAMP"


#: The kinds of types that each parameter accepts.
_KINDS: Final[Mapping[Parameter, frozenset[Kind]]] = {
    Parameter.AMOUNT: NUMERIC | INTERVAL,
    Parameter.NUMBER: NUMERIC,
    Parameter.INTEGER: INTEGERS,
    Parameter.DOUBLE: NUMERIC,
    Parameter.TEXT: TEXT,
    Parameter.DAY: frozenset({Kind.DATE, Kind.TIMESTAMP}),
}
#: The type that a bare NULL takes, and to which hints cast an argument; a ``?`` takes it, too, if
#: the parameter is not in `_OPEN`.
_DEFAULT: Final[Mapping[Parameter, Type]] = {
    Parameter.AMOUNT: INTEGER,
    Parameter.NUMBER: INTEGER,
    Parameter.INTEGER: INTEGER,
    Parameter.DOUBLE: DOUBLE,
    Parameter.TEXT: VARCHAR,
    Parameter.DAY: TIMESTAMP,
}
#: Parameters that accept such different types that a ``?`` is refused: its type remains unknown.
_OPEN: Final = frozenset({Parameter.AMOUNT, Parameter.NUMBER, Parameter.DAY})


def fit(argument: Operand, parameter: Parameter) -> Expression:
    """The argument, converted as the parameter requires; TYPE_MISMATCH if it is not accepted.

    A bare NULL, and a ``?`` if it is accepted, take the type in `_DEFAULT`.
    """
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
