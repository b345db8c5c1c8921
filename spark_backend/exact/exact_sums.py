"""Sums and averages of DOUBLEs that do not depend on the order of the rows (S-203).

Spark adds from left to right, and rounds at each step.  Here the values of a group are gathered,
added exactly in Python, and the sum is rounded once.  For many rows see
`spark_backend.exact.partial_sums`, which gathers no values.
"""

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Final, TypeAlias

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.expression import AggregateFunction

#: SUM and AVG, whose result is rounded if the values are DOUBLEs.
SUMS: Final = frozenset({AggregateFunction.SUM, AggregateFunction.AVG})

#: A number of any type of SQL.
Number: TypeAlias = int | float | Decimal


def exact_sum(values: Column) -> Column:
    """The correctly rounded sum of an array column; NULL for an empty array."""
    return F.udf(sum_of, "double", useArrow=False)(_doubles(values))


def exact_average(values: Column) -> Column:
    """The correctly rounded average of an array column; NULL for an empty array."""
    return F.udf(average_of, "double", useArrow=False)(_doubles(values))


def _doubles(values: Column) -> Column:
    return F.transform(values, lambda each: each.cast("double"))


def sum_of(values: Sequence[float] | None) -> float | None:
    """The exact sum, rounded once; None for no values.

    >>> sum_of([1e16, 1.0, -1e16])
    1.0
    """
    return _rounded(values, 1)


def average_of(values: Sequence[float] | None) -> float | None:
    """The exact sum divided by the number of values, rounded once; None for no values.

    >>> average_of([1e308, 1e308])
    1e+308
    """
    return _rounded(values, len(values) if values else 1)


def _rounded(values: Sequence[float] | None, count: int) -> float | None:
    """The sum of the values divided by ``count``; by IEEE 754 if one is NaN or infinite."""
    if not values:
        return None
    special = [each for each in values if not math.isfinite(each)]
    if special:
        return sum(special)
    wholes, parts = in_parts(values)
    return ratio(sum(wholes), parts * count)


def in_parts(values: Sequence[Number]) -> tuple[list[int], int]:
    """Finite numbers as whole multiples of 1 / ``parts``; and ``parts``.

    >>> in_parts([0.5, 3.0])
    ([1, 6], 2)
    """
    pairs = [each.as_integer_ratio() for each in values]
    parts = math.lcm(*{divisor for _, divisor in pairs})
    return [whole * (parts // divisor) for whole, divisor in pairs], parts


def ratio(a: int, b: int) -> float:
    """``a / b`` for a positive ``b``, rounded once; infinite beyond the greatest DOUBLE."""
    try:
        return a / b
    except OverflowError:
        return math.inf if a > 0 else -math.inf
