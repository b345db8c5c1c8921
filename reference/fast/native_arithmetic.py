"""Fast arithmetic: Python's operators, for types for which they are exact.

The results are those of `reference.scalar.arithmetic.arithmetic`, which is the definition.
"""

import operator
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any, Final

from algebra.expression import Op, Value
from algebra.types import INTEGERS, INTERVAL, Kind, Type
from reference.scalar.arithmetic import arithmetic
from reference.values import UNROUNDED, fit, limit_of

#: The operators that map integers to integers, and DECIMALs to DECIMALs.
_ON_INTEGERS: Final[Mapping[Op, Callable[[Any, Any], int]]] = {  # Any: int
    Op.PLUS: operator.add,
    Op.MINUS: operator.sub,
    Op.TIMES: operator.mul,
}
_ON_DECIMALS: Final[Mapping[Op, Callable[[Any, Any], Decimal]]] = {  # Any: Decimal or int
    Op.PLUS: UNROUNDED.add,
    Op.MINUS: UNROUNDED.subtract,
    Op.TIMES: UNROUNDED.multiply,
}
#: The kinds whose values are integers, in Python as well.
_WHOLE: Final = INTEGERS | INTERVAL


def arithmetic_of(op: Op, type: Type, types: tuple[Type, Type]) -> Callable[[Value, Value], Value]:
    """``arithmetic(op, type, a, b)`` as a function of ``a`` and ``b``, which have ``types``.

    It is the definition itself if Python has no exact operator for these types.
    """
    kinds = {each.kind for each in types}
    if op in _ON_INTEGERS and kinds <= _WHOLE and type.kind in _WHOLE:
        return _of_integers(_ON_INTEGERS[op], type)
    if op in _ON_DECIMALS and type.kind is Kind.DECIMAL and kinds <= INTEGERS | {Kind.DECIMAL}:
        scales = [each.scale for each in types]
        exact_scale = sum(scales) if op is Op.TIMES else max(scales)
        if exact_scale <= type.scale:  # so the result needs no rounding
            return _of_decimals(_ON_DECIMALS[op], type)
    return partial(arithmetic, op, type)


def _of_integers(
    function: Callable[[Any, Any], int],  # Any: two integers
    type: Type,
) -> Callable[[Value, Value], Value]:
    """``function`` on integers, as a value of ``type``; OVERFLOW outside the range of ``type``."""
    limit = limit_of(type)

    def result(a: Value, b: Value) -> Value:
        number = function(a, b)
        return number if -limit < number < limit else fit(type, number)

    return result


def _of_decimals(
    function: Callable[[Any, Any], Decimal],  # Any: two Decimals or integers
    type: Type,
) -> Callable[[Value, Value], Value]:
    """``function`` on DECIMALs, whose result needs no rounding; OVERFLOW for too many digits."""
    unit = Decimal(1).scaleb(-type.scale)
    limit = Decimal(1).scaleb(type.precision - type.scale)
    zero = Decimal(0).scaleb(-type.scale)

    def result(a: Value, b: Value) -> Value:
        number = function(a, b)
        if not -limit < number < limit:
            return fit(type, Fraction(number))
        # Zero has no sign in SQL.
        return number.quantize(unit, context=UNROUNDED) if number else zero

    return result
