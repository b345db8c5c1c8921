"""Needed history: the least rowtime that the conditions of a query allow (S-308)."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from algebra.catalog import Column, History, Ordering, Stream, Table
from algebra.explain import explain
from algebra.expression import (
    AggregateCall,
    AggregateFunction,
    Call,
    Cast,
    Exists,
    Expression,
    Extract,
    InputRef,
    Literal,
    Op,
    OuterRef,
    Parameter,
    Round,
    SortKey,
    WindowCall,
    WindowFunction,
)
from algebra.metadata.history import needed_history
from algebra.plan import (
    Aggregate,
    Filter,
    Frame,
    FrameBound,
    GroupOffset,
    Hop,
    Join,
    Plan,
    Project,
    RangeOffset,
    Reads,
    RowOffset,
    Scan,
    SetOp,
    Sort,
    TimeWindow,
    Values,
    Window,
    WindowGroup,
    WindowJoin,
)
from algebra.types import BIGINT, BOOLEAN, DATE, INTEGER, TIMESTAMP, interval
from grammar.source import SqlError
from grammar.tree import JoinKind, SetOperator, TimeUnit
from reference.evaluate import World, evaluate
from reference.relation import Row
from reference.scalar.expression import value_of
from reference.values import integer
from tests.examples import examples
from tests.reference.building import ENV
from tests.strategies_histories import NOW as NOW_MILLIS
from tests.strategies_histories import plans, rows

T = TIMESTAMP.as_nullable(False)
HOURS = interval(TimeUnit.HOUR)
MONTHS = interval(TimeUnit.MONTH)
HOUR = 3_600_000
COLUMNS = (Column("ROWTIME", T, Ordering()), Column("P", INTEGER))
ORDERS = Scan(Stream(("ORDERS",), COLUMNS, history=History(24 * HOUR)), Reads.HISTORY)
TABLE = Scan(Table(("T",), COLUMNS), Reads.TABLE)
RT, P = InputRef(0, T), InputRef(1, INTEGER)
NOW = Call(Op.CURRENT_TIMESTAMP, (), T)
TEN = Literal(36_000_000, TIMESTAMP)  # 1970-01-01 10:00:00
ELEVEN = Literal(39_600_000, TIMESTAMP)
EQUAL = Call(Op.EQUAL, (RT, InputRef(2, T)), BOOLEAN)


def call(op: Op, *operands: Expression) -> Call:
    return Call(op, operands, BOOLEAN)


def hours(count: int) -> Literal:
    return Literal(count * HOUR, HOURS)


def later(time: Expression, shift: Expression) -> Call:
    return Call(Op.DATETIME_PLUS, (time, shift), T)


def needs(plan: Plan) -> list[str | None]:
    """What each scan needs, with expressions as explain prints them."""
    return [None if each.since is None else shown(each.since) for each in needed_history(plan)]


def shown(expression: Expression) -> str:
    one = Project(Values(((),), ()), (expression,), ("X",))
    return explain(one).split("\n")[0].removeprefix("LogicalProject(X=[").removesuffix("])")


AN_HOUR_AGO = Call(Op.DATETIME_PLUS, (NOW, Call(Op.NEGATE, (hours(1),), HOURS)), T)
DATE_OF = Cast(RT, DATE)
AFTER_TEN = call(Op.GREATER_OR_EQUAL, RT, TEN)
AFTER_ELEVEN = call(Op.GREATER_OR_EQUAL, RT, ELEVEN)

CONDITIONS: list[tuple[str, Expression, str | None]] = [
    ("rt >= ten", AFTER_TEN, "1970-01-01 10:00:00"),
    ("ten <= rt", call(Op.LESS_OR_EQUAL, TEN, RT), "1970-01-01 10:00:00"),
    ("rt = ten", call(Op.EQUAL, RT, TEN), "1970-01-01 10:00:00"),
    (
        "rt > ten",
        call(Op.GREATER, RT, TEN),
        "1970-01-01 10:00:00.001",
    ),
    ("rt <= ten", call(Op.LESS_OR_EQUAL, RT, TEN), None),
    ("p = 10", call(Op.EQUAL, P, Literal(10, INTEGER)), None),
    (
        "the last hour",
        call(Op.AND, call(Op.GREATER_OR_EQUAL, RT, AN_HOUR_AGO), call(Op.LESS_OR_EQUAL, RT, NOW)),
        "+(CURRENT_TIMESTAMP, -(3600000:INTERVAL HOUR))",
    ),
    (
        "rt + 1h >= now",
        call(Op.GREATER_OR_EQUAL, later(RT, hours(1)), NOW),
        "+(CURRENT_TIMESTAMP, -3600000:INTERVAL DAY TO SECOND)",
    ),
    (
        "(now - rt) HOUR < 1",
        call(Op.LESS, Call(Op.DATETIME_MINUS, (NOW, RT), HOURS), hours(1)),
        "+(CURRENT_TIMESTAMP, -3599999:INTERVAL DAY TO SECOND)",
    ),
    (
        "1 >= (now - rt) HOUR",
        call(Op.GREATER_OR_EQUAL, hours(1), Call(Op.DATETIME_MINUS, (NOW, RT), HOURS)),
        "+(CURRENT_TIMESTAMP, -7199999:INTERVAL DAY TO SECOND)",
    ),
    (
        "FLOOR(rt) >= ten",
        call(Op.GREATER_OR_EQUAL, Round(False, RT, TimeUnit.HOUR, T), TEN),
        "1970-01-01 10:00:00",
    ),
    (
        "CEIL(rt) >= ten",
        call(Op.GREATER_OR_EQUAL, Round(True, RT, TimeUnit.HOUR, T), TEN),
        "1970-01-01 09:00:00.001",
    ),
    (
        "rt's date = 1970-01-02",
        call(Op.EQUAL, DATE_OF, Literal(1, DATE)),
        "1970-01-02 00:00:00",
    ),
    (
        "rt >= ten AND rt >= eleven",
        call(Op.AND, AFTER_TEN, AFTER_ELEVEN),
        "1970-01-01 11:00:00",
    ),
    (
        "rt >= ten OR rt >= eleven",
        call(Op.OR, AFTER_TEN, AFTER_ELEVEN),
        "1970-01-01 10:00:00",
    ),
    ("rt >= ten OR p = 1", call(Op.OR, AFTER_TEN, call(Op.EQUAL, P, P)), None),
    ("rt >= a column of outside", call(Op.GREATER_OR_EQUAL, RT, OuterRef(1, 0, T)), None),
    ("NOT rt < ten", call(Op.NOT, call(Op.LESS, RT, TEN)), "1970-01-01 10:00:00"),
    (
        "rt >= ten and rt >= now",
        call(Op.AND, AFTER_TEN, call(Op.GREATER_OR_EQUAL, RT, NOW)),
        (
            "CASE(>=(1970-01-01 10:00:00, CURRENT_TIMESTAMP), 1970-01-01 10:00:00, "
            "CURRENT_TIMESTAMP)"
        ),
    ),
    (
        "rt > a parameter",
        call(Op.GREATER, RT, Parameter(0, T)),
        "+(?0, 1:INTERVAL DAY TO SECOND)",
    ),
    (
        "rt >= now - a parameter",
        call(Op.GREATER_OR_EQUAL, RT, later(NOW, Call(Op.NEGATE, (Parameter(0, HOURS),), HOURS))),
        "+(CURRENT_TIMESTAMP, -(?0))",
    ),
    (
        "the date >= a parameter",
        call(Op.GREATER_OR_EQUAL, DATE_OF, Parameter(0, DATE)),
        "CAST(?0):TIMESTAMP(3)",
    ),
    (
        "the year is 2015",
        call(Op.EQUAL, Extract(TimeUnit.YEAR, RT), Literal(2015, BIGINT)),
        "2015-01-01 00:00:00",
    ),
    (
        "the date is today's",
        call(Op.EQUAL, DATE_OF, Call(Op.CURRENT_TIMESTAMP, (), DATE)),
        "CAST(CURRENT_DATE):TIMESTAMP(3)",
    ),
    ("never", Literal(False, BOOLEAN), "null:TIMESTAMP(3)"),
]


@pytest.mark.parametrize(
    ("condition", "since"), [each[1:] for each in CONDITIONS], ids=[each[0] for each in CONDITIONS]
)
def test_a_condition_on_the_rowtime_says_what_is_needed(
    condition: Expression, since: str | None
) -> None:
    assert needs(Filter(ORDERS, condition)) == [since]


ON = call(Op.AND, EQUAL, AFTER_TEN)
ON_RIGHT = call(Op.GREATER_OR_EQUAL, InputRef(2, T), TEN)
KEYS = Aggregate(
    ORDERS,
    (RT, P),
    ((0, 1),),
    (AggregateCall(AggregateFunction.COUNT, (), BIGINT),),
    ("R", "P", "C"),
)


def joined(kind: JoinKind, on: Expression) -> Join:
    return Join(ORDERS, ORDERS, kind, on)


def in_time(kind: JoinKind) -> Filter:
    """Left rows of the past hour joined with right rows of equal time, from ten o'clock on."""
    windows = (TimeWindow(HOUR, 0), TimeWindow(0, 0))
    paired = WindowJoin(
        ORDERS, ORDERS, kind, call(Op.EQUAL, P, InputRef(3, INTEGER)), *windows, 0, 0
    )
    return Filter(paired, call(Op.GREATER_OR_EQUAL, InputRef(4, T), TEN))


def framed(start: FrameBound, *functions: AggregateFunction | WindowFunction) -> Window:
    calls = tuple(
        WindowCall(each, (P,), BIGINT) for each in functions or (AggregateFunction.COUNT,)
    )
    frame = Frame(start, RangeOffset(hours(0), preceding=True))
    group = WindowGroup((P,), (SortKey(RT, False, False),), frame, calls)
    return Window(ORDERS, (group,), ("C", "D")[: len(calls)])


SINCE_TEN = "1970-01-01 10:00:00"
PLANS: list[tuple[str, Plan, list[str | None]]] = [
    ("all of it", ORDERS, [None]),
    ("a table needs none", Filter(TABLE, AFTER_TEN), []),
    (
        "through a projection",
        Filter(
            Project(ORDERS, (P, RT), ("P", "R")), call(Op.GREATER_OR_EQUAL, InputRef(1, T), TEN)
        ),
        [SINCE_TEN],
    ),
    ("through its group keys", Filter(KEYS, AFTER_TEN), [SINCE_TEN]),
    (
        "not through keys left out",
        Filter(
            Aggregate(ORDERS, (RT, P), ((0, 1), (1,)), (), ("R", "P")),
            AFTER_TEN,
        ),
        [None],
    ),
    ("of a join's left side", joined(JoinKind.INNER, AFTER_TEN), [SINCE_TEN, None]),
    ("of a join's right side", joined(JoinKind.INNER, ON_RIGHT), [None, SINCE_TEN]),
    ("of both sides, if they are equal", joined(JoinKind.INNER, ON), [SINCE_TEN, SINCE_TEN]),
    ("ON keeps a preserved side whole", joined(JoinKind.LEFT, ON), [None, SINCE_TEN]),
    ("ON cuts a padded side", joined(JoinKind.LEFT, ON_RIGHT), [None, SINCE_TEN]),
    (
        "a filter of one side cuts the other, if they are equal",
        Join(Filter(ORDERS, AFTER_TEN), ORDERS, JoinKind.INNER, EQUAL),
        [SINCE_TEN, SINCE_TEN],
    ),
    (
        "a filter of the padded side cuts no preserved one",
        Join(ORDERS, Filter(ORDERS, AFTER_TEN), JoinKind.LEFT, EQUAL),
        [None, SINCE_TEN],
    ),
    (
        "WHERE cuts the side of a FULL join that it asks for",
        Filter(joined(JoinKind.FULL, EQUAL), AFTER_TEN),
        [SINCE_TEN, None],
    ),
    (
        "WHERE on the padded side may be true of a padded row",
        Filter(joined(JoinKind.LEFT, EQUAL), call(Op.IS_NULL, InputRef(2, TIMESTAMP))),
        [None, None],
    ),
    (
        "WHERE cuts a preserved side",
        Filter(joined(JoinKind.LEFT, EQUAL), AFTER_TEN),
        [SINCE_TEN, SINCE_TEN],
    ),
    (
        "in a window of time a pair is of either's window",
        in_time(JoinKind.INNER),
        ["1970-01-01 09:00:00", SINCE_TEN],
    ),
    (
        "a row that stands alone does so an hour later, and not if any of that hour is its partner",
        in_time(JoinKind.LEFT),
        ["1970-01-01 09:00:00", "1970-01-01 09:00:00"],
    ),
    (
        "one whose window is its own time alone stands there",
        in_time(JoinKind.RIGHT),
        ["1970-01-01 09:00:00", SINCE_TEN],
    ),
    (
        "either may stand alone, or keep the other from it",
        in_time(JoinKind.FULL),
        ["1970-01-01 09:00:00", "1970-01-01 09:00:00"],
    ),
    (
        "of all branches",
        Filter(SetOp((ORDERS, ORDERS), SetOperator.UNION, True), AFTER_TEN),
        [SINCE_TEN, SINCE_TEN],
    ),
    (
        "as far as frames reach back",
        Filter(framed(RangeOffset(hours(1), preceding=True)), AFTER_TEN),
        ["1970-01-01 09:00:00"],
    ),
    (
        "as far as the longest months reach back",
        Filter(framed(RangeOffset(Literal(2, MONTHS), preceding=True)), AFTER_TEN),
        ["1969-10-31 10:00:00"],  # two months of 31 days
    ),
    (
        "as far as the longest of several frames reaches back",
        Filter(
            Window(
                ORDERS,
                (
                    *framed(RangeOffset(hours(1), preceding=True)).groups,
                    *framed(RangeOffset(hours(3), preceding=True)).groups,
                    *framed(RangeOffset(hours(2), preceding=True)).groups,
                ),
                ("C", "D", "E"),
            ),
            AFTER_TEN,
        ),
        ["1970-01-01 07:00:00"],
    ),
    (
        "from the row itself",
        Filter(framed(RowOffset(0)), AFTER_TEN),
        [SINCE_TEN],
    ),
    (
        "from the row itself, if frames start behind it",
        Filter(framed(RangeOffset(hours(1), preceding=False)), AFTER_TEN),
        [SINCE_TEN],
    ),
    ("the same, counted", Filter(framed(RowOffset(1)), AFTER_TEN), [SINCE_TEN]),
    ("the same, in groups of peers", Filter(framed(GroupOffset(1)), AFTER_TEN), [SINCE_TEN]),
    ("all, if frames count rows", Filter(framed(RowOffset(-2)), AFTER_TEN), [None]),
    (
        "an hour before the end of its window",
        Filter(
            Hop(ORDERS, RT, hours(1), hours(1), 0), call(Op.GREATER_OR_EQUAL, InputRef(3, T), TEN)
        ),
        ["1970-01-01 09:00:00"],
    ),
    (
        "of two windows each has its own end",
        Filter(
            Hop(Hop(ORDERS, RT, hours(5), hours(5), 0), RT, hours(1), hours(1), 0),
            call(Op.GREATER_OR_EQUAL, InputRef(3, T), TEN),
        ),
        ["1970-01-01 05:00:00"],
    ),
    (
        "not past a limit",
        Filter(Sort(ORDERS, (SortKey(RT, False, False),), limit=Literal(3, INTEGER)), AFTER_TEN),
        [None],
    ),
    (
        "inside a sub-query",
        Filter(TABLE, Exists(Filter(ORDERS, AFTER_TEN))),
        [SINCE_TEN],
    ),
]


@pytest.mark.parametrize(
    ("plan", "expected"), [each[1:] for each in PLANS], ids=[each[0] for each in PLANS]
)
def test_each_node_passes_on_what_its_input_owes(plan: Plan, expected: list[str | None]) -> None:
    assert needs(plan) == expected


def test_a_stream_that_flows_needs_no_history() -> None:
    flowing = Scan(ORDERS.source, Reads.STREAM)
    assert needed_history(flowing) == ()


# --- soundness ----------------------------------------------------------------------------------

#: A wrong deduction shows in one example of thousands.
MANY = examples(100, 100_000)


@given(plans(), st.integers(0, 2**32))
@MANY
def test_a_history_cut_at_what_is_needed_gives_the_same_rows(plan: Plan, seed: int) -> None:
    """S-308: rows before it do not matter."""
    random = Random(seed)
    needed = needed_history(plan)
    whole = {each.scan.source.name: rows(random) for each in needed}
    cut = {
        each.scan.source.name: _retained(whole[each.scan.source.name], each.since)
        for each in needed
    }
    expected = _result(plan, World(histories=whole, now=NOW_MILLIS))
    assume(expected is not None)
    assert _result(plan, World(histories=cut, now=NOW_MILLIS)) == expected


def _retained(history: list[Row], since: Expression | None) -> list[Row]:
    if since is None:
        return history
    least = value_of(since, (), replace(ENV, clock=lambda: NOW_MILLIS))
    return [row for row in history if least is not None and integer(row[0]) >= integer(least)]


def _result(plan: Plan, world: World) -> Counter[Row] | None:
    """The rows; None if a value is out of range."""
    try:
        return Counter(evaluate(plan, world))
    except SqlError:
        return None
