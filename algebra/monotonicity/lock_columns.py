"""Which two columns hold a join of streams in lock step (S-510)."""

from collections.abc import Iterator
from typing import TypeAlias

from algebra.constraints.distance import Distance, comparable, join_distance
from algebra.monotonicity.operators import Orders
from algebra.plan import Join, row_type

#: The places of the rowtime columns of the left and right side; None: the rowtime is implicit.
Rowtimes: TypeAlias = tuple[int | None, int | None]


def locked_columns(
    join: Join, sides: tuple[Orders, Orders], rowtimes: Rowtimes
) -> tuple[int, int, Distance] | None:
    """The first of `lock_candidates` whose distance is bounded at both ends, and that distance.

    The two places are in the row of their own side.  None: the two streams are not in lock step.

    Defines: S-510.f
    """
    for i, j in lock_candidates(join, sides, rowtimes):
        found = join_distance(join, i, j)
        if found.bounded:
            return i, j, found
    return None


def lock_candidates(
    join: Join, sides: tuple[Orders, Orders], rowtimes: Rowtimes
) -> Iterator[tuple[int, int]]:
    """The pairs of a left and a right column that are monotonic in one direction and comparable.

    The pair of rowtimes comes first, the others in the order of their places.
    """
    types = [[each.type for each in row_type(side)] for side in (join.left, join.right)]
    pairs = [
        (i, j)
        for i, a in enumerate(sides[0])
        for j, b in enumerate(sides[1])
        if (a.ascending and b.ascending) or (a.descending and b.descending)
        if comparable(types[0][i], types[1][j])
    ]
    yield from sorted(pairs, key=lambda pair: pair != rowtimes)
