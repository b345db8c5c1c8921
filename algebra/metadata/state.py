"""State: what each node of a streaming plan retains, and whether that is bounded (S-408)."""

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Final

from algebra.constraints.ranges import value_range
from algebra.expression import (
    AggregateCall,
    AggregateFunction,
    Case,
    Expression,
    InputRef,
    Literal,
    Parameter,
    WindowCall,
    WindowFunction,
)
from algebra.facts import deduced_once
from algebra.functions.datetimes import max_millis, time_text
from algebra.metadata.durations import NONE, SKEW, WHOLE, BoundAdvance, Duration
from algebra.metadata.latency import (
    after_row,
    before_row,
    frame_latency,
    latency,
    match_offsets,
    until_group_complete,
    until_partition_complete,
)
from algebra.metadata.runs import age, until_complete
from algebra.monotonicity.lockstep import LockStep, lockstep
from algebra.parts.asof import asof_of
from algebra.plan import (
    Aggregate,
    AsofJoin,
    Changes,
    Delta,
    Filter,
    GroupOffset,
    Hop,
    Join,
    Plan,
    Project,
    RangeOffset,
    RowOffset,
    Scan,
    Session,
    SetOp,
    Sort,
    Unbounded,
    Values,
    Window,
    WindowGroup,
    WindowJoin,
    columns,
    gap_of,
    inputs_of,
    is_streaming,
)
from algebra.rewrite import columns_of, subexpressions
from grammar.tree import SetOperator


class StateKind(Enum):
    """What is retained."""

    ROWS = "rows"
    ACCUMULATORS = "accumulators"  # a fixed-size summary of the rows of a group
    TABLE = "table"  # the rows of an input that does not stream


@dataclass(frozen=True, slots=True)
class Retained:
    """Something that a node retains of its input at ``port``.

    ``duration``: how old a row or group gets; None: it is retained for ever.  ``per``: one for each
    value of these expressions over that input's columns.
    """

    kind: StateKind
    duration: Duration | None
    per: tuple[Expression, ...] = ()
    port: int = 0


#: Holistic aggregates: they need all values of their argument, not a fixed-size accumulator.
#: Defines: S-408.i, S-408.m
HOLISTIC: Final = frozenset({
    AggregateFunction.MEDIAN, AggregateFunction.LISTAGG, AggregateFunction.PERCENTILE_CONT,
    AggregateFunction.PERCENTILE_DISC,
})  # fmt: skip


@deduced_once
def state(plan: Plan) -> tuple[Retained, ...]:
    """What the topmost node of ``plan`` retains (S-408), apart from the latest bounds.

    Rows and groups age from their arrival, by the clocks of the node's inputs, which are assumed to
    be in step; what no rule needs any more is evicted.

    Defines: S-408.d
    """
    if not is_streaming(plan):
        return _finite(plan)
    match plan:
        case Scan() | Values() | Filter() | Project() | Hop() | Delta() | Changes():
            return ()
        case Session():
            apart = BoundAdvance(f"rows less than {time_text(gap_of(plan))} apart", None)
            return (Retained(StateKind.ROWS, latency(plan).plus(Duration(advances=(apart,)))),)
        case Aggregate(input):
            runs = [until_complete(key, input) for key in plan.keys]
            return _groups(plan, [until_group_complete(plan, each, runs) for each in plan.sets])
        case Window(input, groups):
            return _once([k for each in groups for k in _window(each, input)])
        case Join(left, right):
            if not is_streaming(left) or not is_streaming(right):
                return (Retained(StateKind.TABLE, None, port=1 if is_streaming(left) else 0),)
            return _joined(plan)
        case WindowJoin():
            ahead = before_row(plan.left_window), before_row(plan.right_window)
            of_left = after_row(plan.left_window).plus(Duration(ahead[1]))
            of_right = after_row(plan.right_window).plus(Duration(ahead[0]))
            return Retained(StateKind.ROWS, of_left), Retained(StateKind.ROWS, of_right, port=1)
        case AsofJoin(left, right):
            if not is_streaming(left) or not is_streaming(right):
                return (Retained(StateKind.TABLE, None, port=1 if is_streaming(left) else 0),)
            wait, keys = latency(plan), asof_of(plan).right_keys
            return (
                Retained(StateKind.ROWS, wait),
                Retained(StateKind.ROWS, wait, port=1),
                Retained(StateKind.ACCUMULATORS, None, keys, port=1),
            )
        case SetOp(inputs):
            if plan.all and plan.operator is SetOperator.UNION:
                return tuple(Retained(StateKind.ROWS, SKEW, port=i) for i in range(len(inputs)))
            return (Retained(StateKind.ACCUMULATORS, latency(plan), columns(plan)),)
        case Sort():
            wait = latency(plan)
            return () if wait == NONE else (Retained(StateKind.ROWS, wait),)


def unbounded_node(plan: Plan) -> tuple[Plan, str] | None:
    """The first node whose latency or retained rows may grow for ever, and why; None: none.

    A streaming plan that has one is refused (S-408).  Inputs are visited before the nodes that read
    them, left before right; parts that do not stream are bounded by nature.

    Defines: S-408.f, S-408.l
    """
    if not is_streaming(plan):
        return None
    for input in inputs_of(plan):
        found = unbounded_node(input)
        if found is not None:
            return found
    wait = latency(plan)
    if wait.unbounded is not None:
        return plan, wait.unbounded
    for each in state(plan):
        if each.kind is StateKind.ROWS and (
            each.duration is None or each.duration.unbounded is not None
        ):
            reason = None if each.duration is None else each.duration.unbounded
            return plan, f"rows are kept for ever: {reason}" if reason else "rows are kept for ever"
    return None


# --- node by node -------------------------------------------------------------------------------


def _finite(plan: Plan) -> tuple[Retained, ...]:
    match plan:
        case Aggregate(_, keys):
            return (Retained(StateKind.ACCUMULATORS, WHOLE, keys),)
        case Session() | Sort() | Window():
            return (Retained(StateKind.ROWS, WHOLE),)
        case Join() | WindowJoin() | AsofJoin():
            return (Retained(StateKind.ROWS, WHOLE, port=1),)
        case SetOp(_, operator, all_) if not all_ or operator is not SetOperator.UNION:
            return (Retained(StateKind.ACCUMULATORS, WHOLE, columns(plan)),)
        case SetOp() | Scan() | Values() | Filter() | Project() | Hop() | Delta() | Changes():
            return ()


def _groups(plan: Aggregate, runs: list[Duration]) -> tuple[Retained, ...]:
    """For each grouping set an accumulator per open group; more for DISTINCT and MEDIAN.

    Defines: S-408.k, S-408.n
    """
    retained: list[Retained] = []
    for each, until in zip(plan.sets, runs, strict=True):
        keys = tuple(plan.keys[i] for i in each)
        retained.append(Retained(StateKind.ACCUMULATORS, until, keys))
        for call in plan.measures:
            if call.function in HOLISTIC:
                retained.append(Retained(StateKind.ROWS, until))
            elif call.distinct and call.arguments:
                per = (*keys, *_values_aggregated(call))
                retained.append(Retained(StateKind.ACCUMULATORS, until, per))
    return _once(retained)


def _values_aggregated(call: AggregateCall) -> tuple[Expression, ...]:
    """The arguments of an aggregate, NULL in rows that its FILTER leaves out."""
    if call.filter is None:
        return call.arguments
    nothing = (Literal(None, each.type.as_nullable()) for each in call.arguments)
    return tuple(
        Case(((call.filter, each),), null, null.type)
        for each, null in zip(call.arguments, nothing, strict=True)
    )


def _once(retained: list[Retained]) -> tuple[Retained, ...]:
    """``retained`` without what the rest includes: an hour's rows include those of ten minutes."""
    different = tuple(dict.fromkeys(retained))
    return tuple(e for e in different if not any(_among(e, o) for o in different if o != e))


def _among(one: Retained, other: Retained) -> bool:
    """Whether ``other`` includes all the rows of ``one``."""
    alike = one.kind is other.kind is StateKind.ROWS and (one.per, one.port) == (
        other.per,
        other.port,
    )
    if not alike or one.duration is None or other.duration is None:
        return False
    return one.duration.or_longer(other.duration) == other.duration


def _joined(plan: Join) -> tuple[Retained, ...]:
    """The rows of either side that later rows of the other may match (S-511)."""
    lock = lockstep(plan)
    if not isinstance(lock, LockStep) or not lock.possible:
        return ()
    ahead, behind = (max(0, each) for each in match_offsets(lock))
    return (
        Retained(StateKind.ROWS, age(plan.right, lock.right, ahead)),
        Retained(StateKind.ROWS, age(plan.left, lock.left, behind), port=1),
    )


def _window(group: WindowGroup, input: Plan) -> tuple[Retained, ...]:
    """What later frames still need, and the rows that wait for their frame (S-505)."""
    wait = frame_latency(group, input)
    over = until_partition_complete(group, input)
    until = over if over.unbounded is None else None
    retained: list[Retained] = []
    if isinstance(group.frame.start, Unbounded):
        retained.append(Retained(StateKind.ACCUMULATORS, until, group.partition))
        for call in group.calls:
            if call.function in HOLISTIC or offset_depends_on_row(call):
                retained.append(Retained(StateKind.ROWS, over))
            elif call.distinct and call.arguments:
                retained.append(
                    Retained(StateKind.ACCUMULATORS, until, group.partition + call.arguments)
                )
    back = [_back(group, input), *(_lag(call) for call in group.calls)]
    # A row first waits for its own frame, and is then in the frames of later rows.
    ages = [each.plus(wait) for each in back if each != NONE] or [wait]
    rows = (
        Retained(StateKind.ROWS, a, group.partition if a.rows else ()) for a in ages if a != NONE
    )
    return (*retained, *dict.fromkeys(rows))


def _back(group: WindowGroup, input: Plan) -> Duration:
    """How far before its own row a frame starts, or, from UNBOUNDED PRECEDING, ends."""
    start = group.frame.end if isinstance(group.frame.start, Unbounded) else group.frame.start
    match start:
        case RowOffset(rows):
            return Duration(rows=max(0, -rows))
        case GroupOffset(groups):
            return (
                Duration(advances=(BoundAdvance("groups of peers", -groups),))
                if groups < 0
                else NONE
            )
        case RangeOffset(distance, True) if distance.value:
            first = group.order[0].expression
            amount = distance.value
            if isinstance(amount, int) and distance.type.fields is not None:
                amount = max_millis(distance)
            if isinstance(first, InputRef) and isinstance(amount, int):
                return age(input, first.index, amount)
            return Duration(advances=(BoundAdvance("the order of OVER", None),))
        case RangeOffset() | Unbounded():
            return NONE


def _lag(call: WindowCall) -> Duration:
    """How many rows back LAG looks; `NONE` if its offset varies by row, which `_window` treats."""
    if call.function is not WindowFunction.LAG or offset_depends_on_row(call):
        return NONE
    offset = value_range(call.arguments[1]).upper if len(call.arguments) > 1 else Fraction(1)
    if offset is None:
        return Duration(advances=(BoundAdvance("LAG's offset", None),))
    return Duration(rows=max(0, int(offset)))


def offset_depends_on_row(call: WindowCall) -> bool:
    """Whether LAG or NTH_VALUE looks at a row of the partition that each row chooses.

    A parameter of LAG may choose any row too; one of NTH_VALUE chooses one for all.
    """
    match call:
        case WindowCall(WindowFunction.NTH_VALUE, (_, number)):
            return bool(columns_of(number))
        case WindowCall(WindowFunction.LAG, (_, offset, *_)):
            return any(isinstance(each, InputRef | Parameter) for each in subexpressions(offset))
        case _:
            return False
