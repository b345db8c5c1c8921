"""Operators that process one row at a time and retain no rows: filter, project, hop.

A train is a batch of rows with the bounds of all later rows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from algebra.monotonicity.progress import Bound, Bounds, ExpressionProgress
from reference.incremental.operator import State
from reference.incremental.train import Shape, Train
from reference.relation import Relation, Row
from reference.values import integer

#: Returns the bound of one output column from the bounds of the input.
Limit: TypeAlias = Callable[[Bounds], Bound | None]


@dataclass(frozen=True, slots=True)
class Filter:
    """Passes the rows on which ``holds`` is true, and all bounds of the input (S-501).

    Defines: S-501.a, S-501.d
    """

    shape: Shape
    holds: Callable[[Row], bool]

    def take(self, train: Train, _port: int = 0) -> Train:
        """Return the rows on which the condition is true, and the input's bounds."""
        return Train(list(filter(self.holds, train.rows)), train.bounds)

    def state(self) -> State:
        """An empty state, because no row is retained."""
        return State()


@dataclass(frozen=True, slots=True)
class Project:
    """Maps each row to the row that ``made`` computes from it (S-501).

    ``made`` returns all values of the output's shape.  ``limits`` has for each of these values a
    function from the input's bounds to its bound; None if the bound is not requested.  The bound of
    f(x) is f(b) if b is the bound of x.

    Defines: S-501.b, S-501.e
    """

    shape: Shape
    made: Callable[[Row], Row]
    limits: Sequence[Limit | None]

    def take(self, train: Train, _port: int = 0) -> Train:
        """Return the projected rows, and the bounds of their values."""
        return Train(list(map(self.made, train.rows)), self._bounds(train.bounds))

    def _bounds(self, bounds: Bounds) -> Bounds:
        columns = tuple([None if each is None else each(bounds) for each in self.limits])
        return Bounds(columns, bounds.ended)

    def state(self) -> State:
        """An empty state, because no row is retained."""
        return State()


def chosen(shape: Shape, places: Sequence[int]) -> Project:
    """Make the projection to the values at ``places``, which has the output ``shape``."""

    def made(row: Row) -> Row:
        return tuple([row[place] for place in places])

    def limit(place: int) -> Limit:
        return lambda bounds: bounds.columns[place]

    return Project(shape, made, [limit(place) for place in places])


@dataclass(frozen=True, slots=True)
class Hop:
    """Emits each row once for every window that contains its time, with the window's ends (S-504).

    ``hopped`` returns the copies of rows, in the order of the ends of their windows.  A copy has
    the ``width`` columns, the start and end of its window, and an implicit rowtime.  The other two
    functions take a bound of ``time``, in milliseconds. ``first`` returns the ends of the first
    window that can contain a row at or after the bound; None for an end outside of the years 1 to
    9999. ``no_row_follows`` returns whether no row at or after the bound can be in a window.

    Defines: S-504.d
    """

    shape: Shape
    width: int
    hopped: Callable[[Relation], Relation]
    time: ExpressionProgress | None
    first: Callable[[int], tuple[int | None, int | None]]
    no_row_follows: Callable[[int], bool]

    def take(self, train: Train, _port: int = 0) -> Train:
        """Return the copies of the rows with their windows, and the output's bounds."""
        return Train(self.hopped(train.rows), self._bounds(train.bounds))

    def _bounds(self, bounds: Bounds) -> Bounds:
        columns = bounds.columns
        limit = None if self.time is None else self.time.bound(bounds)
        time = None if limit is None else integer(limit.value)
        first = (None, None) if time is None else self.first(time)
        ends = (None if each is None else Bound(each) for each in first)
        ended = bounds.ended or (time is not None and self.no_row_follows(time))
        return Bounds((*columns[: self.width], *ends, *columns[self.width :]), ended)

    def state(self) -> State:
        """An empty state, because no row is retained."""
        return State()
