"""Needed history: the least rowtime that a query's conditions let through (S-308)."""

import pytest

from algebra.catalog import Column, History, Ordering, Stream, Table
from algebra.explain import explain
from algebra.expression import (
    AggregateCall,
    AggregateFunction,
    Call,
    Cast,
    Exists,
    Expression,
    InputRef,
    Literal,
    Op,
    OuterRef,
    Round,
    SortKey,
)
from algebra.history import needed_history
from algebra.plan import (
    Aggregate,
    Filter,
    Join,
    Plan,
    Project,
    Reads,
    Scan,
    SetOp,
    Sort,
    Values,
)
from algebra.types import BIGINT, BOOLEAN, DATE, INTEGER, TIMESTAMP, interval
from grammar.tree import JoinKind, SetOperator, TimeUnit

T = TIMESTAMP.as_nullable(False)
HOURS = interval(TimeUnit.HOUR)
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
    """What is needed of each scan, as explain prints expressions."""
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
        "+(1970-01-01 10:00:00, 1:INTERVAL DAY TO SECOND)",
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
        "+(1970-01-01 10:00:00, -3599999:INTERVAL DAY TO SECOND)",
    ),
    (
        "rt's date = 1970-01-02",
        call(Op.EQUAL, DATE_OF, Literal(1, DATE)),
        "CAST(1970-01-02):TIMESTAMP(3)",
    ),
    (
        "rt >= ten AND rt >= eleven",
        call(Op.AND, AFTER_TEN, AFTER_ELEVEN),
        (
            "CASE(>=(1970-01-01 10:00:00, 1970-01-01 11:00:00), 1970-01-01 10:00:00, "
            "1970-01-01 11:00:00)"
        ),
    ),
    (
        "rt >= ten OR rt >= eleven",
        call(Op.OR, AFTER_TEN, AFTER_ELEVEN),
        (
            "CASE(<=(1970-01-01 10:00:00, 1970-01-01 11:00:00), 1970-01-01 10:00:00, "
            "1970-01-01 11:00:00)"
        ),
    ),
    ("rt >= ten OR p = 1", call(Op.OR, AFTER_TEN, call(Op.EQUAL, P, P)), None),
    ("rt >= a column of outside", call(Op.GREATER_OR_EQUAL, RT, OuterRef(1, 0, T)), None),
    ("NOT rt < ten", call(Op.NOT, call(Op.LESS, RT, TEN)), None),
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
    (AggregateCall(AggregateFunction.COUNT, (), False, None, BIGINT),),
    ("R", "P", "C"),
)


def joined(kind: JoinKind, on: Expression) -> Join:
    return Join(ORDERS, ORDERS, kind, on)


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
    ("of a join's left side", joined(JoinKind.INNER, ON), [SINCE_TEN, None]),
    ("of a join's right side", joined(JoinKind.INNER, ON_RIGHT), [None, SINCE_TEN]),
    ("ON keeps a preserved side whole", joined(JoinKind.LEFT, ON), [None, None]),
    ("ON cuts a padded side", joined(JoinKind.LEFT, ON_RIGHT), [None, SINCE_TEN]),
    (
        "WHERE cuts a preserved side",
        Filter(joined(JoinKind.LEFT, EQUAL), AFTER_TEN),
        [SINCE_TEN, None],
    ),
    (
        "of all branches",
        Filter(SetOp((ORDERS, ORDERS), SetOperator.UNION, True), AFTER_TEN),
        [SINCE_TEN, SINCE_TEN],
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
