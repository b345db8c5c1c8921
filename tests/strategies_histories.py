"""Generated relational plans over histories of streams, all of one row type, and their rows."""

from collections.abc import Iterator
from itertools import count
from random import Random

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from algebra.binding.expression.bind_datetime import bind_round
from algebra.catalog import Column, Ordering, Stream
from algebra.expression import (
    AggregateCall,
    AggregateFunction,
    Call,
    Expression,
    InputRef,
    Literal,
    Op,
    SortKey,
    WindowCall,
    WindowFunction,
)
from algebra.functions.arithmetic import bind_arithmetic
from algebra.functions.coerce import convert
from algebra.functions.comparison import compare, conjunction
from algebra.plan import (
    Aggregate,
    Filter,
    Frame,
    FrameBound,
    Hop,
    Join,
    Plan,
    Project,
    RangeOffset,
    Reads,
    RowOffset,
    Scan,
    SetOp,
    Side,
    Sort,
    TimeWindow,
    Unbounded,
    Window,
    WindowGroup,
    WindowJoin,
    row_type,
)
from algebra.types import BIGINT, DATE, INTEGER, MILLIS_PER_DAY, TIMESTAMP
from grammar.source import SqlError
from grammar.tree import BinaryOperator, JoinKind, SetOperator, TimeUnit
from reference.relation import Row
from tests.strategies_conditions import (
    AT,
    BASES,
    COLUMNS,
    HOUR,
    WIDTH,
    D,
    J,
    N,
    P,
    T,
    U,
    bound,
    condition,
    side,
    span,
)

NAMES = ("ROWTIME", "U", "D", "N", "J", "P")
#: The clock of every test: 2015-03-01 00:00:00.
NOW = 1_425_168_000_000
_CLOCK = Call(Op.CURRENT_TIMESTAMP, (), TIMESTAMP.as_nullable(False))


def own(place: int) -> InputRef:
    return InputRef(place, COLUMNS[place])


def shifted(draw: DrawFn, time: Expression) -> Expression:
    """A time, and some hours or days."""
    distance = span(draw(st.integers(-50, 50)) * HOUR, TimeUnit.HOUR)
    return bind_arithmetic(BinaryOperator.PLUS, bound(time), bound(distance), AT)


def recent(draw: DrawFn, place: int = T) -> Expression:
    """A condition on the rowtime, such as a history is asked with."""
    limits: list[Expression] = [
        _CLOCK,
        Literal(draw(st.sampled_from(BASES)), TIMESTAMP.as_nullable(False)),
    ]
    limit = shifted(draw, draw(st.sampled_from(limits)))
    time: Expression = InputRef(place, COLUMNS[T])
    match draw(st.integers(0, 3)):
        case 0:
            unit = draw(st.sampled_from([TimeUnit.HOUR, TimeUnit.MONTH, TimeUnit.WEEK]))
            time = bind_round(draw(st.booleans()), bound(time), unit, AT)
        case 1:
            return compare(
                Op.EQUAL, (bound(convert(time, DATE)),), (bound(convert(limit, DATE)),), AT
            )
        case _:
            pass
    op = draw(st.sampled_from([Op.GREATER, Op.GREATER_OR_EQUAL]))
    return compare(op, (bound(time),), (bound(limit),), AT)


def matched(draw: DrawFn) -> Expression:
    """A condition on the rows of two plans."""
    right = InputRef(WIDTH + T, COLUMNS[T])
    low, high = shifted(draw, own(T)), shifted(draw, own(T))
    near = [
        compare(Op.GREATER_OR_EQUAL, (bound(right),), (bound(low),), AT),
        compare(Op.LESS_OR_EQUAL, (bound(right),), (bound(high),), AT),
    ]
    return draw(st.sampled_from([conjunction(near), *near, condition(draw, 0)]))


def plan(draw: DrawFn, depth: int, names: Iterator[int]) -> Plan:
    """A plan with the columns of `COLUMNS`, each scan of a stream of its own."""
    if depth == 0:
        columns = [Column(n, t) for n, t in zip(NAMES, COLUMNS, strict=True)]
        columns[T] = Column("ROWTIME", COLUMNS[T], Ordering())
        return Scan(Stream((f"S{next(names)}",), tuple(columns)), Reads.HISTORY)
    input = plan(draw, depth - 1, names)
    match draw(st.integers(0, 9)):
        case 0 | 1 | 2:
            asked = recent(draw) if draw(st.booleans()) else _alone(draw)
            return Filter(input, asked)
        case 3:
            time = draw(st.sampled_from([shifted(draw, own(T)), _floor(draw)]))
            kept = (time, own(T), own(D), own(N), own(J), own(P))
            return Project(input, kept, NAMES)
        case 4:
            return _grouped(draw, input)
        case 5 | 6:
            return _joined(draw, input, plan(draw, depth - 1, names))
        case 7:
            return _framed(draw, input)
        case 8:
            return _hopped(draw, input)
        case _:
            if draw(st.booleans()):
                limit = Literal(3, INTEGER) if draw(st.booleans()) else None
                return Sort(input, (SortKey(own(T), False, False),), limit=limit)
            operator = draw(st.sampled_from(list(SetOperator)))
            other = plan(draw, depth - 1, names)
            return SetOp((input, other), operator, draw(st.booleans()))


def _alone(draw: DrawFn) -> Expression:
    """Any condition on one row."""
    while True:
        try:
            return condition(draw, draw(st.integers(0, 1)), (0,))
        except SqlError:
            continue


def _floor(draw: DrawFn) -> Expression:
    unit = draw(st.sampled_from([TimeUnit.HOUR, TimeUnit.DAY, TimeUnit.MONTH]))
    return bind_round(draw(st.booleans()), bound(own(T)), unit, AT)


def _grouped(draw: DrawFn, input: Plan) -> Plan:
    """Groups by a rounded time, the date and the number; the earliest U, a count, the least P."""
    keys = (_floor(draw), own(D), own(N))
    sets = draw(st.sampled_from([((0, 1, 2),), ((0, 1, 2), (1, 2))]))
    function = draw(st.sampled_from([AggregateFunction.MIN, AggregateFunction.MAX]))
    measures = (
        AggregateCall(function, (own(U),), TIMESTAMP),
        AggregateCall(AggregateFunction.COUNT, (), BIGINT),
        AggregateCall(AggregateFunction.MIN, (own(P),), COLUMNS[P]),
    )
    group = Aggregate(input, keys, sets, measures, ("T", "D", "N", "U", "J", "P"))
    time: Expression = InputRef(0, TIMESTAMP)
    if len(sets) > 1:
        stand_in = Literal(BASES[0], TIMESTAMP.as_nullable(False))
        time = Call(Op.COALESCE, (time, stand_in), COLUMNS[T])
    row = (time, *(InputRef(i, t) for i, t in zip((3, 1, 2, 4, 5), COLUMNS[1:], strict=True)))
    return Project(group, row, NAMES)


def _joined(draw: DrawFn, left: Plan, right: Plan) -> Plan:
    """Pairs: the time of the side that is surely there, the rest of both."""
    kind = draw(st.sampled_from([JoinKind.INNER, JoinKind.INNER, *_OUTER]))
    while True:
        try:
            on = matched(draw)
            break
        except SqlError:
            continue
    base = WIDTH if kind is JoinKind.RIGHT else 0
    time: Expression = InputRef(base + T, COLUMNS[T])
    if kind is JoinKind.FULL:
        both = (InputRef(T, TIMESTAMP), InputRef(WIDTH + T, TIMESTAMP))
        time = Call(Op.COALESCE, both, COLUMNS[T])
    number: Expression = InputRef(base + N, COLUMNS[N])
    day: Expression = InputRef(base + D, COLUMNS[D])
    if kind is JoinKind.FULL:
        number = Literal(7, COLUMNS[N])
        day = convert(time, COLUMNS[D])
    other = WIDTH - base
    rest = (InputRef(other + J, COLUMNS[J]), InputRef(other + P, COLUMNS[P]))
    row = (time, InputRef(other + T, TIMESTAMP), day, number, *rest)
    if draw(st.integers(0, 3)) == 0:
        windows = [TimeWindow(draw(st.integers(0, 9)) * HOUR, 0) for _ in range(2)]
        joined: Plan = WindowJoin(left, right, kind, on, windows[0], windows[1], T, T)
        if draw(st.booleans()):
            row = (InputRef(2 * WIDTH, COLUMNS[T]), *row[1:])
    else:
        joined = Join(left, right, kind, on, Side.RIGHT if base else Side.LEFT)
    return Project(joined, row, NAMES)


_OUTER = (JoinKind.LEFT, JoinKind.RIGHT, JoinKind.FULL)


def _framed(draw: DrawFn, input: Plan) -> Plan:
    """A sum over a frame of time or rows in place of J, and a first value or rank in place of U."""
    ends: list[FrameBound] = [RangeOffset(span(0, TimeUnit.HOUR), True), RowOffset(0)]
    hours = span(draw(st.integers(1, 30)) * HOUR, TimeUnit.HOUR)
    starts: list[FrameBound] = [*ends, RangeOffset(hours, True), RangeOffset(hours, True)]
    starts += [Unbounded(), RowOffset(-1)]
    groups = tuple(
        WindowGroup(
            draw(st.sampled_from([(), (own(N),)])),
            (SortKey(own(T), False, False),),
            Frame(draw(st.sampled_from(starts)), Unbounded() if draw(st.booleans()) else ends[0]),
            (call,),
        )
        for call in (
            WindowCall(AggregateFunction.COUNT, (own(U),), BIGINT),
            draw(st.sampled_from(_CALLS)),
        )
    )
    kept = groups[: draw(st.integers(1, 2))]
    windowed = Window(input, kept, ("C", "F")[: len(kept)])
    last = InputRef(WIDTH + 1, TIMESTAMP) if len(kept) > 1 else own(U)
    number = InputRef(WIDTH, BIGINT)
    if len(kept) > 1 and row_type(windowed)[WIDTH + 1].type.kind is not TIMESTAMP.kind:
        number, last = InputRef(WIDTH + 1, BIGINT), own(U)
    return Project(windowed, (own(T), last, own(D), own(N), number, own(P)), NAMES)


_CALLS = (
    WindowCall(WindowFunction.LAST_VALUE, (own(U),), TIMESTAMP),
    WindowCall(WindowFunction.ROW_NUMBER, (), BIGINT),
    WindowCall(WindowFunction.LAG, (own(U),), TIMESTAMP),
)


def _hopped(draw: DrawFn, input: Plan) -> Plan:
    """Each row in its windows, at the end of one."""
    emit, retain = draw(
        st.sampled_from(
            [
                (span(HOUR, TimeUnit.HOUR), span(2 * HOUR, TimeUnit.HOUR)),
                (span(MILLIS_PER_DAY, TimeUnit.DAY), span(MILLIS_PER_DAY, TimeUnit.DAY)),
                (span(1, TimeUnit.MONTH), span(2, TimeUnit.MONTH)),
            ]
        )
    )
    time = InputRef(WIDTH + draw(st.integers(0, 1)), COLUMNS[T])
    align = 7 if emit.type.kind is span(1, TimeUnit.HOUR).type.kind else 0
    hop = Hop(input, own(T), emit, retain, align)
    return Project(hop, (time, own(T), own(D), own(N), own(J), own(P)), NAMES)


@st.composite
def plans(draw: DrawFn) -> Plan:
    """A query over histories, mostly one that asks for late rows only."""
    inner = plan(draw, draw(st.integers(0, 3)), count())
    return Filter(inner, recent(draw)) if draw(st.integers(0, 3)) else inner


def rows(random: Random) -> list[Row]:
    """The history of a stream, by rowtime."""
    base = random.choice([*BASES, NOW])
    found = [tuple(side(random, base, 7)) for _ in range(random.randint(0, 9))]
    return sorted(found, key=lambda row: int(str(row[T])))
