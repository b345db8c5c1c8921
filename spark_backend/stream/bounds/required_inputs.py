"""Inputs of a set operation each of which must have had a row: how far they take its clock (S-502).

A row of INTERSECT is in all inputs, one of EXCEPT in the first.  So no new one comes out before
the furthest of their clocks, and a group that lacks such a row has its time still to come, or is
barred: no row of it comes out any more.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from algebra.expression import Call, Case, Expression, Literal, Op
from algebra.monotonicity.lockstep import Above
from algebra.monotonicity.progress import Bound, Bounds
from algebra.plan import Aggregate, Plan, SetOp, columns
from algebra.types import BOOLEAN
from spark_backend.stream.retention.pending_frames import all_of, key_has_passed
from spark_backend.stream.times import NEEDED


@dataclass(frozen=True, slots=True)
class NeededInputs:
    """What is known of these inputs of the groups ``plan``, by the places of the counts of rows."""

    plan: Aggregate
    known: Mapping[int, Bounds]

    @property
    def ended(self) -> bool:
        """Whether one has ended: no new row is in all of them."""
        return any(each.ended for each in self.known.values())

    @property
    def clock(self) -> Bound | None:
        """The furthest of their clocks; None: nothing is known of any."""
        clocks = [each.columns[-1] for each in self.known.values()]
        told = [each for each in clocks if each is not None]
        return max(told, key=_instant, default=None)

    def barred(self, falls: Mapping[int, bool]) -> Iterator[Expression]:
        """Whether one of them has had no row of a group, and will have none; any of these.

        ``falls``: the places of keys that move, and whether they fall.
        """
        for place, known in self.known.items():
            none = self._has_none(place)
            if known.ended:
                yield none
                continue
            yield all_of([none, key_has_passed(columns(self.plan), known.columns, falls)])

    @property
    def earliest(self) -> Expression:
        """The least clock that a group can have: at least that of an input that it waits for."""
        clock: Expression = columns(self.plan)[-1]
        for place, known in self.known.items():
            limit = None if known.ended else known.columns[-1]
            if limit is not None:
                later = Call(Op.GREATEST, (clock, Literal(limit.value, clock.type)), clock.type)
                clock = Case(((self._has_none(place), later),), clock, clock.type)
        return clock

    def _has_none(self, place: int) -> Expression:
        count = columns(self.plan)[place]
        return Call(Op.EQUAL, (count, Literal(0, count.type)), BOOLEAN)


def needed_inputs(
    plan: Aggregate, above: Above, known: Callable[[Plan, Above], Bounds]
) -> NeededInputs:
    """Those of a set operation's groups, of which ``known`` tells the bounds; of others none.

    ``above`` is what stands above the groups.
    """
    if not isinstance(plan.input, SetOp) or NEEDED not in plan.names:
        return NeededInputs(plan, {})
    width, (stands,) = len(plan.keys), above.inputs(plan)
    sides = zip(plan.input.inputs, stands.inputs(plan.input), plan.names[width:-1], strict=True)
    needed = {
        width + i: known(side, above)
        for i, (side, above, name) in enumerate(sides)
        if name is NEEDED
    }
    return NeededInputs(plan, needed)


def _instant(clock: Bound) -> int:
    assert isinstance(clock.value, int), "a clock is a time"
    return clock.value
