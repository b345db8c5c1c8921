"""Moments as columns: expressions that say by which micro-batch a row was determined."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from algebra.build import or_
from algebra.expression import Call, Case, Expression, InputRef, Op
from algebra.expression import Literal as Constant
from algebra.monotonicity.progress import Bound, Bounds
from algebra.plan import Plan, Project, columns, row_type
from algebra.types import BIGINT, BOOLEAN
from spark_backend.stream.retention.pending_frames import has_passed, has_reached
from spark_backend.stream.times import HiddenName

#: Where a bound stands: the value below which no later row is; of rows that have ended ``"end"``.
Reached: TypeAlias = int | Literal["end"] | None

#: The name of the column that holds the moment of a row.
MOMENT: Final = HiddenName("$MOMENT")
#: The bound alone tells.
NEVER: Final = Constant(None, BIGINT)
#: An earlier micro-batch, whichever.
EARLIER: Final = Constant(0, BIGINT)


@dataclass(slots=True)
class History:
    """Where bounds stand in the micro-batch of a number, and where they stood one before.

    They are told by the order in which they are asked: ``before`` is what ``now`` was.
    """

    batch: int
    before: Sequence[Reached] = ()
    now: list[Reached] = field(default_factory=list[Reached])

    def passed(self, *each: tuple[Expression, Reached, bool], there: bool = False) -> Case:
        """When the first of some bounds has passed a value: now, earlier, or not at all.

        Each is a value, its bound, and whether that falls.  ``there``: it is enough to have come
        to the value.
        """
        earlier: list[Expression] = []
        now: list[Expression] = []
        for value, reached, descending in each:
            number = len(self.now)
            self.now.append(reached)
            before = self.before[number] if number < len(self.before) else None
            earlier.append(_has_passed(value, before, descending, there))
            now.append(_has_passed(value, reached, descending, there))
        branches = ((or_(*earlier), EARLIER), (or_(*now), Constant(self.batch, BIGINT)))
        return Case(branches, NEVER, BIGINT)


def _has_passed(value: Expression, reached: Reached, descending: bool, there: bool) -> Expression:
    if reached == "end":
        return Constant(True, BOOLEAN)
    limit = None if reached is None else Bound(reached)
    return (has_reached if there else has_passed)(value, limit, descending)


def reached_by(known: Bounds, place: int) -> Reached:
    """Where the bound of a column stands."""
    return "end" if known.ended else reached_at(known.columns[place])


def reached_at(limit: Bound | None) -> Reached:
    """Where a bound stands, of a column whose values are whole."""
    if limit is None or limit.strict or not isinstance(limit.value, int):
        return None
    return limit.value


def reached_in_time(u: float) -> Reached:
    """Where a bound stands that may be at one of the ends of time."""
    return int(u) if math.isfinite(u) else "end" if u > 0 else None


def latest(*moments: Expression) -> Expression:
    """The last of some moments; NULL if any is."""
    type = BIGINT.as_nullable(any(each.type.nullable for each in moments))
    return moments[0] if len(moments) == 1 else Call(Op.GREATEST, moments, type)


# --- plans ----------------------------------------------------------------------------------------


def moment_of(plan: Plan) -> InputRef:
    """The last column."""
    return columns(plan)[-1]


def with_moment(plan: Plan, moment: Expression) -> Project:
    """The plan with a moment behind its columns."""
    return without(plan, (), moment)


def without(plan: Plan, places: Sequence[int], moment: Expression) -> Project:
    """The plan without the columns at some places, and a moment behind the others."""
    retained = [i for i in range(len(row_type(plan))) if i not in places]
    names = tuple(row_type(plan)[i].name for i in retained)
    return Project(plan, (*(columns(plan)[i] for i in retained), moment), (*names, MOMENT))
