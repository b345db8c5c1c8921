"""Variances, correlation and percentiles, computed exactly and rounded once, at the end (S-203)."""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cmp_to_key

from algebra.expression import Value
from algebra.types import Type
from reference.relation import Row
from reference.scalar.casts import shortest
from reference.scalar.sums import exact_sum
from reference.values import compare, exact, fit, nearest


def not_finite(values: Sequence[Value]) -> list[float]:
    """The NaNs and infinities among ``values``: if there are any, they alone decide the sum."""
    return [each for each in values if isinstance(each, float) and not math.isfinite(each)]


# --- variances ----------------------------------------------------------------------------------


def variance(values: Sequence[Value], divisor: int, root: bool) -> Value:
    """The sum of squared distances from the mean, divided by ``divisor``; with ``root``, its root.

    NULL for a ``divisor`` of 0 (SAMP of one value); NaN if a value is NaN or infinite.

    Defines: S-203.h
    """
    if divisor == 0:
        return None
    if not_finite(values):
        return math.nan
    quotient = _products(values, values) / divisor
    return square_root(quotient) if root else nearest(quotient)


def covariance(pairs: Sequence[Row], divisor: int) -> Value:
    """The sum of products of the distances from both means, divided by ``divisor``; a DOUBLE.

    NULL for a ``divisor`` of 0 (SAMP of one pair); NaN if a value is NaN or infinite.

    Defines: S-203.i
    """
    if divisor == 0:
        return None
    xs, ys = _columns(pairs)
    if not_finite(xs + ys):
        return math.nan
    return nearest(_products(xs, ys) / divisor)


def correlation(pairs: Sequence[Row]) -> Value:
    """The covariance divided by the root of the product of the variances: a DOUBLE in ``[-1, 1]``.

    NULL if a variance is 0; NaN if a value is NaN or infinite.
    """
    xs, ys = _columns(pairs)
    if not_finite(xs + ys):
        return math.nan
    variance_product = _products(xs, xs) * _products(ys, ys)
    if variance_product == 0:
        return None
    covariance_sum = _products(xs, ys)
    size = square_root(covariance_sum * covariance_sum / variance_product)
    return size if covariance_sum >= 0 else -size


def _columns(pairs: Sequence[Row]) -> tuple[list[Value], list[Value]]:
    """The first values of all pairs, and the second values."""
    return [x for x, _ in pairs], [y for _, y in pairs]


def _products(xs: Sequence[Value], ys: Sequence[Value]) -> Fraction:
    """The sum of ``(x - mean of xs) * (y - mean of ys)``, of at least one finite pair.

    The mean of ``xs`` is not subtracted, because the second factors add up to 0.
    """
    y_mean = Fraction(exact_sum(ys), len(ys))
    pairs = zip(xs, ys, strict=True)
    return sum((exact(x) * (exact(y) - y_mean) for x, y in pairs), start=Fraction())


def square_root(number: Fraction) -> float:
    """The DOUBLE nearest to the root of a number that is not negative.

    ``whole`` is the integer root of ``number * 4**shift``, which has more than 120 bits.  One more
    bit is appended, which is 1 if the root is not exact.  So `nearest` rounds to 53 bits as it
    would round the exact root.
    """
    size = number.numerator.bit_length() - number.denominator.bit_length()
    shift = max(0, 128 - size // 2)
    scaled, rest = divmod(number.numerator << 2 * shift, number.denominator)
    whole = math.isqrt(scaled)
    inexact = rest > 0 or whole * whole < scaled
    return nearest(Fraction(2 * whole + inexact, 2 << shift))


# --- percentiles --------------------------------------------------------------------------------


def share_of(value: Value, type: Type) -> Fraction:
    """The fraction of a percentile, a number from 0 to 1, as an exact number.

    A REAL or DOUBLE counts as the decimal number of its shortest text, as in CAST: ``1E-1`` is
    exactly a tenth, and not the nearest binary number, which is greater.
    """
    return Fraction(shortest(value, type) if isinstance(value, float) else exact(value))


def percentile_cont(
    values: Sequence[Value], share: Fraction, descending: bool, type: Type
) -> Value:
    """PERCENTILE_CONT: the value at ``share`` of the way from the first to the last sorted value.

    Between two values the result is interpolated.  If one of them is infinite, the result is
    infinite; with the opposite infinity, or with NaN, it is NaN.

    Defines: S-203.j
    """
    in_order = sorted(values, key=cmp_to_key(compare), reverse=descending)
    place = share * (len(values) - 1)
    low, high = in_order[math.floor(place)], in_order[math.ceil(place)]
    if special := not_finite([low] if place.denominator == 1 else [low, high]):
        return sum(special)
    weight = place - math.floor(place)
    return fit(type, exact(low) + weight * (Fraction(exact(high)) - exact(low)))


def percentile_disc(values: Sequence[Value], share: Fraction, descending: bool) -> Value:
    """PERCENTILE_DISC: the first of the sorted values up to which at least ``share`` of all are.

    Defines: S-203.k
    """
    in_order = sorted(values, key=cmp_to_key(compare), reverse=descending)
    return in_order[max(math.ceil(share * len(values)), 1) - 1]
