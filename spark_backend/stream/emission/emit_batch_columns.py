"""The expressions of emit batches: the number of the micro-batch at whose end a row is determined.

A row is determined when a bound passes a value of the row.  So the emit batch is computed from the
positions of the bounds at the ends of two micro-batches, this one and the one before.
"""

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
#: A `Limit` in a checkpoint.  A bound that is an integer, and not strict, is the integer; another
#: bound is its value on the wire, and whether it is strict.
SavedLimit: TypeAlias = int | Literal["end"] | tuple[Wire, bool] | None
#: An expression, the position of the bound of its values in later rows, and whether they descend.
BoundedValue: TypeAlias = tuple[Expression, Limit, bool]

#: The name of the column that holds the emit batch of a row.
EMIT_BATCH: Final = HiddenName("$EMIT_BATCH")
#: The emit batch of a row that no micro-batch so far has determined.
NEVER: Final = Constant(None, BIGINT)
#: The emit batch of a row that was determined in any micro-batch before this one.
EARLIER: Final = Constant(0, BIGINT)


@dataclass(slots=True)
class BoundHistory:
    """The positions of bounds in micro-batch ``batch``, and in the one before.

    A bound has no name: the n-th bound that is passed to `emit_batch` has the number n in each
    micro-batch.  ``now`` has the positions by these numbers, and ``before`` is the ``now`` of the
    micro-batch before.
    """

    batch: int
    before: Sequence[SavedLimit] = ()
    now: list[SavedLimit] = field(default_factory=list[SavedLimit])

    def emit_batch(self, *bounds: BoundedValue, reaching: bool = False) -> Case:
        """The micro-batch in which the first of some bounds passed its value; NULL if none has.

        It is `EARLIER` if this was before micro-batch ``batch``.  ``reaching``: it is enough that a
        bound reaches its value.
        """
        earlier: list[Expression] = []
        now: list[Expression] = []
        for value, limit, descending in bounds:
            number = len(self.now)
            self.now.append(_saved(limit, value.type))
            before = self.before[number] if number < len(self.before) else None
            limit_before = _restored(before, value.type)
            earlier.append(_has_passed(value, limit_before, descending, reaching))
            now.append(_has_passed(value, limit, descending, reaching))
        branches = ((or_(*earlier), EARLIER), (or_(*now), Constant(self.batch, BIGINT)))
        return Case(branches, NEVER, BIGINT)


def _has_passed(value: Expression, limit: Limit, descending: bool, reaching: bool) -> Expression:
    """The condition that a bound has passed, or if ``reaching`` has reached, a value."""
    if limit == "end":
        return TRUE
    return (has_reached if reaching else has_passed)(value, limit, descending)


def _saved(limit: Limit, type: Type) -> SavedLimit:
    """A position as it is stored in a checkpoint; ``type`` is the type of its value."""
    if not isinstance(limit, Bound):
        return limit
    if isinstance(limit.value, int) and not limit.strict:
        return limit.value
    return to_wire(type, widened(limit.value, type)), limit.strict


def _restored(saved: SavedLimit, type: Type) -> Limit:
    """The inverse of `_saved`."""
    if isinstance(saved, tuple):
        wire, strict = saved
        return Bound(from_wire(type.as_nullable(), wire), strict)
    return Bound(saved) if isinstance(saved, int) else saved


def limit_of(known: Bounds, place: int) -> Limit:
    """The position, among the bounds of a plan, of the bound of its column at ``place``."""
    return "end" if known.ended else known.columns[place]


def limit_of_time(time: float) -> Limit:
    """The position of a bound that is a number: +infinity is the end, -infinity not known."""
    return Bound(int(time)) if math.isfinite(time) else "end" if time > 0 else None


def latest(*emit_batches: Expression) -> Expression:
    """The greatest of some emit batches; NULL if one of them is NULL."""
    type = BIGINT.as_nullable(any(each.type.nullable for each in emit_batches))
    return emit_batches[0] if len(emit_batches) == 1 else Call(Op.GREATEST, emit_batches, type)


# --- plans ----------------------------------------------------------------------------------------


def emit_batch_of(plan: Plan) -> InputRef:
    """The last column of a plan, which is its emit batch."""
    return columns(plan)[-1]


def with_emit_batch(plan: Plan, emit_batch: Expression, *, without: Sequence[int] = ()) -> Project:
    """The plan with an emit batch as last column, but without its columns at ``without``."""
    retained = [i for i in range(len(row_type(plan))) if i not in without]
    names = tuple(row_type(plan)[i].name for i in retained)
    return Project(plan, (*(columns(plan)[i] for i in retained), emit_batch), (*names, EMIT_BATCH))
