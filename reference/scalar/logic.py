"""Three-valued logic: True, False, and None for UNKNOWN (S-201).

Defines: S-201.b
"""

import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from algebra.expression import Op, Value
from reference.values import identity

#: NOT: the table of the standard.
NEGATION: Final[Mapping[Value, Value]] = {True: False, False: True, None: None}

#: The tests of truth: the result of each for TRUE, FALSE and UNKNOWN.
TESTS: Final[Mapping[Op, Mapping[Value, bool]]] = {
    Op.IS_TRUE: {True: True, False: False, None: False},
    Op.IS_NOT_TRUE: {True: False, False: True, None: True},
    Op.IS_FALSE: {True: False, False: True, None: False},
    Op.IS_NOT_FALSE: {True: True, False: False, None: True},
}

#: The comparisons of two values; Python compares them as SQL does, and NaN as IEEE 754 does.
COMPARISONS: Final[Mapping[Op, Callable[[Any, Any], bool]]] = {  # Any: two of one SQL type
    Op.EQUAL: operator.eq,
    Op.NOT_EQUAL: operator.ne,
    Op.LESS: operator.lt,
    Op.LESS_OR_EQUAL: operator.le,
    Op.GREATER: operator.gt,
    Op.GREATER_OR_EQUAL: operator.ge,
}


def every(values: Iterable[Value]) -> Value:
    """AND: False if one is, else UNKNOWN if one is, else True; stops at the first False."""
    result: Value = True
    for each in values:
        if each is False:
            return False
        result = None if each is None else result
    return result


def some(values: Iterable[Value]) -> Value:
    """OR: True if one is, else UNKNOWN if one is, else False; stops at the first True."""
    result: Value = False
    for each in values:
        if each is True:
            return True
        result = None if each is None else result
    return result


def comparison(op: Op) -> Callable[[Value, Value], Value]:
    """The function that compares two values by ``op``; UNKNOWN if one of them is NULL.

    The operands are of one type: the binder has cast a CHAR to the longer of two (S-204.c).

    Defines: S-202.h
    """
    answer = COMPARISONS[op]
    return lambda a, b: None if a is None or b is None else answer(a, b)


def distinct(a: Value, b: Value) -> bool:
    """IS DISTINCT FROM: NULL is not distinct from NULL, nor NaN from NaN, as in grouping."""
    return identity(a) != identity(b)
