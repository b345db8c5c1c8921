"""The bounds of an ASOF join (S-904)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from algebra.build import is_not_true
from algebra.expression import InputRef
from algebra.monotonicity.progress import Bound, Bounds, weaker
from algebra.parts.asof import asof_of
from algebra.plan import AsofJoin, Filter, Plan, Project, is_streaming, row_type
from algebra.types import MAX_TIMESTAMP
from grammar.tree import JoinKind
from spark_backend.order.times import time_place
from spark_backend.stream.bounds.first_values import FirstValues, lowered
from spark_backend.stream.retention.pending_frames import has_passed, has_reached


@dataclass(frozen=True, slots=True)
class AsofBounds:
    """The bounds of the ASOF join ``plan``; ``sides`` are the bounds of its two inputs.

    ``left_time`` and ``right_time`` are the bounds of the two times that are matched.
    ``first_values`` finds the first values of columns among rows that wait.
    """

    plan: AsofJoin
    sides: tuple[Bounds, Bounds]
    left_time: Bound | None
    right_time: Bound | None
    first_values: FirstValues

    @property
    def right_ended(self) -> bool:
        """Whether no further right row will arrive, so that all left rows are determined."""
        return self.sides[1].ended

    def bounds(self, columns: Sequence[tuple[int, bool]]) -> Bounds:
        """The left bounds, lowered to the left rows that wait for the right bound.

        ``columns`` are the left columns that these rows hold back, and whether each descends.
        """
        plan, asof = self.plan, asof_of(self.plan)
        nothing = (None,) * len(row_type(plan.right))
        left = self.sides[0]
        if plan.kind is JoinKind.INNER and is_streaming(plan.right) and not left.ended:
            # An inner join emits no left row that is before all right rows.
            left = self._of_matching()
        limits: list[Bound | None] = list(left.columns)
        if self.right_ended:
            return Bounds((*limits, *nothing), left.ended)
        # In a strict join, a later right row at the time of a left row does not match this row.
        is_final = has_reached if asof.strict else has_passed
        pending = Filter(plan.left, is_not_true(is_final(asof.left_time, self.right_time, False)))
        firsts = self.first_values(pending, columns) if columns or left.ended else ()
        if not left.ended:
            for (place, descending), first in zip(columns, firsts, strict=True):
                limits[place] = lowered(limits[place], first, descending=descending)
            return Bounds((*limits, *nothing))
        # No left row arrives any more: only the rows that wait will be emitted.
        limits = [None] * len(limits)
        for (place, _), first in zip(columns, firsts, strict=True):
            limits[place] = None if first is None else Bound(first)
        return Bounds((*limits, *nothing), ended=all(each is None for each in firsts))

    def _of_matching(self) -> Bounds:
        """The bounds of the later left rows that can have a right row before them.

        Their time is not before that of the first right row, a retained or a later one.
        """
        plan, left, asof = self.plan, self.sides[0], asof_of(self.plan)
        time = time_place(plan.left)
        assert time is not None, "an ASOF join of streams has a time on its left"
        (least,) = self.first_values(
            Project(plan.right, (asof.right_time,), ("TIME",)), [(0, False)]
        )
        if self.right_ended and least is None:
            return Bounds(left.columns, ended=True)
        if self.right_ended:
            first: Bound | None = Bound(least)
        else:
            first = lowered(self.right_time, least, descending=False)
        if first is None or not isinstance(first.value, int):
            return left
        if not isinstance(asof.left_time, InputRef) or asof.left_time.index != time:
            return left
        # In a strict join, a left row at the time of the first right row has no right row.
        after = first.value + 1 if asof.strict else first.value
        if after > MAX_TIMESTAMP:
            return Bounds(left.columns, ended=True)
        known = left.columns[time]
        if known is not None and weaker(Bound(after), known, descending=False) != known:
            return left
        return replace(
            left, columns=(*left.columns[:time], Bound(after), *left.columns[time + 1 :])
        )

    def first_left_time(self, pending: Plan) -> tuple[Bound | None, bool]:
        """The least time of the ``pending`` and of all later left rows; None if it is not known.

        The second value is true if there is neither a pending nor a later left row.
        """
        time = asof_of(self.plan).left_time
        (least,) = self.first_values(Project(pending, (time,), ("TIME",)), [(0, False)])
        if self.sides[0].ended:
            return (None, True) if least is None else (Bound(least), False)
        return lowered(self.left_time, least, descending=False), False
