"""The definition of joins: by a condition, and over windows of two streams (S-508, S-509)."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain

from algebra.expression import Expression, Value
from algebra.plan import RowsWindow, SideWindow, TimeWindow
from algebra.types import Kind
from grammar.tree import JoinKind
from reference.environment import Environment
from reference.relation import Relation, Row
from reference.scalar.datetimes import of_instant
from reference.scalar.expression import truth_in_turn
from reference.values import integer


def join(
    left: Relation,
    right: Relation,
    widths: tuple[int, int],
    kind: JoinKind,
    condition: Expression,
    env: Environment,
) -> Relation:
    """The pairs for which ``condition`` is true, and the padded rows of the preserved sides.

    They are in the order of the left rows, then of the right rows; unmatched right rows are last.
    ``widths`` are the numbers of columns of both sides. ``kind`` has the preserved sides.

    Defines: S-508.d
    """
    partners_of = env.forms.partners(right, condition, widths[0])
    matches = truth_in_turn(condition, env)
    out: list[Row] = []
    matched: set[int] = set()
    for row in left:
        partners = [(place, each) for place, each in partners_of(row) if matches(row + each)]
        out += [row + each for _, each in partners]
        matched.update(place for place, _ in partners)
        if not partners and kind.preserves_left:
            out.append(row + (None,) * widths[1])
    if kind.preserves_right:
        alone = (each for place, each in enumerate(right) if place not in matched)
        out += [(None,) * widths[0] + each for each in alone]
    return out


def all_rows(
    right: Relation, _condition: Expression, _width: int
) -> Callable[[Row], Sequence[tuple[int, Row]]]:
    """A function from a left row to its possible partners: here all right rows, with their places.

    This is the definition; a faster form leaves out rows for which the condition cannot be true.
    """
    numbered = list(enumerate(right))
    return lambda _: numbered


# --- window joins -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Times:
    """The base times at which a row is in its window: the closed interval ``[first, last]``."""

    first: float
    last: float


def window_join(
    left: Relation,
    right: Relation,
    widths: tuple[int, int],
    kind: JoinKind,
    condition: Expression,
    windows: tuple[SideWindow, SideWindow],
    rowtimes: tuple[int, int],
    env: Environment,
) -> Relation:
    """The pairs of rows that are in their windows at a time u, and satisfy ``condition`` (S-509).

    The last column of the output is the rowtime: the least such u of a pair; for an unmatched row
    of a preserved side, the last time at which it is in its window. ``rowtimes`` are the places of
    the rowtimes in the rows of each side.

    Defines: S-509.e, S-509.l
    """
    times = (
        [integer(row[rowtimes[0]]) for row in left],
        [integer(row[rowtimes[1]]) for row in right],
    )
    inside = [times_in_window(each, w) for each, w in zip(times, windows, strict=True)]
    partners_of = env.forms.partners(right, condition, widths[0])
    matches = truth_in_turn(condition, env)
    out: list[Row] = []
    matched: tuple[set[int], set[int]] = (set(), set())
    for i, row in enumerate(left):
        for j, partner in partners_of(row):
            a, b = inside[0][i], inside[1][j]
            first, last = max(a.first, b.first), min(a.last, b.last)
            if first <= last and matches(row + partner):
                out.append((*row, *partner, _rowtime(first)))
                matched[0].add(i)
                matched[1].add(j)
    end = max(chain(*times), default=0)
    if kind.preserves_left:
        alone = (i for i in range(len(left)) if i not in matched[0])
        out += [(*left[i], *(None,) * widths[1], _rowtime_alone(inside[0][i], end)) for i in alone]
    if kind.preserves_right:
        alone = (j for j in range(len(right)) if j not in matched[1])
        out += [(*(None,) * widths[0], *right[j], _rowtime_alone(inside[1][j], end)) for j in alone]
    return out


def times_in_window(times: Sequence[int], window: SideWindow) -> list[Times]:
    """For each row of a side, in rowtime order, the base times at which it is in its window.

    Defines: S-509.g
    """
    match window:
        case TimeWindow(preceding, following):
            return [Times(r - following, r + preceding) for r in times]
        case RowsWindow(rows):
            # The time of the n-th row after each row; infinity if fewer rows follow.  If there are
            # fewer than n rows in all, the list is longer than ``times``, and `zip` cuts it off.
            leaving = [*times[rows:], *[math.inf] * rows]
            return [Times(r, end - 1) for r, end in zip(times, leaving, strict=False)]


def _rowtime_alone(times: Times, end: int) -> Value:
    """The rowtime of an unmatched row: the last base time at which it is in its window.

    A ROWS window that no later row has closed ends at ``end``, the greatest rowtime of both inputs.
    If the window is empty, because n rows of the same time follow the row, the result is the row's
    own rowtime.  (Both are decisions of this project.)

    Defines: S-509.f
    """
    return _rowtime(max(times.first, end if math.isinf(times.last) else times.last))


def _rowtime(time: float) -> Value:
    """A base time as a TIMESTAMP; OVERFLOW outside the years 1 to 9999."""
    return of_instant(Kind.TIMESTAMP, int(time))
