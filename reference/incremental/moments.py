"""Exact sums of pairs of numbers, from which variances and correlations are computed (S-203)."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from algebra.expression import AggregateFunction, Value
from reference.relation import Row
from reference.scalar.statistics import not_finite, square_root
from reference.snapshot import stateful
from reference.values import exact, nearest

#: The functions that divide by the number of pairs less one; the others divide by the number.
_SAMPLES: Final = frozenset(
    {AggregateFunction.VAR_SAMP, AggregateFunction.STDDEV_SAMP, AggregateFunction.COVAR_SAMP}
)
#: The functions that return the root of the quotient.
_ROOTS: Final = frozenset({AggregateFunction.STDDEV_POP, AggregateFunction.STDDEV_SAMP})


@stateful
@dataclass(slots=True)
class Moments:
    """Exact sums over pairs of numbers (x, y): of x and y, and of their squares and products.

    ``pairs`` is the number of pairs. ``xx``, ``xy`` and ``yy`` are the sums of the products x * x,
    x * y and y * y.  A single argument counts as a pair (x, x).
    """

    pairs: int = 0
    special: int = 0  # pairs with a NaN or infinity, which are in no sum
    x: Fraction = Fraction()
    y: Fraction = Fraction()
    xx: Fraction = Fraction()
    xy: Fraction = Fraction()
    yy: Fraction = Fraction()

    def add(self, arguments: Row) -> None:
        """Add the pair of one row; its ``arguments`` are one or two numbers, not NULL."""
        self._count(arguments, 1)

    def remove(self, arguments: Row) -> None:
        """Remove a pair that was added."""
        self._count(arguments, -1)

    def _count(self, arguments: Row, times: int) -> None:
        """Add a pair (``times`` 1), or remove it (-1)."""
        self.pairs += times
        if not_finite(arguments):
            self.special += times
            return
        x, y = exact(arguments[0]), exact(arguments[-1])
        self.x += times * x
        self.y += times * y
        self.xx += times * x * x
        self.xy += times * x * y
        self.yy += times * y * y

    def around_means(self) -> tuple[Fraction, Fraction, Fraction]:
        """As `xx`, `xy` and `yy`, but of the deviations of x and y from their means.

        There must be a pair.
        """
        # The sum of (x - mean of x) * (y - mean of y) is xy - x * y / n.
        n = self.pairs
        return (
            self.xx - self.x * self.x / n,
            self.xy - self.x * self.y / n,
            self.yy - self.y * self.y / n,
        )

    def spread(self, function: AggregateFunction) -> Value:
        """The result of ``function``, one of VAR, STDDEV and COVAR in the forms POP and SAMP.

        NULL without pairs, and for a SAMP function also with one pair; NaN if a value is NaN or
        infinite.
        """
        less = int(function in _SAMPLES)
        if self.pairs <= less:
            return None
        if self.special:
            return float("nan")
        quotient = self.around_means()[1] / (self.pairs - less)
        return square_root(quotient) if function in _ROOTS else nearest(quotient)

    def correlation(self) -> Value:
        """CORR: NULL without pairs, or if a variance is 0; NaN if a value is NaN or infinite."""
        if not self.pairs:
            return None
        if self.special:
            return float("nan")
        xx, xy, yy = self.around_means()
        if xx * yy == 0:
            return None
        # The root of an exact quotient is rounded only once; the quotient has lost the sign of xy.
        size = square_root(xy * xy / (xx * yy))
        return size if xy >= 0 else -size


def add_up(parts: Sequence[Moments]) -> Moments:
    """The sum of the moments of ``parts``."""
    if len(parts) == 1:
        return parts[0]
    return Moments(
        sum(each.pairs for each in parts),
        sum(each.special for each in parts),
        sum((each.x for each in parts), Fraction()),
        sum((each.y for each in parts), Fraction()),
        sum((each.xx for each in parts), Fraction()),
        sum((each.xy for each in parts), Fraction()),
        sum((each.yy for each in parts), Fraction()),
    )
