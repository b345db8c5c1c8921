"""The required inputs of a set operation: those that must have a row of each group that is emitted.

A row of INTERSECT is in all inputs, one of EXCEPT in the first.  So the group of a later row is
beyond the bounds of each required input, and the output's bounds are the furthest of theirs
(S-502).  A group is barred once it cannot be emitted, whatever rows are still to come.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from algebra.build import TRUE, is_not_true
from algebra.expression import Call, Case, Expression, Literal, Op
from algebra.monotonicity.progress import Bound, Bounds, weaker
from algebra.plan import Aggregate, Plan, SetOp, columns
from algebra.rewrite import substituted
from algebra.types import BIGINT
from spark_backend.order.times import NEEDED
from spark_backend.stream.retention.pending_frames import key_has_passed

#: More rows than an input ever has; the sum of those of a few inputs is still a BIGINT.
_EVER_MORE: Final = Literal(2**60, BIGINT.as_nullable(False))


@dataclass(frozen=True, slots=True)
class RequiredInputs:
    """The required inputs of the groups ``plan``; empty for UNION, and for other groups.

    ``bounds``: the bounds of each, by the place of the column of ``plan`` that counts its rows.
    The columns of an input are the keys of the groups, the marks of the inputs, and the time.
    ``emitted``: the condition on a group's counts by which it is emitted.
    """

    plan: Aggregate
    bounds: Mapping[int, Bounds]
    emitted: Expression

    @property
    def ended(self) -> bool:
        """Whether a required input has ended, so that there will be no new group."""
        return any(each.ended for each in self.bounds.values())

    def furthest(self, column: int, *, descending: bool) -> Bound | None:
        """The bound of a column in new groups: the furthest of the required inputs' bounds.

        None: no required input has a bound of it.
        """
        found: Bound | None = None
        for each in self.bounds.values():
            limit = each.columns[column]
            if found is None or (limit is not None and weaker(found, limit, descending) is found):
                found = limit
        return found

    def barred(self, descending: Mapping[int, bool]) -> Expression:
        """Whether a group is barred.

        ``descending``: the places of the keys that have bounds, and whether they descend.
        """
        most: list[Expression] = list(columns(self.plan))
        for place, known in self.bounds.items():
            if not known.ended:
                passed = key_has_passed(columns(self.plan), known.columns, descending)
                most[place] = Case(((passed, most[place]),), _EVER_MORE, _EVER_MORE.type)
        return is_not_true(substituted(self.emitted, most))

    @property
    def earliest(self) -> Expression:
        """The least time that a group can have.

        It is at least the bound of each required input of which it needs a further row.
        """
        clock: Expression = columns(self.plan)[-1]
        for place, known in self.bounds.items():
            limit = None if known.ended else known.columns[-1]
            if limit is not None:
                later = Call(Op.GREATEST, (clock, Literal(limit.value, clock.type)), clock.type)
                clock = Case(((self._awaits(place), later),), clock, clock.type)
        return clock

    def _awaits(self, input: int) -> Expression:
        """Whether a group can only be emitted with a further row of this input."""
        most = [
            _EVER_MORE if place in self.bounds and place != input else each
            for place, each in enumerate(columns(self.plan))
        ]
        return is_not_true(substituted(self.emitted, most))


def required_inputs(
    plan: Aggregate, emitted: Expression, bounds_of: Callable[[Plan], Bounds]
) -> RequiredInputs:
    """The required inputs of ``plan``, if it is the groups of a set operation; else none.

    ``emitted`` is the condition on a group by which it is emitted; ``bounds_of`` gives the bounds
    of a plan.
    """
    if not isinstance(plan.input, SetOp) or NEEDED not in plan.names:
        return RequiredInputs(plan, {}, TRUE)
    width = len(plan.keys)
    sides = zip(plan.input.inputs, plan.names[width:-1], strict=True)
    bounds = {width + i: bounds_of(side) for i, (side, name) in enumerate(sides) if name is NEEDED}
    return RequiredInputs(plan, bounds, emitted)
