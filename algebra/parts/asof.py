"""The parts of an ASOF join: its keys, the two times, and which row is the nearest (S-904)."""

from dataclasses import dataclass
from typing import Final

from algebra.build import TRUE
from algebra.expression import Call, Expression, Op
from algebra.facts import deduced_once
from algebra.plan import AsofJoin, row_type
from algebra.rewrite import conjuncts, shifted

#: The comparisons of MATCH_CONDITION, each with the one that has its operands in the other order.
SWAPPED: Final = {
    Op.GREATER_OR_EQUAL: Op.LESS_OR_EQUAL,
    Op.GREATER: Op.LESS,
    Op.LESS_OR_EQUAL: Op.GREATER_OR_EQUAL,
    Op.LESS: Op.GREATER,
}


@dataclass(frozen=True, slots=True)
class Asof:
    """An ASOF join, taken apart; each expression is over the row of its own side.

    ``left_keys`` and ``right_keys`` are equated pairwise.  ``backward``: the partner of a left row
    is the last right row before it; else it is the first right row after it.  ``strict``: a right
    row at the time of the left row is not a partner.
    """

    left_keys: tuple[Expression, ...]
    right_keys: tuple[Expression, ...]
    left_time: Expression
    right_time: Expression
    backward: bool
    strict: bool


@deduced_once
def asof_of(plan: AsofJoin) -> Asof:
    """The parts of ``plan``, whose condition is TRUE or equates a left with a right expression."""
    width = len(row_type(plan.left))  # the columns of the right side start at this place
    left, right = plan.match.operands
    pairs = [
        (each.operands[0], shifted(each.operands[1], -width))
        for each in conjuncts(plan.condition)
        if each != TRUE and isinstance(each, Call)
    ]
    return Asof(
        left_keys=tuple(key for key, _ in pairs),
        right_keys=tuple(key for _, key in pairs),
        left_time=left,
        right_time=shifted(right, -width),
        backward=plan.match.op in (Op.GREATER_OR_EQUAL, Op.GREATER),
        strict=plan.match.op in (Op.GREATER, Op.LESS),
    )
