"""Required inputs of a set operation, those that must have a row of each group that comes out.

A row of INTERSECT is in all inputs, one of EXCEPT in the first.  So a group that is yet to open is
beyond the bounds of each required input, and the output's bounds are the furthest of theirs
(S-502).  A group without a row of a required input is barred, that is never comes out, once that
input is beyond it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from algebra.build import and_, equal
from algebra.expression import Call, Case, Expression, Literal, Op
from algebra.monotonicity.context import Context
from algebra.monotonicity.progress import Bound, Bounds, weaker
from algebra.plan import Aggregate, Plan, SetOp, columns
from spark_backend.stream.retention.pending_frames import key_has_passed
from spark_backend.stream.times import NEEDED


@dataclass(frozen=True, slots=True)
class RequiredInputs:
    """The required inputs of the groups ``plan``; empty for UNION, and for other groups.

    ``bounds``: the bounds of each, by the place of the column of ``plan`` that counts its rows.
    The columns of an input are the keys of the groups, the marks of the inputs, and the time.
    """

    plan: Aggregate
    bounds: Mapping[int, Bounds]

    @property
    def ended(self) -> bool:
        """Whether a required input has ended, so that no group opens any more."""
        return any(each.ended for each in self.bounds.values())

    def furthest(self, column: int, *, descending: bool) -> Bound | None:
        """The bound of a column of groups that are yet to open: the furthest of the inputs'.

        None: no required input has a bound of it.
        """
        found: Bound | None = None
        for each in self.bounds.values():
            limit = each.columns[column]
            if found is None or (limit is not None and weaker(found, limit, descending) is found):
                found = limit
        return found

    def barred(self, descending: Mapping[int, bool]) -> Iterator[Expression]:
        """For each required input, whether it has no row of a group and will have none.

        ``descending``: the places of the keys that have bounds, and whether they descend.
        """
        for place, known in self.bounds.items():
            none = self._has_none(place)
            if known.ended:
                yield none
                continue
            yield and_(none, key_has_passed(columns(self.plan), known.columns, descending))

    @property
    def earliest(self) -> Expression:
        """The least time that a group can have.

        It is at least the bound of each required input that has no row of the group yet.
        """
        clock: Expression = columns(self.plan)[-1]
        for place, known in self.bounds.items():
            limit = None if known.ended else known.columns[-1]
            if limit is not None:
                later = Call(Op.GREATEST, (clock, Literal(limit.value, clock.type)), clock.type)
                clock = Case(((self._has_none(place), later),), clock, clock.type)
        return clock

    def _has_none(self, place: int) -> Expression:
        count = columns(self.plan)[place]
        return equal(count, Literal(0, count.type))


def required_inputs(
    plan: Aggregate, context: Context, bounds_of: Callable[[Plan, Context], Bounds]
) -> RequiredInputs:
    """The required inputs of ``plan``, if it is the groups of a set operation; else none.

    ``context`` is what stands above the groups; ``bounds_of`` the bounds of a plan.
    """
    if not isinstance(plan.input, SetOp) or NEEDED not in plan.names:
        return RequiredInputs(plan, {})
    width, (of_input,) = len(plan.keys), context.inputs(plan)
    sides = zip(plan.input.inputs, of_input.inputs(plan.input), plan.names[width:-1], strict=True)
    bounds = {
        width + i: bounds_of(side, context)
        for i, (side, context, name) in enumerate(sides)
        if name is NEEDED
    }
    return RequiredInputs(plan, bounds)
