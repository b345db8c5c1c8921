"""Generated streaming plans: grown node by node over streams of random declarations."""

from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from algebra.binding.scope.streaming import can_be_rowtime
from algebra.catalog import Column, Ordering, Profile, Stream, Table
from algebra.expression import (
    AggregateCall,
    AggregateFunction,
    Call,
    Cast,
    Expression,
    Extract,
    InputRef,
    Literal,
    Op,
    Round,
    SortKey,
    Value,
    WindowCall,
    WindowFunction,
)
from algebra.metadata.schedule.facts import unbounded_node
from algebra.monotonicity.columns import order_progresses, rowtime_column
from algebra.plan import (
    Aggregate,
    AsofJoin,
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
    RowsWindow,
    Scan,
    Session,
    SetOp,
    Side,
    SideWindow,
    Sort,
    TimeWindow,
    Unbounded,
    Window,
    WindowGroup,
    WindowJoin,
    inputs_of,
    is_streaming,
    row_type,
)
from algebra.rewrite import shifted
from algebra.types import BIGINT, BOOLEAN, DATE, INTEGER, TIMESTAMP, Kind, Type, interval
from grammar.tree import JoinKind, SetOperator, TimeUnit
from reference.acceptance import accept
from reference.evaluate import World
from reference.ingress import ingress_of
from reference.relation import Relation, Row
from tests.reference.building import ENV

#: 2015-02-15 10:00:00, and a minute, in milliseconds.
TEN = 1_423_994_400_000
MINUTE = 60_000
HOUR = 60 * MINUTE

T = TIMESTAMP.as_nullable(False)
SPAN = interval(TimeUnit.MINUTE).as_nullable(False)
TRUTH = BOOLEAN.as_nullable(False)
COUNT = AggregateCall(AggregateFunction.COUNT, (), BIGINT.as_nullable(False))

_TIMES = [
    Ordering(),
    Ordering(),
    Ordering(),
    Ordering(strict=True),
    Ordering(strict=True),
    Ordering(slack=10 * MINUTE),
    Ordering(rows=2),
    Ordering(punctuated=True),
]
_NUMBERS = [
    None,
    Ordering(),
    Ordering(strict=True),
    Ordering(strict=True),
    Ordering(descending=True),
    Ordering(descending=True, strict=True),
    Ordering(rows=2),
    Ordering(slack=1),
]
_TABLE = Table(("T",), (Column("ID", INTEGER), Column("RANK", INTEGER)))


@dataclass(frozen=True)
class StreamingCase:
    """A streaming plan without its Delta, and what its streams and its table hold.

    ``arrivals`` name the streams in the order in which a row of theirs comes, or, after the last
    row, the bound of its clock.
    """

    plan: Plan
    world: World
    arrivals: tuple[str, ...]


@st.composite
def streaming_cases(draw: DrawFn, most_nodes: int = 4) -> StreamingCase:
    """A plan of some nodes that streams, over rows that keep their declarations."""
    streams = [draw(_streams(name)) for name in ("S", "R")]
    plan: Plan = Scan(streams[0], Reads.STREAM)
    for _ in range(draw(st.integers(1, most_nodes))):
        grown = draw(st.sampled_from(_NODES))(draw, plan, streams[1])
        if grown is not None and _legal(grown):
            plan = grown
    passed = {each.name: draw(kept_rows(each)) for each in streams}
    row = st.tuples(st.integers(0, 6), st.one_of(st.none(), st.integers(0, 3)))
    world = World({("T",): draw(st.lists(row, max_size=5))}, passed, passed)
    arrivals = [each.name[0] for each in streams for _ in passed[each.name]]
    return StreamingCase(plan, world, tuple(draw(st.permutations(arrivals))))


def _legal(plan: Plan) -> bool:
    """Whether a query may have this node on top (S-311, S-408)."""
    named = [i for i, each in enumerate(row_type(plan)) if each.name == "ROWTIME"]
    return all(can_be_rowtime(plan, i) for i in named) and unbounded_node(plan) is None


def nodes(plan: Plan) -> list[Plan]:
    """All nodes of ``plan`` that stream, inputs first."""
    below = [node for input in inputs_of(plan) for node in nodes(input)]
    return [*below, plan] if is_streaming(plan) else below


# --- rows ---------------------------------------------------------------------------------------


@st.composite
def _streams(draw: DrawFn, name: str) -> Stream:
    return Stream(
        (name,),
        (
            Column("ROWTIME", T, draw(st.sampled_from(_TIMES))),
            _number("ID", draw(st.sampled_from(_NUMBERS))),
            _number("V", draw(st.sampled_from([None, None, None, Ordering()]))),
        ),
    )


def _number(name: str, ordering: Ordering | None) -> Column:
    return Column(name, INTEGER.as_nullable(ordering is None), ordering)


@st.composite
def kept_rows(draw: DrawFn, stream: Stream) -> Relation:
    """Rows that pass the stream's ingress; the others are left out, as they would be."""
    steps = draw(st.lists(st.tuples(*(_step(each) for each in stream.columns)), max_size=14))
    at = [TEN if each.type.kind is Kind.TIMESTAMP else 0 for each in stream.columns]
    ingress = ingress_of(stream)
    kept: list[Row] = []
    for step in steps:
        row: list[Value] = []
        for place, (column, (by, noise)) in enumerate(zip(stream.columns, step, strict=True)):
            descending = column.ordering is not None and column.ordering.descending
            at[place] += -by if descending else by
            row.append(None if noise is None else at[place] + noise)
        ingress, dropped = accept(ingress, tuple(row), ENV)
        if dropped is None:
            kept.append(tuple(row))
    return kept


def _step(column: Column) -> st.SearchStrategy[tuple[int, int | None]]:
    """By how much a column moves on, and how far from there this row is; None: it is NULL."""
    strays = column.ordering is not None and _strays(column.ordering)
    if column.type.kind is Kind.TIMESTAMP:
        moves = st.sampled_from([0, 0, 1, 5 * MINUTE, 20 * MINUTE, HOUR, HOUR - 1])
        back = [0, 0, -5 * MINUTE, -30 * MINUTE] if strays else [0]
        return st.tuples(moves, st.sampled_from(back))
    if column.ordering is None:
        return st.tuples(st.just(0), st.one_of(st.none(), st.integers(-3, 5)))
    return st.tuples(
        st.sampled_from([0, 1, 1, 2, 5]), st.sampled_from([0, 0, -1] if strays else [0])
    )


def _strays(ordering: Ordering) -> bool:
    return bool(ordering.slack or ordering.rows or ordering.punctuated)


# --- expressions --------------------------------------------------------------------------------


def columns(plan: Plan, *kinds: Kind) -> list[InputRef]:
    """The columns of these kinds; all, if none is given."""
    fields = enumerate(row_type(plan))
    return [InputRef(i, each.type) for i, each in fields if not kinds or each.type.kind in kinds]


def number(value: int, type: Type = INTEGER) -> Literal:
    """A constant."""
    return Literal(value, type.as_nullable(False))


def minutes(count: int) -> Literal:
    """A constant interval."""
    return Literal(count * MINUTE, SPAN)


def value(draw: DrawFn, plan: Plan) -> Expression:
    """An expression over the columns, mostly one of them."""
    columns_ = columns(plan)
    column = draw(st.sampled_from(columns_))
    if draw(st.booleans()):
        return column
    if column.type.kind is Kind.TIMESTAMP:
        return _of_time(draw, column)
    if column.type.kind is Kind.INTEGER:
        return _of_number(draw, column, draw(st.sampled_from(columns(plan, Kind.INTEGER))))
    return column


def _of_time(draw: DrawFn, time: Expression) -> Expression:
    unit = draw(st.sampled_from([TimeUnit.HOUR, TimeUnit.MINUTE, TimeUnit.DAY, TimeUnit.WEEK]))
    nullable = time.type.nullable
    choices: list[Expression] = [
        Round(False, time, unit, time.type),
        Round(True, time, unit, time.type),
        Call(Op.DATETIME_PLUS, (time, minutes(7)), time.type),
        Call(Op.STEP, (time, minutes(20)), time.type),
        Extract(TimeUnit.YEAR, time, BIGINT.as_nullable(nullable)),
        Cast(time, DATE.as_nullable(nullable)),
        Round(False, Round(False, time, TimeUnit.MINUTE, time.type), TimeUnit.HOUR, time.type),
    ]
    return draw(st.sampled_from(choices))


def _of_number(draw: DrawFn, a: Expression, b: Expression) -> Expression:
    c = number(draw(st.integers(-3, 3)))
    both = INTEGER.as_nullable(a.type.nullable or b.type.nullable)
    choices: list[Expression] = [
        Call(Op.PLUS, (a, c), a.type),
        Call(Op.NEGATE, (a,), a.type),
        Call(Op.TIMES, (a, c), a.type),
        Call(Op.PLUS, (a, b), both),
        Call(Op.MINUS, (a, b), both),
        Call(Op.DIVIDE, (a, number(2)), a.type),
        Call(Op.GREATEST, (a, b), both),
        Cast(a, BIGINT.as_nullable(a.type.nullable)),
        c,
    ]
    return draw(st.sampled_from(choices))


def compared(op: Op, a: Expression, b: Expression) -> Call:
    """A comparison."""
    return Call(op, (a, b), BOOLEAN.as_nullable(a.type.nullable or b.type.nullable))


# --- nodes --------------------------------------------------------------------------------------

#: A node on top of a plan; the stream is another one to join or unite it with.
Node = Callable[[DrawFn, Plan, Stream], Plan | None]


def _filter(draw: DrawFn, plan: Plan, _: Stream) -> Plan | None:
    column = draw(st.sampled_from(columns(plan)))
    choices: list[Expression] = [Call(Op.IS_NOT_NULL, (column,), TRUTH)]
    for kind in (Kind.INTEGER, Kind.TIMESTAMP):
        alike = columns(plan, kind)
        if alike:
            a, b = draw(st.sampled_from(alike)), draw(st.sampled_from(alike))
            choices.append(compared(Op.EQUAL, a, b))
            choices.append(compared(draw(st.sampled_from([Op.LESS, Op.GREATER_OR_EQUAL])), a, b))
            if kind is Kind.INTEGER:
                choices += [compared(Op.EQUAL, a, number(2))]
                choices += [compared(Op.EQUAL, a, Call(Op.PLUS, (b, number(1)), b.type))]
            else:
                choices += [compared(Op.EQUAL, a, Round(False, b, TimeUnit.HOUR, b.type))]
    return Filter(plan, draw(st.sampled_from(choices)))


def _project(draw: DrawFn, plan: Plan, _: Stream) -> Plan | None:
    made = [value(draw, plan) for _ in range(draw(st.integers(1, 3)))]
    names = [f"C{i}" for i in range(len(made))]
    times = columns(plan, Kind.TIMESTAMP)
    timed: bool = draw(st.booleans())
    if times and timed:
        time = draw(st.sampled_from(times))
        place = draw(st.integers(0, len(made)))
        made.insert(place, draw(st.sampled_from([time, time, _of_time(draw, time)])))
        names.insert(place, "ROWTIME" if made[place].type.kind is Kind.TIMESTAMP else "C")
    return Project(plan, tuple(made), tuple(names))


def _chosen(draw: DrawFn, plan: Plan, _: Stream) -> Plan | None:
    """Some columns, in another order."""
    kept = draw(st.permutations(columns(plan)))
    kept = kept[: draw(st.integers(1, len(kept)))]
    names = [row_type(plan)[each.index].name for each in kept]
    return Project(plan, tuple(kept), tuple(names))


def _aggregate(draw: DrawFn, plan: Plan, _: Stream) -> Plan | None:
    keys = tuple(dict.fromkeys(value(draw, plan) for _ in range(draw(st.integers(1, 3)))))
    return _grouped(draw, plan, keys)


def _grouped(draw: DrawFn, plan: Plan, keys: tuple[Expression, ...]) -> Plan:
    names = [f"G{i}" for i in range(len(keys))]
    if keys[0].type.kind is Kind.TIMESTAMP and draw(st.booleans()):
        names[0] = "ROWTIME"
    every = tuple(range(len(keys)))
    sets = draw(st.sampled_from([(every,), (every,), (every,), (every, (0,))]))
    return Aggregate(plan, keys, sets, (COUNT,), (*names, "N"))


def _windows(draw: DrawFn, plan: Plan, _: Stream) -> Plan | None:
    times = columns(plan, Kind.TIMESTAMP)
    if not times:
        return None
    sizes = [minutes(10), minutes(30), minutes(60), minutes(90)]
    emit = draw(st.sampled_from(sizes))
    retain = draw(st.sampled_from([emit, emit, *sizes]))
    align = draw(st.sampled_from([0, 0, 7 * MINUTE]))
    hop = Hop(plan, draw(st.sampled_from(times)), emit, retain, align)
    if draw(st.booleans()):
        return hop
    ends = columns(hop)[-2:]
    more = [value(draw, hop)] if draw(st.booleans()) else []
    return _grouped(draw, hop, tuple(dict.fromkeys([*draw(st.permutations(ends)), *more])))


def _over(draw: DrawFn, plan: Plan, _: Stream) -> Plan | None:
    key = value(draw, plan)
    descending: bool = draw(st.sampled_from([False, False, True]))
    order: tuple[SortKey, ...] = (SortKey(key, descending, False),)
    if draw(st.booleans()):
        order += (SortKey(value(draw, plan), False, False),)
    partition = (value(draw, plan),) if draw(st.booleans()) else ()
    ends: list[tuple[FrameBound, FrameBound]] = [
        (Unbounded(), RowOffset(0)),
        (RowOffset(-2), RowOffset(1)),
        (RowOffset(-1), RowOffset(0)),
    ]
    if len(order) == 1 and key.type.kind is Kind.TIMESTAMP:
        peers, half = RangeOffset(minutes(0), True), minutes(30)
        ends += [(Unbounded(), peers), (RangeOffset(half, True), peers)]
        ends += [(peers, RangeOffset(half, False)), (Unbounded(), RangeOffset(half, True))]
    if len(order) == 1 and key.type.kind is Kind.INTEGER:
        ends += [(RangeOffset(number(2), True), RangeOffset(number(1), False))]
    start, end = draw(st.sampled_from(ends))
    of = draw(st.sampled_from(columns(plan)))
    calls = [
        WindowCall(AggregateFunction.COUNT, (), BIGINT),
        WindowCall(AggregateFunction.MAX, (of,), of.type.as_nullable()),
        WindowCall(WindowFunction.LEAD, (of,), of.type.as_nullable()),
    ]
    group = WindowGroup(partition, order, Frame(start, end), (draw(st.sampled_from(calls)),))
    return Window(plan, (group,), ("W",))


def _sort(draw: DrawFn, plan: Plan, _: Stream) -> Plan | None:
    asked = [value(draw, plan) for _ in range(draw(st.integers(1, 3)))]
    descending, nulls = st.sampled_from([False, False, True]), st.booleans()
    keys = tuple(SortKey(each, draw(descending), draw(nulls)) for each in asked)
    slack = None
    if isinstance(asked[0], InputRef) and asked[0].type.kind is Kind.TIMESTAMP:
        slack = draw(st.sampled_from([None, None, minutes(20)]))
    if slack is not None:
        return Sort(plan, (SortKey(asked[0], False, False), *keys[1:]), within=slack)
    return Sort(plan, keys) if order_progresses(plan, keys[0], Profile.CALCITE) else None


def _set_operation(draw: DrawFn, plan: Plan, other: Stream) -> Plan | None:
    over = draw(st.sampled_from([True, False]))
    beside = _on_other(plan, other) if over else plan
    for _ in range(draw(st.integers(0, 1))):
        filtered = _filter(draw, beside, other)
        beside = beside if filtered is None else filtered
    operator = draw(st.sampled_from([SetOperator.UNION, SetOperator.UNION, *SetOperator]))
    every = operator is SetOperator.UNION and draw(st.sampled_from([True, True, False]))
    return SetOp((plan, beside), operator, every or draw(st.booleans()))


def _on_other(plan: Plan, other: Stream) -> Plan:
    """The plan on another stream, if it is simple enough to read of that as well."""
    match plan:
        case Scan(Stream()):
            return Scan(other, Reads.STREAM)
        case Filter(input, condition):
            return Filter(_on_other(input, other), condition)
        case Project(input, expressions, names):
            return Project(_on_other(input, other), expressions, names)
        case _:
            return plan


def _table_join(draw: DrawFn, plan: Plan, _: Stream) -> Plan | None:
    numbers = columns(plan, Kind.INTEGER)
    if not numbers:
        return None
    table, column = Scan(_TABLE, Reads.TABLE), draw(st.sampled_from(numbers))
    if draw(st.booleans()):
        on = compared(Op.EQUAL, InputRef(0, INTEGER), shifted(column, 2))
        return Join(table, plan, draw(st.sampled_from([JoinKind.INNER, JoinKind.RIGHT])), on)
    on = compared(Op.EQUAL, column, InputRef(len(row_type(plan)), INTEGER))
    return Join(plan, table, draw(st.sampled_from([JoinKind.INNER, JoinKind.LEFT])), on)


def _stream_join(draw: DrawFn, plan: Plan, other: Stream) -> Plan | None:
    right, width = Scan(other, Reads.STREAM), len(row_type(plan))
    time = InputRef(width, T)
    choices: list[Expression] = []
    for each in columns(plan, Kind.TIMESTAMP):
        choices.append(compared(Op.EQUAL, each, time))
        low = Call(
            Op.DATETIME_PLUS, (each, minutes(draw(st.sampled_from([-60, 0, 10])))), each.type
        )
        high = Call(Op.DATETIME_PLUS, (each, minutes(30)), each.type)
        between = (compared(Op.LESS_OR_EQUAL, low, time), compared(Op.LESS_OR_EQUAL, time, high))
        choices.append(Call(Op.AND, between, BOOLEAN))
        hours = (Round(False, e, TimeUnit.HOUR, e.type) for e in (each, time))
        choices.append(compared(Op.EQUAL, *hours))
    of_right = InputRef(width + 1, other.columns[1].type)
    choices += [compared(Op.EQUAL, each, of_right) for each in columns(plan, Kind.INTEGER)]
    if not choices:
        return None
    on = draw(st.sampled_from(choices))
    kinds = [JoinKind.INNER, JoinKind.INNER, JoinKind.LEFT, JoinKind.RIGHT]
    return Join(plan, right, draw(st.sampled_from(kinds)), on, draw(st.sampled_from(Side)))


def _window_join(draw: DrawFn, plan: Plan, other: Stream) -> Plan | None:
    place = rowtime_column(plan)
    if place is None or not can_be_rowtime(plan, place):
        return None
    right, width = Scan(other, Reads.STREAM), len(row_type(plan))
    half = 30 * MINUTE
    windows: list[SideWindow] = [
        TimeWindow(0, 0),
        TimeWindow(0, 0),
        TimeWindow(half, 0),
        TimeWindow(0, half),
        TimeWindow(half, half),
        RowsWindow(2),
    ]
    sides = draw(st.sampled_from(windows)), draw(st.sampled_from(windows))
    conditions: list[Expression] = [
        Literal(True, TRUTH),
        compared(Op.LESS_OR_EQUAL, InputRef(place, T), InputRef(width, T)),
    ]
    on = draw(st.sampled_from(conditions))
    return WindowJoin(plan, right, draw(st.sampled_from(_KINDS)), on, *sides, place, 0)


def _asof_join(draw: DrawFn, plan: Plan, other: Stream) -> Plan | None:
    """An ASOF join by the rowtimes; a row before, or before and at the same time."""
    place = rowtime_column(plan)
    if place is None or not can_be_rowtime(plan, place):
        return None
    width = len(row_type(plan))
    on: Expression = Literal(True, TRUTH)
    numbers = columns(plan, Kind.INTEGER)
    if numbers:
        on = compared(Op.EQUAL, draw(st.sampled_from(numbers)), InputRef(width + 1, INTEGER))
    op = draw(st.sampled_from([Op.GREATER, Op.GREATER_OR_EQUAL]))
    match = compared(op, InputRef(place, row_type(plan)[place].type), InputRef(width, T))
    kind = draw(st.sampled_from([JoinKind.INNER, JoinKind.LEFT]))
    return AsofJoin(plan, Scan(other, Reads.STREAM), kind, on, match)


def _sessions(draw: DrawFn, plan: Plan, _: Stream) -> Plan | None:
    """Sessions by a TIMESTAMP, of a number or of all rows; in half of the cases grouped."""
    times = columns(plan, Kind.TIMESTAMP)
    if not times:
        return None
    numbers = columns(plan, Kind.INTEGER)
    keyed: bool = draw(st.booleans())
    keys = (draw(st.sampled_from(numbers)),) if numbers and keyed else ()
    session = Session(plan, keys, draw(st.sampled_from(times)), minutes(30))
    alone: bool = draw(st.booleans())
    if alone:
        return session
    return _grouped(draw, session, (*keys, *columns(session)[-2:]))


_KINDS = [JoinKind.INNER, JoinKind.LEFT, JoinKind.RIGHT, JoinKind.FULL]

_NODES: list[Node] = [
    _filter,
    _project,
    _project,
    _chosen,
    _aggregate,
    _aggregate,
    _windows,
    _over,
    _over,
    _sort,
    _sort,
    _set_operation,
    _set_operation,
    _table_join,
    _stream_join,
    _window_join,
    _asof_join,
    _sessions,
]
