"""The columns of a plan that are edges of windows, WINDOW_START or WINDOW_END (S-901).

They are followed through the plan, even if they are renamed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from algebra.catalog import Stream
from algebra.expression import Expression, InputRef
from algebra.facts import deduced_once
from algebra.parts.grouping_sets import common_keys
from algebra.plan import (
    Aggregate,
    Filter,
    Hop,
    Joining,
    Plan,
    Project,
    Scan,
    Window,
    row_type,
)


@dataclass(frozen=True, slots=True)
class WindowColumns:
    """The places of the starts and of the ends of the windows of a plan's rows.

    Each end determines its start.  Each start determines its end, too, unless the windows are
    ``cumulative``.  The sets never contain None; their type allows it, so that a result of
    `column_place` can be looked up in them.
    """

    starts: frozenset[int | None] = frozenset()
    ends: frozenset[int | None] = frozenset()
    cumulative: bool = False

    @property
    def both(self) -> frozenset[int | None]:
        """The starts and the ends."""
        return self.starts | self.ends

    @property
    def identifying(self) -> frozenset[int | None]:
        """The places of the columns that determine the window."""
        return self.ends if self.cumulative else self.both


@deduced_once
def window_columns(plan: Plan) -> WindowColumns:
    """The columns of ``plan`` that are edges of the windows of the topmost `Hop` below it.

    There are none if no Hop is below, or if another node, such as a join, is above the Hop.
    """
    match plan:
        case Hop(input):
            start = len(row_type(input))
            return WindowColumns(frozenset({start}), frozenset({start + 1}), plan.cumulative)
        case Filter(input) | Window(input):
            return window_columns(input)
        case Scan(Stream(carries=carried)) if carried is not None:
            return window_columns(carried)
        case Project(input, expressions):
            return _selected(window_columns(input), expressions)
        case Aggregate(input, keys):
            found, common = _selected(window_columns(input), keys), frozenset(common_keys(plan))
            return WindowColumns(found.starts & common, found.ends & common, found.cumulative)
        case _:
            return WindowColumns()


def is_edge(plan: Plan, place: int) -> bool:
    """Whether the column at ``place`` is an edge of a window; in a join, of a window of its side.

    The bound of such a column moves from window to window: it can stay the same for the length of a
    window.
    """
    match plan:
        case Joining(left, right):
            width = len(row_type(left))
            return is_edge(left, place) if place < width else is_edge(right, place - width)
        case _:
            return place in window_columns(plan).both


def column_place(expression: Expression) -> int | None:
    """The place of the column if ``expression`` is a column, else None."""
    return expression.index if isinstance(expression, InputRef) else None


def _selected(below: WindowColumns, expressions: Sequence[Expression]) -> WindowColumns:
    """The edges of windows among ``expressions`` over rows with the edges ``below``."""
    places = {i: column_place(each) for i, each in enumerate(expressions)}
    starts, ends = (
        frozenset(i for i, place in places.items() if place in columns)
        for columns in (below.starts, below.ends)
    )
    return WindowColumns(starts, ends, below.cumulative)
