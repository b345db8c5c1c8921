"""Emit batches as columns: expressions for the micro-batch in which a row was determined."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from algebra.build import TRUE, or_
from algebra.expression import Call, Case, Expression, InputRef, Op
from algebra.expression import Literal as Constant
from algebra.monotonicity.progress import Bound, Bounds
from algebra.plan import Plan, Project, columns, row_type
from algebra.types import BIGINT, Type
from algebra.wire import Wire, from_wire, to_wire
from spark_backend.order.times import HiddenName
from spark_backend.stream.retention.pending_frames import has_passed, has_reached, widened

#: The position of a bound: a value; ``"end"``, after all values; None while no bound is known.
Limit: TypeAlias = Bound | Literal["end"] | None
#: The same in a checkpoint; a value that is not an integer is a text with a mark if strict.
Reached: TypeAlias = int | Literal["end"] | tuple[Wire, bool] | None

#: The name of the column that holds the emit batch of a row.
EMIT_BATCH: Final = HiddenName("$EMIT_BATCH")
#: The emit batch of a row that only the bound determines, by passing its time.
NEVER: Final = Constant(None, BIGINT)
#: Any earlier micro-batch.
EARLIER: Final = Constant(0, BIGINT)


@dataclass(slots=True)
class BoundHistory:
    """The positions of bounds in micro-batch ``batch``, and in the one before.

    Bounds are identified by the order of the calls of `passed`: ``before`` is the ``now`` of the
    micro-batch before.
    """

    batch: int
    before: Sequence[Reached] = ()
    now: list[Reached] = field(default_factory=list[Reached])

    def passed(self, *each: tuple[Expression, Limit, bool], there: bool = False) -> Case:
        """The micro-batch in which the first of some bounds passed its value; NULL if none has.

        Each is a value, its bound, and whether the bound descends. ``there``: the bound must only
        have reached the value.
        """
        earlier: list[Expression] = []
        now: list[Expression] = []
        for value, limit, descending in each:
            number = len(self.now)
            self.now.append(_written(limit, value.type))
            before = self.before[number] if number < len(self.before) else None
            earlier.append(_has_passed(value, _read(before, value.type), descending, there))
            now.append(_has_passed(value, limit, descending, there))
        branches = ((or_(*earlier), EARLIER), (or_(*now), Constant(self.batch, BIGINT)))
        return Case(branches, NEVER, BIGINT)


def _has_passed(value: Expression, limit: Limit, descending: bool, there: bool) -> Expression:
    if limit == "end":
        return TRUE
    return (has_reached if there else has_passed)(value, limit, descending)


def _written(limit: Limit, type: Type) -> Reached:
    if not isinstance(limit, Bound):
        return limit
    if isinstance(limit.value, int) and not limit.strict:
        return limit.value
    return to_wire(type, widened(limit.value, type)), limit.strict


def _read(reached: Reached, type: Type) -> Limit:
    if isinstance(reached, tuple):
        wire, strict = reached
        return Bound(from_wire(type.as_nullable(), wire), strict)
    return Bound(reached) if isinstance(reached, int) else reached


def limit_of(known: Bounds, place: int) -> Limit:
    """The position of the bound of a column."""
    return "end" if known.ended else known.columns[place]


def limit_in_time(u: float) -> Limit:
    """The position of a bound that may be infinite."""
    return Bound(int(u)) if math.isfinite(u) else "end" if u > 0 else None


def latest(*emit_batches: Expression) -> Expression:
    """The greatest of some emit batches; NULL if one of them is NULL."""
    type = BIGINT.as_nullable(any(each.type.nullable for each in emit_batches))
    return emit_batches[0] if len(emit_batches) == 1 else Call(Op.GREATEST, emit_batches, type)


# --- plans ----------------------------------------------------------------------------------------


def emit_batch_of(plan: Plan) -> InputRef:
    """The last column of a plan, which is its emit batch."""
    return columns(plan)[-1]


def with_emit_batch(plan: Plan, emit_batch: Expression) -> Project:
    """The plan with an emit batch as a further last column."""
    return without(plan, (), emit_batch)


def without(plan: Plan, places: Sequence[int], emit_batch: Expression) -> Project:
    """The plan without the columns at some places, and with an emit batch as last column."""
    retained = [i for i in range(len(row_type(plan))) if i not in places]
    names = tuple(row_type(plan)[i].name for i in retained)
    return Project(plan, (*(columns(plan)[i] for i in retained), emit_batch), (*names, EMIT_BATCH))
