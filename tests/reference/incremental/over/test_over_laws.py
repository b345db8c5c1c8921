"""OVER on streams keeps the laws: S-303, S-304, S-306, causality, the cutting of trains."""

from dataclasses import dataclass, replace
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from algebra.catalog import Column, Ordering, Stream
from algebra.expression import (
    AggregateFunction,
    Expression,
    Literal,
    Op,
    SortKey,
    Value,
    WindowCall,
    WindowFunction,
)
from algebra.plan import (
    Delta,
    Exclude,
    Frame,
    FrameBound,
    GroupOffset,
    RangeOffset,
    RowOffset,
    Unbounded,
    Window,
    WindowGroup,
)
from algebra.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    TIMESTAMP,
    VARCHAR,
    Type,
    decimal,
    interval,
)
from grammar.tree import TimeUnit
from tests.reference.building import ROWTIME, call, literal, ref, scan, ts
from tests.reference.incremental.histories import (
    Ended,
    Event,
    Play,
    Rows,
    Told,
    cut_anew,
    histories,
    played,
    same,
)

MINUTE = 60_000
DAY = 86_400_000
AMOUNT = decimal(5, 2)
#: What keys of each type can be apart.
DISTANCES: dict[Type, tuple[Literal, ...]] = {
    TIMESTAMP: (
        literal(MINUTE, interval(TimeUnit.MINUTE)),
        literal(3 * MINUTE, interval(TimeUnit.MINUTE)),
    ),
    INTEGER: (literal(1, INTEGER), literal(3, INTEGER), literal(Decimal("1.5"), decimal(2, 1))),
    DATE: (literal(DAY, interval(TimeUnit.DAY)), literal(2, interval(TimeUnit.MONTH))),
    AMOUNT: (literal(Decimal("0.02"), AMOUNT), literal(1, INTEGER)),
    DOUBLE: (literal(0.25, DOUBLE), literal(1, INTEGER)),
}
ENDS_OF_MONTHS = [
    ts(f"2015-{day} 00:00:00") for day in ("01-30", "01-31", "02-28", "03-01", "03-28", "03-30")
]
MONTHS = (literal(1, interval(TimeUnit.MONTH)), literal(13, interval(TimeUnit.MONTH)))
#: The orders that a rowtime may be declared to have, and another column.
ROWTIMES = (
    Ordering(),
    Ordering(strict=True),
    Ordering(slack=2 * MINUTE),
    Ordering(rows=2),
    Ordering(punctuated=True),
)
OTHERS = (
    None,
    Ordering(),
    Ordering(strict=True),
    Ordering(descending=True),
    Ordering(descending=True, strict=True),
)


@dataclass(frozen=True)
class Sample:
    """A query over a stream whose history is ``events``."""

    stream: Stream
    window: Window
    events: list[Event]

    @property
    def query(self) -> Delta:
        """The streaming query."""
        return Delta(self.window)


def aggregate(
    function: AggregateFunction, type: Type, *arguments: Expression, distinct: bool = False
) -> WindowCall:
    """A call without a filter."""
    return WindowCall(function, arguments, type, distinct=distinct)


def placed(function: WindowFunction, type: Type, *arguments: Expression) -> WindowCall:
    """A function of places or values, NULLs respected."""
    return WindowCall(function, arguments, type)


#: The columns of a stream: ROWTIME, K of one order and type, P, X, D, B, T.
P, X, D, B, T = ref(2), ref(3), ref(4, DOUBLE), ref(5, BOOLEAN), ref(6, VARCHAR)
A, W = AggregateFunction, WindowFunction
CALLS = (
    aggregate(A.COUNT, BIGINT),
    aggregate(A.COUNT, BIGINT, X),
    aggregate(A.SUM, BIGINT, X),
    aggregate(A.SUM, DOUBLE, D),
    aggregate(A.AVG, DOUBLE, X),
    aggregate(A.AVG, DOUBLE, D),
    aggregate(A.MIN, INTEGER, X),
    aggregate(A.MAX, DOUBLE, D),
    aggregate(A.ANY_VALUE, INTEGER, X),
    aggregate(A.EVERY, BOOLEAN, B),
    aggregate(A.SOME, BOOLEAN, B),
    aggregate(A.VAR_POP, DOUBLE, X),
    aggregate(A.STDDEV_SAMP, DOUBLE, D),
    aggregate(A.COVAR_SAMP, DOUBLE, X, D),
    aggregate(A.CORR, DOUBLE, X, P),
    aggregate(A.MEDIAN, DOUBLE, X),
    aggregate(A.MEDIAN, DOUBLE, D),
    aggregate(A.LISTAGG, VARCHAR, T, literal("-")),
    aggregate(A.COUNT, BIGINT, X, distinct=True),
    aggregate(A.SUM, BIGINT, X, distinct=True),
    aggregate(A.MIN, INTEGER, X, distinct=True),
    aggregate(A.MEDIAN, DOUBLE, X, distinct=True),
    aggregate(A.LISTAGG, VARCHAR, T, literal("-"), distinct=True),
    placed(W.FIRST_VALUE, INTEGER, X),
    placed(W.LAST_VALUE, INTEGER, X),
    placed(W.NTH_VALUE, INTEGER, X, literal(2)),
    placed(W.NTH_VALUE, INTEGER, X, call(Op.PLUS, INTEGER, ref(3), literal(1))),
)
#: The functions of places, each with the frame that the binder gives it.
SO_FAR = Frame(Unbounded(), RowOffset(0))
WHOLE = Frame(Unbounded(), Unbounded())
PLACED = (
    (placed(W.ROW_NUMBER, BIGINT), SO_FAR),
    (placed(W.RANK, BIGINT), SO_FAR),
    (placed(W.DENSE_RANK, BIGINT), SO_FAR),
    (placed(W.PERCENT_RANK, DOUBLE), WHOLE),
    (placed(W.CUME_DIST, DOUBLE), WHOLE),
    (placed(W.NTILE, INTEGER, literal(2)), WHOLE),
    (placed(W.LAG, INTEGER, X), Frame(RowOffset(-1), RowOffset(0))),
    (placed(W.LAG, INTEGER, X, literal(2), literal(9)), Frame(RowOffset(-2), RowOffset(0))),
    (placed(W.LEAD, INTEGER, X, literal(0)), Frame(RowOffset(0), RowOffset(0))),
    (placed(W.LEAD, INTEGER, X, literal(2), P), Frame(RowOffset(0), RowOffset(2))),
    (placed(W.LAG, INTEGER, T, P), SO_FAR),
    (placed(W.LEAD, INTEGER, T, P), WHOLE),
    (replace(placed(W.LAG, INTEGER, X, literal(2)), ignore_nulls=True), SO_FAR),
    (replace(placed(W.LAG, INTEGER, X, P), ignore_nulls=True), SO_FAR),
    (replace(placed(W.LEAD, INTEGER, X, literal(2)), ignore_nulls=True), WHOLE),
)


@st.composite
def streams(draw: st.DrawFn) -> Stream:
    """A stream of ROWTIME and K in some order, and of columns in none."""
    type = draw(st.sampled_from([INTEGER, DATE, AMOUNT, DOUBLE, VARCHAR]))
    return Stream(
        ("S",),
        (
            Column("ROWTIME", ROWTIME, draw(st.sampled_from(ROWTIMES))),
            Column("K", type, draw(st.sampled_from(OTHERS[1:] if type is DATE else OTHERS))),
            Column("P", INTEGER),
            Column("X", INTEGER),
            Column("D", DOUBLE),
            Column("B", BOOLEAN),
            Column("T", VARCHAR),
        ),
        (),
        None,
    )


def sort_key(stream: Stream, place: int, against: bool = False) -> SortKey:
    """The key of a column in its own direction, or the other."""
    column = stream.columns[place]
    descending = column.ordering is not None and column.ordering.descending
    descending ^= against
    return SortKey(ref(place, column.type), descending, nulls_first=descending)


FIVE_MINUTES = call(
    Op.STEP, TIMESTAMP, ref(0, TIMESTAMP), literal(5 * MINUTE, interval(TimeUnit.MINUTE))
)


@st.composite
def window_groups(draw: st.DrawFn, stream: Stream) -> WindowGroup:
    """A group of calls in a window of any kind; some wait for the end of all rows."""
    keys = [sort_key(stream, 0)] * 3
    keys += [sort_key(stream, 1, against=draw(st.sampled_from([False, False, True])))]
    order: tuple[SortKey, ...] = (draw(st.sampled_from(keys)),)
    if draw(st.integers(0, 3)) == 0:
        order += (draw(st.sampled_from([sort_key(stream, 2), sort_key(stream, 3)])),)
    if draw(st.integers(0, 9)) == 0:
        order = draw(st.sampled_from([(), (sort_key(stream, 3),)]))
    k = ref(1, stream.columns[1].type)
    partitions: list[tuple[Expression, ...]] = [(), (P,), (FIVE_MINUTES,), (FIVE_MINUTES, P), (k,)]
    partition = draw(st.sampled_from(partitions))
    if draw(st.integers(0, 2)) == 0:
        one, frame = draw(st.sampled_from(PLACED))
        if order:
            return WindowGroup(partition, order, frame, (one,))
    calls = tuple(draw(st.lists(st.sampled_from(CALLS), min_size=1, max_size=3, unique=True)))
    if draw(st.booleans()):
        calls = tuple(
            replace(each, filter=call(Op.IS_TRUE, BOOLEAN, B))
            if isinstance(each.function, AggregateFunction)
            else replace(each, ignore_nulls=True)
            for each in calls
        )
    exclude = draw(st.sampled_from([Exclude.NO_OTHERS, Exclude.NO_OTHERS, *Exclude]))
    frame = Frame(draw(bounds(order, ends=False)), draw(bounds(order, ends=True)), exclude)
    if order and draw(st.integers(0, 5)) == 0:  # groups that the row's own may still grow behind
        frame = Frame(GroupOffset(-1), RowOffset(0), exclude)
    return WindowGroup(partition, order, frame, calls)


@st.composite
def bounds(draw: st.DrawFn, order: tuple[SortKey, ...], ends: bool) -> FrameBound:
    """An end of a frame that ``order`` can have."""
    found: list[FrameBound] = [RowOffset(n) for n in (-2, -1, 0, 1, 2)]
    found += [RangeOffset(literal(0), preceding=True)] * 2
    found += [] if ends else [Unbounded()] * 4
    if order:
        found += [GroupOffset(n) for n in (-2, -1, 0, 1, 2)]
    if len(order) == 1:
        type = order[0].expression.type.as_nullable()
        distances = DISTANCES.get(type, ())
        distances += MONTHS if type == TIMESTAMP else ()
        found += [RangeOffset(d, preceding) for d in distances for preceding in (True, False)] * 2
    if draw(st.integers(0, 5)) == 0:
        return Unbounded()
    return draw(st.sampled_from(found))


@st.composite
def samples(draw: st.DrawFn) -> Sample:
    """A window of one to three groups over a stream with a history."""
    stream = draw(streams())
    groups = draw(st.lists(window_groups(stream), min_size=1, max_size=3))
    names = tuple(f"W{i}" for i in range(sum(len(each.calls) for each in groups)))
    # Minutes; or steps of 10 hours and more, so that months come and go.
    tick = draw(st.sampled_from([MINUTE, MINUTE, 10 * 60 * MINUTE, 7 * DAY]))
    events = draw(histories([stream], tick, max_rows=14))
    return Sample(stream, Window(scan(stream), tuple(groups), names), events)


@st.composite
def monthly(draw: st.DrawFn) -> Sample:
    """A window of months over days at whose end they clamp, with rows at several times of a day."""
    stream = draw(streams())
    stream = replace(
        stream, columns=(*stream.columns[:1], Column("K", INTEGER), *stream.columns[2:])
    )
    before, after = (RangeOffset(MONTHS[0], preceding) for preceding in (True, False))
    peers = RangeOffset(literal(0), preceding=True)
    starts: list[tuple[FrameBound, FrameBound]]
    starts = [(before, peers), (before, after), (before, RowOffset(0)), (after, after)]
    ends: list[tuple[FrameBound, FrameBound]]
    ends = [(Unbounded(), before), (Unbounded(), after), (RowOffset(0), after), (peers, after)]
    start, end = draw(st.sampled_from([*starts, *ends]))
    frame = Frame(start, end, draw(st.sampled_from([Exclude.NO_OTHERS, *Exclude])))
    calls = tuple(draw(st.lists(st.sampled_from(CALLS), min_size=1, max_size=3, unique=True)))
    group = WindowGroup((), (sort_key(stream, 0),), frame, calls)
    names = tuple(f"W{i}" for i in range(len(calls)))
    days = draw(st.lists(st.sampled_from(ENDS_OF_MONTHS), max_size=16))
    hours = [draw(st.integers(0, 5)) * 4 * 60 * MINUTE for _ in days]
    events: list[Event] = []
    for rowtime in sorted(day + hour for day, hour in zip(days, hours, strict=True)):
        x = draw(st.integers(0, 3))
        events.append(Rows("S", ((rowtime, 0, x, x, x / 4, x > 1, str(x)),)))
        if draw(st.booleans()):
            events.append(Told("S", rowtime + draw(st.integers(0, 2)) * 2 * 60 * MINUTE))
    events.append(Ended())
    return Sample(stream, Window(scan(stream), (group,), names), events)


def rowtimes(rows: list[tuple[Value, ...]]) -> list[Value]:
    """The rowtimes of rows."""
    return [row[0] for row in rows]


@given(samples() | monthly())
def test_the_rows_are_those_of_the_relational_query_in_rowtime_order(sample: Sample) -> None:
    """S-303."""
    play = Play(sample.query, [sample.stream])
    rows = [row for each in sample.events for row in play.step(each)]
    assert same(rows, play.relational())
    ascending = sample.stream.columns[0].ordering == Ordering()
    if ascending:
        assert rowtimes(rows) == sorted(row[0] for row in rows if isinstance(row[0], int))


@given(samples())
def test_no_row_comes_below_a_bound_that_was_given(sample: Sample) -> None:
    """S-306."""
    play = Play(sample.query, [sample.stream])
    clock = float("-inf")
    for event in sample.events:
        for row in play.step(event):
            assert isinstance(row[0], int)
            assert row[0] >= clock
        assert play.flow.bound >= clock
        clock = play.flow.bound


@given(samples(), st.data())
def test_valid_bounds_change_nothing_but_the_time(sample: Sample, data: st.DataObject) -> None:
    """S-304: with more bounds that say what rows say, or with none, the rows are the same."""
    before = [row for each in played(sample.query, [sample.stream], sample.events) for row in each]
    plain = [each for each in sample.events if not isinstance(each, Told)]
    retained = Play(sample.query, [sample.stream])
    for event in sample.events:
        retained.step(event)
    accepted = [Rows("S", (row,)) for row in retained.contents["S",]]
    more: list[Event] = []
    for place, event in enumerate(accepted):
        later = [row[0] for each in accepted[place:] for row in each.rows]
        least = min(value for value in later if isinstance(value, int))
        if data.draw(st.booleans()):
            more.append(Told("S", least - data.draw(st.integers(0, 2 * MINUTE))))
        more.append(event)
    assert plain[-1] == Ended()
    after = [
        row for each in played(sample.query, [sample.stream], [*more, Ended()]) for row in each
    ]
    assert same(after, before)


@given(samples(), st.integers(0, 14))
def test_what_came_out_does_not_depend_on_what_comes_later(sample: Sample, cut: int) -> None:
    """Causality: the output of a prefix is a prefix of the output."""
    whole = played(sample.query, [sample.stream], sample.events)
    short = played(sample.query, [sample.stream], sample.events[:cut])
    assert repr(short) == repr(whole[:cut])


@given(samples(), st.data())
def test_where_trains_are_cut_cannot_be_seen(sample: Sample, data: st.DataObject) -> None:
    """S-104: the same rows in the same order, up to ties."""
    cut = data.draw(cut_anew(sample.events))
    one = [row for each in played(sample.query, [sample.stream], sample.events) for row in each]
    other = [row for each in played(sample.query, [sample.stream], cut) for row in each]
    assert same(one, other)
    assert rowtimes(one) == rowtimes(other)


@given(samples())
def test_nothing_is_kept_at_the_end(sample: Sample) -> None:
    play = Play(sample.query, [sample.stream])
    for event in sample.events:
        play.step(event)
    (retained,) = play.flow.network.states().values()
    assert (retained.rows, retained.groups, retained.bytes) == (0, 0, 0)
    assert play.flow.bound == float("inf")
