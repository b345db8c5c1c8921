"""Sliding variances, covariances and correlation, by exact sums (S-203)."""

from collections.abc import Sequence

from algebra.expression import AggregateFunction, Value
from reference.incremental.moments import Moments, add_up
from reference.incremental.over.frame_aggregates import Accumulating, Total
from reference.relation import Row
from reference.snapshot import stateful


@stateful
class FrameMoments(Accumulating, Moments):
    """The moments of the pairs of a part of a frame."""

    __slots__ = ()


def spread(function: AggregateFunction) -> Total[FrameMoments]:
    """The function that computes VAR, STDDEV or COVAR (``function``) from the parts of a frame."""
    return lambda parts, _row: add_up(parts).spread(function)


def correlated(parts: Sequence[FrameMoments], _row: Row) -> Value:
    """CORR, from the parts of a frame."""
    return add_up(parts).correlation()
