"""Variances, covariances and correlations of the frames of one sorted partition, rounded once.

As in `spark_backend.over.sliding`, the sum over a frame is a difference of two running sums.  The
running sums are those of the values, of their squares and of their products, all as integers.
"""

import math
from collections.abc import Callable, Sequence
from itertools import accumulate

import numpy as np

from algebra.expression import AggregateFunction
from spark_backend.exact.exact_states import State, in_common_parts, powers
from spark_backend.exact.exact_statistics import ROOTS, SAMPLES, correlation_from, spread
from spark_backend.exact.exact_sums import Number, in_parts, ratio
from spark_backend.over.sliding import FrameRows, small_sums


def statistics(
    function: AggregateFunction, columns: Sequence[Sequence[Number]], of: FrameRows
) -> list[float | None]:
    """The statistic of each frame, in the order of the frames.

    ``columns`` are one column or two, without NULLs. The statistic is None for a frame with too few
    rows, and NaN for a frame with a NaN or an infinity.
    """
    finite = [all(map(math.isfinite, row)) for row in zip(*columns, strict=True)]
    others = small_sums(np.array([not each for each in finite], np.int64), of)
    known = [[v if f else 0 for v, f in zip(each, finite, strict=True)] for each in columns]
    less = int(function in SAMPLES)
    if len(known) == 1:
        value = _variance(known[0], less, root=function in ROOTS)
    else:
        value = _covariance(
            known[0], known[1], less, correlation=function is AggregateFunction.CORR
        )
    found: list[float | None] = []
    for low, high, nan in zip(of.low.tolist(), of.high.tolist(), others.tolist(), strict=True):
        if high - low <= less:
            found.append(None)
        else:
            found.append(math.nan if nan else value(low, high))
    return found


def states(
    function: AggregateFunction, columns: Sequence[Sequence[Number]], of: FrameRows
) -> list[bytes | None]:
    """The exact state of each frame (`spark_backend.exact.exact_states`), as bytes.

    None without rows.  ``columns`` are one column or two, without NULLs.
    """
    rows = list(zip(*columns, strict=True))
    special = [sum((float(v) for v in row if not math.isfinite(v)), 0.0) for row in rows]
    known = [[v if s == 0.0 else 0 for v, s in zip(c, special, strict=True)] for c in columns]
    wholes, parts = in_common_parts(known)
    running = [_running(each) for each in powers(function, wholes)]
    ups, downs, nans = (
        small_sums(np.array([repr(each) == repr(end) for each in special], np.int64), of)
        for end in (math.inf, -math.inf, math.nan)
    )
    ends = np.where(ups > 0, np.inf, np.where(downs > 0, -np.inf, 0.0))
    ends = np.where((nans > 0) | ((ups > 0) & (downs > 0)), np.nan, ends)

    def sums(low: int, high: int) -> tuple[int, ...]:
        return tuple([each[high] - each[low] for each in running])

    found: list[bytes | None] = []
    for low, high, end in zip(of.low.tolist(), of.high.tolist(), ends.tolist(), strict=True):
        if low == high:
            found.append(None)
            continue
        found.append(State(function, high - low, end, parts, sums(low, high)).encoded())
    return found


def _variance(
    values: Sequence[Number], less: int, *, root: bool
) -> Callable[[int, int], float | None]:
    """A function that returns the variance, or its root, of the rows ``[low, high)``.

    The sum of squared deviations is divided by the number of rows minus ``less``.
    """
    wholes, parts = in_parts(values)
    sums, squares = _running(wholes), _running([each * each for each in wholes])

    def value(low: int, high: int) -> float:
        sum, square = sums[high] - sums[low], squares[high] - squares[low]
        return spread(high - low, sum, square, parts, less, root=root)

    return value


def _covariance(
    xs: Sequence[Number], ys: Sequence[Number], less: int, *, correlation: bool
) -> Callable[[int, int], float | None]:
    """A function that returns the covariance, or the correlation, of the rows ``[low, high)``."""
    (whole_xs, x_parts), (whole_ys, y_parts) = in_parts(xs), in_parts(ys)
    x_sums, y_sums = _running(whole_xs), _running(whole_ys)

    def products(a: Sequence[int], b: Sequence[int]) -> list[int]:
        return _running([x * y for x, y in zip(a, b, strict=True)])

    xys = products(whole_xs, whole_ys)
    squares = (products(whole_xs, whole_xs), products(whole_ys, whole_ys)) if correlation else None

    def value(low: int, high: int) -> float | None:
        count, x, y = high - low, x_sums[high] - x_sums[low], y_sums[high] - y_sums[low]
        both = count * (xys[high] - xys[low]) - x * y
        if squares is None:
            return ratio(both, count * (count - less) * x_parts * y_parts)
        x_apart, y_apart = (
            count * (each[high] - each[low]) - sum * sum
            for each, sum in zip(squares, (x, y), strict=True)
        )
        return correlation_from(both, x_apart * y_apart)

    return value


def _running(wholes: Sequence[int]) -> list[int]:
    """The sums of the first 0, 1, 2, … numbers."""
    return list(accumulate(wholes, initial=0))
