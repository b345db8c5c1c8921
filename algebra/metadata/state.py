"""State: what each node of a streaming plan must keep, and whether that is bounded (S-408)."""

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Final

from algebra.constraints.ranges import value_range
from algebra.expression import (
    AggregateFunction,
    Expression,
    InputRef,
    Parameter,
    WindowCall,
    WindowFunction,
)
from algebra.functions.datetimes import max_millis
from algebra.metadata.durations import NONE, SKEW, WHOLE, Reach, Stretch
from algebra.metadata.latency import (
    following,
    frame_wait,
    group_run,
    latency,
    partition_run,
    reaches,
    stay,
)
from algebra.metadata.runs import age, run
from algebra.monotonicity.context import TOP, Context
from algebra.monotonicity.lockstep import LockStep, lockstep
from algebra.plan import (
    Aggregate,
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
    SetOp,
    Sort,
    Unbounded,
    Values,
    Window,
    WindowGroup,
    WindowJoin,
    columns,
    inputs_of,
    is_streaming,
)
from algebra.rewrite import below, columns_of
from grammar.tree import SetOperator


class Keeps(Enum):
    """What is kept."""

    ROWS = "rows"
    ACCUMULATORS = "accumulators"  # a few numbers about the rows of a group
    TABLE = "table"  # the rows of an input that does not stream


@dataclass(frozen=True, slots=True)
class Kept:
    """Something that a node keeps of its input at ``port``.

    ``stretch``: until what age of a row or group; None: for ever.  ``per``: for each value of these
    expressions over that input's columns.
    """

    what: Keeps
    stretch: Stretch | None
    per: tuple[Expression, ...] = ()
    port: int = 0


#: The aggregates that need all values of their argument, not a few numbers about them.
HOLDING: Final = frozenset({
    AggregateFunction.MEDIAN, AggregateFunction.LISTAGG, AggregateFunction.PERCENTILE_CONT,
    AggregateFunction.PERCENTILE_DISC,
})  # fmt: skip


def state(plan: Plan, context: Context = TOP) -> tuple[Kept, ...]:
    """What the topmost node of ``plan`` keeps (S-408), beside the bounds that have come.

    Rows and groups count from their arrival by the clocks of the node's inputs, which are taken to
    be in step; what the rules no longer need is not kept.
    """
    if not is_streaming(plan):
        return _finite(plan)
    contexts = context.inputs(plan)
    match plan:
        case Scan() | Values() | Filter() | Project() | Hop() | Delta():
            return ()
        case Aggregate(input):
            runs = [run(key, input, contexts[0]) for key in plan.keys]
            return _groups(plan, [group_run(plan, each, runs) for each in plan.sets])
        case Window(input, groups):
            return _once([k for each in groups for k in _window(each, input, contexts[0])])
        case Join(left, right):
            if not is_streaming(left) or not is_streaming(right):
                return (Kept(Keeps.TABLE, None, port=1 if is_streaming(left) else 0),)
            return _joined(plan, context)
        case WindowJoin():
            ahead = following(plan.left_window), following(plan.right_window)
            of_left = stay(plan.left_window).plus(Stretch(ahead[1]))
            of_right = stay(plan.right_window).plus(Stretch(ahead[0]))
            return Kept(Keeps.ROWS, of_left), Kept(Keeps.ROWS, of_right, port=1)
        case SetOp(inputs):
            if plan.all and plan.operator is SetOperator.UNION:
                return tuple(Kept(Keeps.ROWS, SKEW, port=i) for i in range(len(inputs)))
            return (Kept(Keeps.ACCUMULATORS, latency(plan, context), columns(plan)),)
        case Sort():
            wait = latency(plan, context)
            return () if wait == NONE else (Kept(Keeps.ROWS, wait),)


def unbounded_node(plan: Plan, context: Context = TOP) -> tuple[Plan, str] | None:
    """The first node whose latency, or the rows it keeps, may have no end, and why; None: none.

    Asked of a streaming plan (S-408), which is refused then.  Inputs are looked at before the nodes
    that read them, left before right; the parts that do not stream are bounded by nature.
    """
    if not is_streaming(plan):
        return None
    for input, way in zip(inputs_of(plan), context.inputs(plan), strict=True):
        found = unbounded_node(input, way)
        if found is not None:
            return found
    wait = latency(plan, context)
    if wait.unbounded is not None:
        return plan, wait.unbounded
    for each in state(plan, context):
        if each.what is Keeps.ROWS and (each.stretch is None or each.stretch.unbounded is not None):
            reason = None if each.stretch is None else each.stretch.unbounded
            return plan, f"rows are kept for ever: {reason}" if reason else "rows are kept for ever"
    return None


# --- node by node -------------------------------------------------------------------------------


def _finite(plan: Plan) -> tuple[Kept, ...]:
    match plan:
        case Aggregate(_, keys):
            return (Kept(Keeps.ACCUMULATORS, WHOLE, keys),)
        case Sort() | Window():
            return (Kept(Keeps.ROWS, WHOLE),)
        case Join() | WindowJoin():
            return (Kept(Keeps.ROWS, WHOLE, port=1),)
        case SetOp(_, operator, all_) if not all_ or operator is not SetOperator.UNION:
            return (Kept(Keeps.ACCUMULATORS, WHOLE, columns(plan)),)
        case SetOp() | Scan() | Values() | Filter() | Project() | Hop() | Delta():
            return ()


def _groups(plan: Aggregate, runs: list[Stretch]) -> tuple[Kept, ...]:
    """Of each grouping set: numbers about its open groups; what DISTINCT and MEDIAN want, too."""
    kept: list[Kept] = []
    for each, until in zip(plan.sets, runs, strict=True):
        keys = tuple(plan.keys[i] for i in each)
        kept.append(Kept(Keeps.ACCUMULATORS, until, keys))
        for call in plan.measures:
            if call.function in HOLDING:
                kept.append(Kept(Keeps.ROWS, until))
            elif call.distinct and call.arguments:
                kept.append(Kept(Keeps.ACCUMULATORS, until, keys + call.arguments))
    return _once(kept)


def _once(kept: list[Kept]) -> tuple[Kept, ...]:
    """``kept`` without what is among the rest: rows of ten minutes are among those of an hour."""
    different = tuple(dict.fromkeys(kept))
    return tuple(e for e in different if not any(_among(e, o) for o in different if o != e))


def _among(one: Kept, other: Kept) -> bool:
    """Whether the rows of ``one`` are all among those of ``other``."""
    alike = one.what is other.what is Keeps.ROWS and (one.per, one.port) == (other.per, other.port)
    if not alike or one.stretch is None or other.stretch is None:
        return False
    return one.stretch.beside(other.stretch) == other.stretch


def _joined(plan: Join, context: Context) -> tuple[Kept, ...]:
    """The rows of either side that rows of the other may still match (S-511)."""
    lock = lockstep(plan, context.where, reader=context.reader)
    if not isinstance(lock, LockStep) or lock.lower > lock.upper:
        return ()
    contexts = context.inputs(plan)
    ahead, behind = (max(0, each) for each in reaches(lock))
    return (
        Kept(Keeps.ROWS, age(plan.right, lock.right, ahead, contexts[1])),
        Kept(Keeps.ROWS, age(plan.left, lock.left, behind, contexts[0]), port=1),
    )


def _window(group: WindowGroup, input: Plan, context: Context) -> tuple[Kept, ...]:
    """What the frames of rows to come still need, and the rows that wait (S-505)."""
    wait = frame_wait(group, input, context)
    over = partition_run(group, input, context)
    until = over if over.unbounded is None else None
    kept: list[Kept] = []
    if isinstance(group.frame.start, Unbounded):
        kept.append(Kept(Keeps.ACCUMULATORS, until, group.partition))
        for call in group.calls:
            if call.function in HOLDING or offset_varies_by_row(call):
                kept.append(Kept(Keeps.ROWS, over))
            elif call.distinct and call.arguments:
                kept.append(Kept(Keeps.ACCUMULATORS, until, group.partition + call.arguments))
    back = [_back(group, input, context), *(_lag(call) for call in group.calls)]
    # A row waits first, and is looked back at then.
    ages = [each.plus(wait) for each in back if each != NONE] or [wait]
    rows = (Kept(Keeps.ROWS, a, group.partition if a.rows else ()) for a in ages if a != NONE)
    return (*kept, *dict.fromkeys(rows))


def _back(group: WindowGroup, input: Plan, context: Context) -> Stretch:
    """How far before its own row a frame reaches, or ends; of one without a start, its end."""
    start = group.frame.end if isinstance(group.frame.start, Unbounded) else group.frame.start
    match start:
        case RowOffset(rows):
            return Stretch(rows=max(0, -rows))
        case GroupOffset(groups):
            return Stretch(reaches=(Reach("groups of peers", -groups),)) if groups < 0 else NONE
        case RangeOffset(distance, True) if distance.value:
            first = group.order[0].expression
            amount = distance.value
            if isinstance(amount, int) and distance.type.fields is not None:
                amount = max_millis(distance)
            if isinstance(first, InputRef) and isinstance(amount, int):
                return age(input, first.index, amount, context)
            return Stretch(reaches=(Reach("the order of OVER", None),))
        case RangeOffset() | Unbounded():
            return NONE


def _lag(call: WindowCall) -> Stretch:
    """The rows before its own that LAG looks at; of one that looks anywhere see `_window`."""
    if call.function is not WindowFunction.LAG or offset_varies_by_row(call):
        return NONE
    offset = value_range(call.arguments[1]).upper if len(call.arguments) > 1 else Fraction(1)
    if offset is None:
        return Stretch(reaches=(Reach("LAG's offset", None),))
    return Stretch(rows=max(0, int(offset)))


def offset_varies_by_row(call: WindowCall) -> bool:
    """Whether each row says for itself which row of the partition LAG or NTH_VALUE looks at.

    A parameter of LAG may say any row, too; that of NTH_VALUE says one for all.
    """
    match call:
        case WindowCall(WindowFunction.NTH_VALUE, (_, number)):
            return bool(columns_of(number))
        case WindowCall(WindowFunction.LAG, (_, offset, *_)):
            return any(isinstance(each, InputRef | Parameter) for each in below(offset))
        case _:
            return False
