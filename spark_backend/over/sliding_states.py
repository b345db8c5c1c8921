"""Exact states of the frames of one sorted partition: sums, variances, covariances, correlations.

As in `spark_backend.over.sliding`, the sum over a frame is a difference of two running sums.  The
running sums are those of the values, of their squares and of their products, all as integers.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import accumulate

import numpy as np

from algebra.expression import AggregateFunction
from spark_backend.exact.exact_states import State, in_common_parts, powers
from spark_backend.exact.exact_sums import Number
from spark_backend.over.sliding import FrameRows, specials


def states(
    function: AggregateFunction, columns: Sequence[Sequence[Number]], of: FrameRows
) -> Iterator[State | None]:
    """The exact state of each frame, in the order of the frames; None for a frame without rows.

    ``columns`` are one column or two, without NULLs.
    """
    rows = list(zip(*columns, strict=True))
    special = [sum((float(v) for v in row if not math.isfinite(v)), 0.0) for row in rows]
    # In the sums, 0 takes the place of the values of a row with NaN or an infinity.
    known = [[v if s == 0.0 else 0 for v, s in zip(c, special, strict=True)] for c in columns]
    wholes, parts = in_common_parts(known)
    running = [list(accumulate(each, initial=0)) for each in powers(function, wholes)]
    lows: list[int] = of.low.tolist()
    highs: list[int] = of.high.tolist()
    ends = specials(np.array(special, np.float64), of).tolist()
    for low, high, end in zip(lows, highs, ends, strict=True):
        sums = tuple([each[high] - each[low] for each in running])
        yield State(function, high - low, end, parts, sums) if low < high else None
