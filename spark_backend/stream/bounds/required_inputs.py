"""The required inputs of INTERSECT and EXCEPT, and the bounds that follow from them (S-502.g).

An input is required if each emitted group has a row in it: INTERSECT requires all inputs, EXCEPT
requires its first input.  A group that does not exist yet needs a later row of each required input.
So it comes after all of their bounds, and the furthest of these bounds is a bound of the output. A
group is *barred* if it cannot be emitted, whichever rows arrive later.
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

#: A count greater than that of any input; the sum of a few such counts is still a BIGINT.
_EVER_MORE: Final = Literal(2**60, BIGINT.as_nullable(False))


@dataclass(frozen=True, slots=True)
class RequiredInputs:
    """The required inputs of ``plan``, the groups of a set operation.

    For other groups there are none: then ``bounds`` is empty.

    ``plan`` counts for each group the rows of each input. ``bounds`` has the bounds of each
    required input, by the place of its count in ``plan``; the columns of an input are the keys, the
    counts of the inputs, and the rowtime. ``emitted`` is the condition over a group's counts by
    which the group is emitted.
    """

    plan: Aggregate
    bounds: Mapping[int, Bounds]
    emitted: Expression

    @property
    def ended(self) -> bool:
        """Whether a required input has ended: then no new group can be emitted."""
        return any(each.ended for each in self.bounds.values())

    def furthest(self, column: int, *, descending: bool) -> Bound | None:
        """The bound of a column that is furthest among all required inputs.

        It is a bound of the groups that have no row so far.  None if no required input has a bound.
        """
        found: Bound | None = None
        for each in self.bounds.values():
            limit = each.columns[column]
            if found is None or (limit is not None and weaker(found, limit, descending) is found):
                found = limit
        return found

    def barred(self, descending: Mapping[int, bool]) -> Expression:
        """The condition that a group is barred: it cannot be emitted, whatever rows are added.

        ``descending`` has the places of the keys that have bounds, and whether each descends.
        """
        # The greatest value that each column can still get.
        most: list[Expression] = list(columns(self.plan))
        for place, known in self.bounds.items():
            if not known.ended:
                passed = key_has_passed(columns(self.plan), known.columns, descending)
                most[place] = Case(((passed, most[place]),), _EVER_MORE, _EVER_MORE.type)
        return is_not_true(substituted(self.emitted, most))

    @property
    def earliest(self) -> Expression:
        """The least rowtime with which a group can be emitted.

        It is the greatest of the group's present rowtime and of the bounds of those required inputs
        of which the group needs a later row.
        """
        rowtime: Expression = columns(self.plan)[-1]
        for place, known in self.bounds.items():
            limit = None if known.ended else known.columns[-1]
            if limit is not None:
                later = Call(
                    Op.GREATEST, (rowtime, Literal(limit.value, rowtime.type)), rowtime.type
                )
                rowtime = Case(((self._awaits(place), later),), rowtime, rowtime.type)
        return rowtime

    def _awaits(self, input: int) -> Expression:
        """The condition that a group can only be emitted if it gets a later row of this input."""
        # The group is not emitted, however many later rows of the other required inputs it gets.
        most = [
            _EVER_MORE if place in self.bounds and place != input else each
            for place, each in enumerate(columns(self.plan))
        ]
        return is_not_true(substituted(self.emitted, most))


def required_inputs(
    plan: Aggregate, emitted: Expression, bounds_of: Callable[[Plan], Bounds]
) -> RequiredInputs:
    """The required inputs of ``plan``; none if it does not compute the groups of a set operation.

    ``emitted`` is the condition by which a group is emitted.  ``bounds_of`` returns the bounds of a
    plan.
    """
    if not isinstance(plan.input, SetOp) or NEEDED not in plan.names:
        return RequiredInputs(plan, {}, TRUE)
    width = len(plan.keys)
    sides = zip(plan.input.inputs, plan.names[width:-1], strict=True)
    bounds = {width + i: bounds_of(side) for i, (side, name) in enumerate(sides) if name is NEEDED}
    return RequiredInputs(plan, bounds, emitted)
