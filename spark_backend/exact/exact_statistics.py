"""Variances, correlations and percentiles, computed exactly and rounded once (S-203).

Spark computes them in DOUBLE: there a square beyond 1e308 is infinite though its root is not, and
values that are far from 0 but near one another lose most of their digits.
"""

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.expression import AggregateFunction
from spark_backend.exact.exact_sums import Number, in_parts, ratio

_F = AggregateFunction

#: Statistics of a sample, which divide by the number of rows less 1.
SAMPLES: Final = frozenset({_F.VAR_SAMP, _F.STDDEV_SAMP, _F.COVAR_SAMP})
ROOTS: Final = frozenset({_F.STDDEV_POP, _F.STDDEV_SAMP})
#: Statistics of two arguments.
PAIRED: Final = frozenset({_F.COVAR_POP, _F.COVAR_SAMP, _F.CORR})
VARIANCES: Final = ROOTS | {_F.VAR_POP, _F.VAR_SAMP}
STATISTICS: Final = PAIRED | VARIANCES


def exact_variance(values: Column, *, less: int, root: bool) -> Column:
    """The variance of an array column, divided by its size less 0 or 1; or its ``root``."""
    found = partial(variance_of, less=less, root=root)
    return F.udf(found, "double", useArrow=False)(values)


def exact_covariance(pairs: Column, *, less: int) -> Column:
    """The covariance of an array column of pairs, divided by its size less 0 or 1."""
    return F.udf(partial(covariance_of, less=less), "double", useArrow=False)(pairs)


def exact_correlation(pairs: Column) -> Column:
    """The correlation of an array column of pairs."""
    return F.udf(correlation_of, "double", useArrow=False)(pairs)


def between(low: Column, high: Column, weight: Column) -> Column:
    """The DOUBLE between two values: ``low`` if ``weight`` is 0, ``high`` if it is 1."""
    return F.udf(interpolated, "double", useArrow=False)(low, high, weight)


def variance_of(values: Sequence[Number] | None, less: int, root: bool) -> float | None:
    """The sum of squared distances from the mean, divided by the size less 0 or 1; or its ``root``.

    None for too few values; NaN if a value is NaN or infinite.

    >>> variance_of([1e308, -1e308], 0, root=True)
    1e+308
    """
    if not values or len(values) == less:
        return None
    if any(not math.isfinite(each) for each in values):
        return math.nan
    wholes, parts = in_parts(values)
    return spread(
        len(values), sum(wholes), sum(each * each for each in wholes), parts, less, root=root
    )


def spread(count: int, sum: int, squares: int, parts: int, less: int, *, root: bool) -> float:
    """The variance, or its root, from the count and the sums of values and of squares.

    The sums count 1 / ``parts`` and its square.
    """
    # The sum of squared distances is (n * squares - sum^2) / n.
    numerator, denominator = count * squares - sum * sum, count * (count - less) * parts * parts
    return square_root(numerator, denominator) if root else ratio(numerator, denominator)


def covariance_of(pairs: Sequence[tuple[Number, Number]] | None, less: int) -> float | None:
    """The sum of the products of distances from the means, divided by the size less 0 or 1.

    None for too few pairs; NaN if a value is NaN or infinite.
    """
    if not pairs or len(pairs) == less:
        return None
    if any(not math.isfinite(each) for pair in pairs for each in pair):
        return math.nan
    xs, x_parts = in_parts([x for x, _ in pairs])
    ys, y_parts = in_parts([y for _, y in pairs])
    numerator = _scaled_covariance(xs, ys)
    return ratio(numerator, len(pairs) * (len(pairs) - less) * x_parts * y_parts)


def correlation_of(pairs: Sequence[tuple[Number, Number]] | None) -> float | None:
    """The covariance divided by the root of the product of both variances.

    None without pairs, or if one side does not vary; NaN if a value is NaN or infinite.
    """
    if not pairs:
        return None
    if any(not math.isfinite(each) for pair in pairs for each in pair):
        return math.nan
    xs, _ = in_parts([x for x, _ in pairs])
    ys, _ = in_parts([y for _, y in pairs])
    return correlation_from(
        _scaled_covariance(xs, ys), _scaled_covariance(xs, xs) * _scaled_covariance(ys, ys)
    )


def correlation_from(covariance: int, variance_product: int) -> float | None:
    """The correlation from the covariance and the product of the variances; None if that is 0."""
    if variance_product == 0:
        return None
    size = square_root(covariance * covariance, variance_product)
    return size if covariance >= 0 else -size


def _scaled_covariance(xs: Sequence[int], ys: Sequence[int]) -> int:
    """The number of pairs times the sum of the products of distances from the means."""
    products = sum(x * y for x, y in zip(xs, ys, strict=True))
    return len(xs) * products - sum(xs) * sum(ys)


def square_root(numerator: int, denominator: int) -> float:
    """The root of ``numerator / denominator``, which is not negative, to 64 bits and more."""
    shift = max(0, 128 - (numerator.bit_length() - denominator.bit_length()) // 2)
    return ratio(math.isqrt((numerator << 2 * shift) // denominator), 1 << shift)


def interpolated(low: Number | None, high: Number | None, weight: Decimal | None) -> float | None:
    """``low + weight * (high - low)``, rounded once; None if an argument is.

    With an infinity the result is that infinity; with both, or with NaN, it is NaN.
    """
    if low is None or high is None or weight is None:
        return None
    ends = [low] if weight == 0 else [low, high]
    special = [float(each) for each in ends if not math.isfinite(each)]
    if special:
        return sum(special)
    place = (
        Fraction(low) + Fraction(weight) * (Fraction(high) - Fraction(low))
        if weight
        else Fraction(low)
    )
    return ratio(place.numerator, place.denominator)
