"""Sums of DOUBLEs that do not depend on the order of adding (S-203).

Spark adds from left to right, and rounds at each step.  Here the values of a group are gathered and
added in Python, exactly, and rounded once.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses


def exact_sum(values: Column) -> Column:
    """The correctly rounded sum of an array; NULL of an empty one."""
    return F.udf(sum_of, "double", useArrow=False)(_doubles(values))


def exact_average(values: Column) -> Column:
    """The correctly rounded average of an array; NULL of an empty one."""
    return F.udf(average_of, "double", useArrow=False)(_doubles(values))


def _doubles(values: Column) -> Column:
    return F.transform(values, lambda each: each.cast("double"))


def sum_of(values: Sequence[float] | None) -> float | None:
    """The exact sum, rounded once.

    >>> sum_of([1e16, 1.0, -1e16])
    1.0
    """
    return _rounded(values, 1)


def average_of(values: Sequence[float] | None) -> float | None:
    """The exact sum by the number of values, rounded once.

    >>> average_of([1e308, 1e308])
    1e+308
    """
    return _rounded(values, len(values) if values else 1)


def _rounded(values: Sequence[float] | None, count: int) -> float | None:
    """The sum of the values by ``count``, as IEEE has it where one is no finite number."""
    if not values:
        return None
    special = [each for each in values if not math.isfinite(each)]
    if special:
        return sum(special)
    total = sum((Fraction(each) for each in values), Fraction()) / count
    try:
        return float(total)
    except OverflowError:
        return math.inf if total > 0 else -math.inf
