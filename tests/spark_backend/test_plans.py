"""What plans may hold beyond the queries of the other files, by hand from S-203 and S-505."""

from collections.abc import Sequence

import pytest

from algebra.expression import (
    AggregateCall,
    AggregateFunction,
    Call,
    Expression,
    InputRef,
    Literal,
    Op,
    SortKey,
    Value,
    WindowCall,
)
from algebra.plan import (
    Aggregate,
    Exclude,
    Frame,
    GroupOffset,
    Plan,
    Project,
    RowOffset,
    Unbounded,
    Values,
    Window,
    WindowGroup,
)
from algebra.types import (
    BIGINT,
    DATE,
    DOUBLE,
    INTEGER,
    VARCHAR,
    Field,
    Type,
)
from spark_backend.data.contents import Contents
from tests.spark_backend.conftest import Spark

pytestmark = pytest.mark.spark


def rows(spark: Spark, plan: Plan) -> list[tuple[Value, ...]]:
    return list(Contents(spark.session, 0).rows(plan))


def table(types: Sequence[Type], *values: tuple[Value, ...]) -> Values:
    fields = tuple(Field(f"C{i}", each) for i, each in enumerate(types))
    written = tuple(tuple(Literal(v, t) for v, t in zip(row, types, strict=True)) for row in values)
    return Values(written, fields)


#: A sort key with ties, a value, a text.
T = table(
    (INTEGER, INTEGER, VARCHAR),
    (1, 10, "b"),
    (2, 20, "a"),
    (2, 30, None),
    (5, 40, "b"),
    (6, None, "c"),
)
K, V, S = (InputRef(i, each.type) for i, each in enumerate(T.fields))
ASCENDING = SortKey(K, descending=False, nulls_first=False)


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        (Frame(GroupOffset(-1), GroupOffset(0)), [10, 60, 60, 90, 40]),
        (Frame(GroupOffset(1), GroupOffset(2)), [90, 40, 40, None, None]),
        (Frame(Unbounded(), GroupOffset(0), Exclude.CURRENT_ROW), [None, 40, 30, 60, 100]),
        (Frame(Unbounded(), GroupOffset(0), Exclude.GROUP), [None, 10, 10, 60, 100]),
        (Frame(Unbounded(), GroupOffset(0), Exclude.TIES), [10, 30, 40, 100, 100]),
        (Frame(RowOffset(-1), RowOffset(1), Exclude.CURRENT_ROW), [20, 40, 60, 30, 40]),
    ],
)
def test_frames_of_groups_and_without_some_rows(
    spark: Spark, frame: Frame, expected: list[int | None]
) -> None:
    call = WindowCall(AggregateFunction.SUM, (V,), BIGINT)
    plan = Window(T, (WindowGroup((), (ASCENDING,), frame, (call,)),), ("S",))
    assert [row[3] for row in rows(spark, plan)] == expected


def aggregate(
    function: AggregateFunction,
    arguments: tuple[Expression, ...],
    type: Type,
    order: tuple[SortKey, ...] = (),
    distinct: bool = False,
) -> AggregateCall:
    return AggregateCall(function, arguments, type, distinct=distinct, order=order)


def test_aggregates_of_pairs_and_orders(spark: Spark) -> None:
    comma = Literal(", ", VARCHAR)
    down = SortKey(K, descending=True, nulls_first=True)
    fraction = Literal(0.25, DOUBLE)
    calls = (
        # the pairs (1, 10), (2, 20), (2, 30), (5, 40)
        aggregate(AggregateFunction.COVAR_POP, (K, V), DOUBLE),
        aggregate(AggregateFunction.COVAR_SAMP, (K, V), DOUBLE),
        aggregate(AggregateFunction.CORR, (V, V), DOUBLE),
        aggregate(AggregateFunction.LISTAGG, (S, comma), VARCHAR),
        aggregate(AggregateFunction.LISTAGG, (S, comma), VARCHAR, (down,)),
        aggregate(AggregateFunction.LISTAGG, (S, comma), VARCHAR, (down,), distinct=True),
        aggregate(
            AggregateFunction.PERCENTILE_CONT, (fraction,), DOUBLE, (SortKey(V, False, False),)
        ),
        aggregate(
            AggregateFunction.PERCENTILE_CONT, (fraction,), DOUBLE, (SortKey(V, True, False),)
        ),
        aggregate(
            AggregateFunction.PERCENTILE_DISC, (fraction,), INTEGER, (SortKey(V, False, False),)
        ),
        aggregate(
            AggregateFunction.PERCENTILE_DISC, (fraction,), INTEGER, (SortKey(V, True, False),)
        ),
    )
    names = tuple(f"C{i}" for i in range(len(calls)))
    ((*pairs, correlation, by_arrival, downward, distinct, low, high, first, last),) = rows(
        spark, Aggregate(T, (), ((),), calls, names)
    )
    # means 2.5 and 25; products of the deviations: 22.5 + 2.5 - 2.5 + 37.5 = 60
    assert pairs == pytest.approx([15.0, 20.0])
    assert correlation == pytest.approx(1.0)
    assert (by_arrival, downward, distinct) == ("b, a, b, c", "c, b, a, b", "c, b, a")
    assert (low, high, first, last) == (17.5, 32.5, 10, 40)


def test_aggregates_of_pairs_and_orders_over_nothing(spark: Spark) -> None:
    calls = (
        aggregate(AggregateFunction.COVAR_POP, (K, V), DOUBLE),
        aggregate(AggregateFunction.CORR, (K, V), DOUBLE),
        aggregate(AggregateFunction.LISTAGG, (S, Literal(",", VARCHAR)), VARCHAR),
        aggregate(
            AggregateFunction.PERCENTILE_DISC, (Literal(0.5, DOUBLE),), INTEGER, (ASCENDING,)
        ),
        aggregate(AggregateFunction.PERCENTILE_CONT, (Literal(0.5, DOUBLE),), DOUBLE, (ASCENDING,)),
    )
    empty = table((INTEGER, INTEGER, VARCHAR))
    names = tuple(f"C{i}" for i in range(len(calls)))
    assert rows(spark, Aggregate(empty, (), ((),), calls, names)) == [(None,) * 5]


def call(op: Op, type: Type, *operands: Expression) -> Expression:
    return Call(op, operands, type)


def test_scalar_functions(spark: Spark) -> None:
    def number(value: int) -> Literal:
        return Literal(value, INTEGER)

    def text(value: str) -> Literal:
        return Literal(value, VARCHAR)

    real = Literal(2.675, DOUBLE)
    null = Literal(None, INTEGER)
    cases: list[tuple[Expression, Value]] = [
        (call(Op.LOG10, DOUBLE, Literal(1000.0, DOUBLE)), 3.0),
        (call(Op.SIGN, INTEGER, number(-7)), -1),
        (call(Op.SIGN, INTEGER, number(0)), 0),
        (call(Op.SIGN, INTEGER, null), None),
        (call(Op.SIGN, DOUBLE, real), 1.0),
        (call(Op.ROUND, INTEGER, number(1250), number(-2)), 1300),
        (call(Op.ROUND, INTEGER, number(-1250), number(-2)), -1300),
        (call(Op.ROUND, DOUBLE, real, number(2)), 2.68),
        (call(Op.ROUND, DOUBLE, real), 3.0),
        (call(Op.TRUNCATE, DOUBLE, real, number(2)), 2.67),
        (call(Op.TRUNCATE, INTEGER, number(-1299), number(-2)), -1200),
        (call(Op.TRUNCATE, INTEGER, number(-1299), number(-40)), 0),
        (call(Op.ROUND, INTEGER, number(1250), call(Op.NEGATE, INTEGER, number(2))), 1300),
        (call(Op.INITCAP, VARCHAR, text("o'NEIL 2nd-hand")), "O'Neil 2nd-Hand"),
        (call(Op.REPLACE, VARCHAR, text("banana"), text("an"), text("-")), "b--a"),
        (call(Op.LPAD, VARCHAR, text("7"), number(3), text("0")), "007"),
        (call(Op.LPAD, VARCHAR, text("hello"), number(3), text("0")), "hel"),
        (call(Op.RPAD, VARCHAR, text("a"), number(6), text("bc")), "abcbcb"),
        (call(Op.LAST_DAY, DATE, Literal(31, DATE)), 58),
        (call(Op.GREATEST, INTEGER, number(1), number(3), number(2)), 3),
        (call(Op.LEAST, INTEGER, number(1), null), None),
    ]
    plan = Project(
        Values(((),), ()),
        tuple(expression for expression, _ in cases),
        tuple(f"C{i}" for i in range(len(cases))),
    )
    (found,) = rows(spark, plan)
    wrong = {
        i: (value, expected)
        for i, (value, (_, expected)) in enumerate(zip(found, cases, strict=True))
        if value != expected
    }
    assert not wrong
    rand = call(Op.RAND, DOUBLE)
    ((drawn,),) = rows(spark, Project(Values(((),), ()), (rand,), ("R",)))
    assert isinstance(drawn, float)
    assert 0 <= drawn < 1
