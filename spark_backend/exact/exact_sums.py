"""Numbers as whole multiples of one fraction, and quotients that are rounded once (S-203).

Exact aggregates add the whole numbers, which Python's integers do without rounding.  Only the
quotient at the end is rounded.
"""

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Final, TypeAlias

from algebra.expression import AggregateFunction

#: SUM and AVG, whose result is rounded if the values are DOUBLEs.
SUMS: Final = frozenset({AggregateFunction.SUM, AggregateFunction.AVG})

#: A number of any type of SQL.
Number: TypeAlias = int | float | Decimal


def in_parts(values: Sequence[Number]) -> tuple[list[int], int]:
    """Finite numbers as whole multiples of 1 / ``parts``, and ``parts``.

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
