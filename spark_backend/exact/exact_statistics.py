"""Variances, correlations and percentiles, computed exactly and rounded once (S-203).

Spark computes them in DOUBLE: there a square beyond 1e308 is infinite though its root is not, and
values that are far from 0 but near one another lose most of their digits.
"""

import math
from decimal import Decimal
from fractions import Fraction
from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.expression import AggregateFunction
from spark_backend.exact.exact_sums import Number, ratio

_F = AggregateFunction

#: Statistics of a sample, which divide by the number of rows less 1.
SAMPLES: Final = frozenset({_F.VAR_SAMP, _F.STDDEV_SAMP, _F.COVAR_SAMP})
#: Statistics that are the square root of a variance.
ROOTS: Final = frozenset({_F.STDDEV_POP, _F.STDDEV_SAMP})
#: Statistics of two arguments.
PAIRED: Final = frozenset({_F.COVAR_POP, _F.COVAR_SAMP, _F.CORR})
STATISTICS: Final = PAIRED | ROOTS | {_F.VAR_POP, _F.VAR_SAMP}


def between(low: Column, high: Column, weight: Column) -> Column:
    """The DOUBLE between two values: ``low`` if ``weight`` is 0, ``high`` if it is 1."""
    return F.udf(interpolated, "double", useArrow=False)(low, high, weight)


def spread(count: int, sum: int, squares: int, parts: int, correction: int, *, root: bool) -> float:
    """The variance, or its root, from the count and the sums of values and of squares.

    Both sums are whole numbers, because they are scaled: the sum of the values is ``sum / parts``,
    and that of their squares is ``squares / parts**2``.  ``correction`` is 1 for a sample, whose
    sum of squared distances is divided by the number of rows less 1, and otherwise 0.
    """
    # The sum of squared distances from the mean is (count * squares - sum^2) / (count * parts^2).
    numerator = count * squares - sum * sum
    denominator = count * (count - correction) * parts * parts
    return square_root(numerator, denominator) if root else ratio(numerator, denominator)


def correlation_from(covariance: int, variance_product: int) -> float | None:
    """The correlation from the covariance and the product of the variances; None if that is 0."""
    if variance_product == 0:
        return None
    size = square_root(covariance * covariance, variance_product)
    return size if covariance >= 0 else -size


def square_root(numerator: int, denominator: int) -> float:
    """The root of ``numerator / denominator``, which is not negative, to 64 bits and more.

    It is computed as the integer root of the quotient times ``4**shift``, divided by ``2**shift``.
    """
    shift = max(0, 128 - (numerator.bit_length() - denominator.bit_length()) // 2)
    return ratio(math.isqrt((numerator << 2 * shift) // denominator), 1 << shift)


def interpolated(low: Number | None, high: Number | None, weight: Decimal | None) -> float | None:
    """``low + weight * (high - low)``, rounded once; None if an argument is None.

    With an infinity the result is that infinity; with both, or with NaN, it is NaN.
    """
    if low is None or high is None or weight is None:
        return None
    ends = [low] if weight == 0 else [low, high]
    special = [float(each) for each in ends if not math.isfinite(each)]
    if special:
        return sum(special)
    value = Fraction(low)
    if weight:
        value += Fraction(weight) * (Fraction(high) - Fraction(low))
    return ratio(value.numerator, value.denominator)
