"""The types of aggregates and window functions, and what arguments they take (S-203)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from algebra.coerce import common_type, convert
from algebra.expression import AggregateFunction, Expression, WindowFunction
from algebra.types import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    INTEGER,
    INTEGERS,
    INTERVAL,
    MAX_PRECISION,
    NUMERIC,
    Kind,
    Type,
    decimal,
)
from grammar.codes import Code


class ArgumentError(Exception):
    """Why a function does not take its arguments; the caller knows where they stand.

    ``place`` is the number of the guilty argument from 0, None: the call.  ``code`` is
    TYPE_MISMATCH or WRONG_ARGUMENTS; ``hint`` has ``{}`` where the argument's text goes.
    """

    def __init__(self, code: Code, place: int | None, message: str, hint: str) -> None:
        super().__init__(code, place, message, hint)
        self.code = code
        self.place = place
        self.message = message
        self.hint = hint


# --- aggregates -------------------------------------------------------------------------------

_CONDITION: Final = frozenset({Kind.BOOLEAN})
#: The kinds of argument that a function takes; those not listed take all.
_TAKES: Final[Mapping[AggregateFunction, frozenset[Kind]]] = {
    AggregateFunction.SUM: NUMERIC | INTERVAL,
    AggregateFunction.AVG: NUMERIC,
    AggregateFunction.EVERY: _CONDITION,
    AggregateFunction.SOME: _CONDITION,
    AggregateFunction.STDDEV_POP: NUMERIC,
    AggregateFunction.STDDEV_SAMP: NUMERIC,
    AggregateFunction.VAR_POP: NUMERIC,
    AggregateFunction.VAR_SAMP: NUMERIC,
    AggregateFunction.MEDIAN: NUMERIC,
}
#: Functions that are NULL of one value, too.
_SAMPLES: Final = frozenset({AggregateFunction.STDDEV_SAMP, AggregateFunction.VAR_SAMP})

#: The least scale of an AVG of DECIMALs.
AVG_SCALE: Final = 6


def _sum(type: Type) -> Type:
    if type.kind in INTEGERS:
        return BIGINT
    if type.kind is Kind.DECIMAL:
        return decimal(MAX_PRECISION, type.scale)
    return type if type.kind in INTERVAL else DOUBLE


def _avg(type: Type) -> Type:
    return (
        decimal(MAX_PRECISION, max(type.scale, AVG_SCALE)) if type.kind is Kind.DECIMAL else DOUBLE
    )


def _itself(type: Type) -> Type:
    return type


def _double(_: Type) -> Type:
    return DOUBLE


def _boolean(_: Type) -> Type:
    return BOOLEAN


_Result: TypeAlias = Callable[[Type], Type]

#: The type of the result, from that of the argument.
_RESULT: Final[Mapping[AggregateFunction, _Result]] = {
    AggregateFunction.SUM: _sum,
    AggregateFunction.AVG: _avg,
    AggregateFunction.MIN: _itself,
    AggregateFunction.MAX: _itself,
    AggregateFunction.ANY_VALUE: _itself,
    AggregateFunction.EVERY: _boolean,
    AggregateFunction.SOME: _boolean,
    AggregateFunction.STDDEV_POP: _double,
    AggregateFunction.STDDEV_SAMP: _double,
    AggregateFunction.VAR_POP: _double,
    AggregateFunction.VAR_SAMP: _double,
    AggregateFunction.MEDIAN: _double,
    AggregateFunction.LITERAL_AGG: _itself,
}


def aggregate_type(
    function: AggregateFunction, arguments: Sequence[Type], *, may_be_empty: bool = True
) -> Type:
    """The type of ``function(arguments)``; `ArgumentError` where it does not take them.

    ``COUNT(*)`` has no argument; COUNT is never NULL.  The others are NULL over nothing, which
    happens in the group of all rows, before OVER and behind FILTER (``may_be_empty``), else only
    where the argument may be NULL; STDDEV_SAMP and VAR_SAMP are NULL of one value, too.  A bare
    NULL is an argument of COUNT alone.

    >>> str(aggregate_type(AggregateFunction.AVG, [decimal(5, 2)]))
    'DECIMAL(38, 6)'
    """
    if function is AggregateFunction.COUNT:
        return BIGINT.as_nullable(False)
    _check_number(function, arguments, 1, 1)
    (argument,) = arguments
    takes = _TAKES.get(function, frozenset(Kind) - {Kind.NULL})
    if argument.kind not in takes:
        default = BOOLEAN if takes is _CONDITION else INTEGER
        raise _mismatch(function, 0, argument, f"CAST({{}} AS {default})")
    nullable = may_be_empty or argument.nullable or function in _SAMPLES
    return _RESULT[function](argument).as_nullable(nullable)


# --- window functions -------------------------------------------------------------------------

#: The least and the greatest number of arguments.
_ARGUMENTS: Final[Mapping[WindowFunction, tuple[int, int]]] = {
    WindowFunction.ROW_NUMBER: (0, 0),
    WindowFunction.RANK: (0, 0),
    WindowFunction.DENSE_RANK: (0, 0),
    WindowFunction.PERCENT_RANK: (0, 0),
    WindowFunction.CUME_DIST: (0, 0),
    WindowFunction.NTILE: (1, 1),
    WindowFunction.FIRST_VALUE: (1, 1),
    WindowFunction.LAST_VALUE: (1, 1),
    WindowFunction.NTH_VALUE: (2, 2),
    WindowFunction.LAG: (1, 3),
    WindowFunction.LEAD: (1, 3),
}
#: The argument that is an integer.
_COUNTER: Final[Mapping[WindowFunction, int]] = {
    WindowFunction.NTILE: 0,
    WindowFunction.NTH_VALUE: 1,
    WindowFunction.LAG: 1,
    WindowFunction.LEAD: 1,
}


def window_type(function: WindowFunction, arguments: Sequence[Type]) -> Type:
    """The type of ``function(arguments) OVER …``; `ArgumentError` where it does not take them.

    ROW_NUMBER and the ranks are BIGINT, PERCENT_RANK and CUME_DIST DOUBLE, NTILE INTEGER, none of
    them NULL.  The others have their value's type, and are NULL where there is no such row; LAG and
    LEAD with a default the common type of both (see `window_arguments`).
    """
    _check_number(function, arguments, *_ARGUMENTS[function])
    counter = _COUNTER.get(function)
    for place, argument in enumerate(arguments):
        if place == counter and argument.kind not in INTEGERS:
            raise _mismatch(function, place, argument, "CAST({} AS INTEGER)")
    match function:
        case WindowFunction.ROW_NUMBER | WindowFunction.RANK | WindowFunction.DENSE_RANK:
            return BIGINT.as_nullable(False)
        case WindowFunction.PERCENT_RANK | WindowFunction.CUME_DIST:
            return DOUBLE.as_nullable(False)
        case WindowFunction.NTILE:
            return INTEGER.as_nullable(False)
        case WindowFunction.FIRST_VALUE | WindowFunction.LAST_VALUE | WindowFunction.NTH_VALUE:
            return _value_type(function, arguments[0])
        case WindowFunction.LAG | WindowFunction.LEAD:
            value = _value_type(function, arguments[0])
            if len(arguments) < 3:
                return value
            common = common_type((arguments[0], arguments[2]))
            if common is None:
                raise _mismatch(function, 2, arguments[2], f"CAST({{}} AS {arguments[0]})")
            return common


def window_arguments(
    function: WindowFunction, arguments: Sequence[Expression]
) -> tuple[Expression, ...]:
    """The arguments as the function has them in a plan: LAG's value and default of one type.

    `ArgumentError` as `window_type`.
    """
    type = window_type(function, [each.type for each in arguments])
    if len(arguments) < 3:
        return tuple(arguments)
    value, offset, default = arguments
    return (convert(value, type), offset, convert(default, type))


def _value_type(function: WindowFunction, value: Type) -> Type:
    if value.kind is Kind.NULL:
        raise _mismatch(function, 0, value, "CAST({} AS INTEGER)")
    return value.as_nullable()


def _check_number(
    function: AggregateFunction | WindowFunction, arguments: Sequence[Type], least: int, most: int
) -> None:
    if not least <= len(arguments) <= most:
        wanted = str(least) if least == most else f"{least} to {most}"
        message = f"{function} takes {wanted} argument(s), not {len(arguments)}"
        hint = f"{function}({', '.join('abc'[:least])})"
        raise ArgumentError(Code.WRONG_ARGUMENTS, None, message, hint)


def _mismatch(
    function: AggregateFunction | WindowFunction, place: int, argument: Type, hint: str
) -> ArgumentError:
    message = f"{function} does not take {argument}"
    return ArgumentError(Code.TYPE_MISMATCH, place, message, hint)
