"""What each node waits for before it emits a row, in words (S-405, S-408)."""

from collections.abc import Iterable
from typing import Final

from algebra.expression import Expression, InputRef
from algebra.functions.datetimes import max_millis, time_text
from algebra.metadata.collation import sorted_on
from algebra.metadata.durations import NONE
from algebra.metadata.latency import before_row, frame_latency, latency, match_offsets
from algebra.metadata.runs import until_complete
from algebra.monotonicity.columns import OrderOf, base_side, column_monotonicity
from algebra.monotonicity.lockstep import LockStep, lockstep
from algebra.parts.asof import asof_of
from algebra.plan import (
    Aggregate,
    AsofJoin,
    Changes,
    Delta,
    Filter,
    Hop,
    Join,
    Plan,
    Project,
    Scan,
    Session,
    SetOp,
    Sort,
    Values,
    Window,
    WindowJoin,
    is_streaming,
    row_type,
)
from algebra.spelling import names_of, spelled
from algebra.types import DATETIME, Kind
from grammar.tree import SetOperator

IMMEDIATELY: Final = "at once"


def completion(plan: Plan) -> str:
    """What completes an output row of the topmost node of ``plan``; ``at once`` if it never waits.

    A complete row also waits for rows of an earlier time, which wait for the same condition
    (S-305).
    """
    if not is_streaming(plan):
        return "with the whole input" if latency(plan).whole else IMMEDIATELY
    match plan:
        case Scan() | Values() | Filter() | Project() | Hop() | Delta() | Changes():
            return IMMEDIATELY
        case Session(input):
            time = spelled(plan.time, names_of(input))
            return f"the rows of a session, when {time} has reached its end"
        case Aggregate(input):
            return _aggregate(plan, input)
        case Window(input, groups):
            waits = dict.fromkeys(str(frame_latency(e, input)) for e in groups)
            each = ", ".join(waits)
            return IMMEDIATELY if each == str(NONE) else f"a row's frame, after {each}"
        case Join():
            return _join(plan)
        case WindowJoin():
            ahead = max(before_row(plan.left_window), before_row(plan.right_window))
            beyond = f"{time_text(ahead)} beyond its time" if ahead else "at its time"
            return f"a pair, when both clocks are {beyond}"
        case AsofJoin():
            return _asof_join(plan)
        case SetOp():
            return _set_operation(plan)
        case Sort(input):
            return _sort(plan, input)


def base_text(plan: Plan) -> str:
    """The side whose rowtime the rows of a join have (S-510); empty for any other node."""
    if not isinstance(plan, Join) or not is_streaming(plan):
        return ""
    side = base_side(plan)
    return "none: the rows have a time of their own" if side is None else str(side.value)


def _aggregate(plan: Aggregate, input: Plan) -> str:
    moving = [i for i, key in enumerate(plan.keys) if until_complete(key, input).unbounded is None]
    by_set = ([plan.keys[i] for i in moving if i in each] for each in plan.sets)
    names = names_of(input)
    by_sets = dict.fromkeys(_any(keys, names) for keys in by_set)
    if "" in by_sets:
        return "never"
    return f"a group, when {', in turn '.join(by_sets)} has passed it"


def _any(keys: Iterable[Expression], names: tuple[str, ...]) -> str:
    return " or ".join(spelled(each, names) for each in keys)


def _sort(plan: Sort, input: Plan) -> str:
    names = names_of(input)
    first = spelled(plan.keys[0].expression, names)
    if plan.within is not None:
        slack = time_text(max_millis(plan.within))
        has_come = "has come to" if len(plan.keys) == 1 else "has come further than"
        return f"a row, when {first} {has_come} {slack} beyond it"
    if sorted_on(input, plan.keys):
        return f"{IMMEDIATELY}: rows arrive in this order"
    return f"the rows of one {first}, when it has passed"


def _set_operation(plan: SetOp) -> str:
    if plan.all and plan.operator is SetOperator.UNION:
        return "a row, when the clock of every other input has reached it"
    orders = column_monotonicity(plan, OrderOf.BOUNDS)
    moving = [n for n, order in zip(names_of(plan), orders, strict=True) if order.progresses]
    by = " or ".join(moving)
    return f"equal rows, when {by} has passed them in every input" if by else "never"


def _join(plan: Join) -> str:
    """Which bound completes the rows of which side (S-511)."""
    if not (is_streaming(plan.left) and is_streaming(plan.right)):
        return IMMEDIATELY
    lock = lockstep(plan)
    if not isinstance(lock, LockStep):
        return "never"
    ahead, behind = match_offsets(lock)
    left = InputRef(lock.left, row_type(plan.left)[lock.left].type)
    right = InputRef(lock.right, row_type(plan.right)[lock.right].type)
    names = names_of(plan.left), names_of(plan.right)
    of_left, of_right = f"left {spelled(left, names[0])}", f"right {spelled(right, names[1])}"
    kind = left.type.kind
    return (
        f"a left row, when {of_right} is beyond {_plus(of_left, ahead, kind)}; "
        f"a right row, when {of_left} is beyond {_plus(of_right, behind, kind)}"
    )


def _asof_join(plan: AsofJoin) -> str:
    """The bound of the right side completes a left row."""
    if not (is_streaming(plan.left) and is_streaming(plan.right)):
        return IMMEDIATELY
    asof = asof_of(plan)
    if not asof.backward:
        return "never"
    left, right = spelled(asof.left_time, names_of(plan.left)), names_of(plan.right)
    reached = "has reached" if asof.strict else "has passed"
    return f"a left row, when right {spelled(asof.right_time, right)} {reached} left {left}"


def _plus(column: str, amount: int, kind: Kind) -> str:
    if not amount:
        return column
    size = time_text(abs(amount)) if kind in DATETIME else str(abs(amount))
    return f"{column} {'+' if amount > 0 else '-'} {size}"
