"""Explain: golden texts, written by hand from Calcite's manner."""

from decimal import Decimal

import pytest

from algebra.catalog import Column, Ordering, Stream, Table
from algebra.explain import explain
from algebra.expression import (
    AggregateCall,
    AggregateFunction,
    Call,
    Case,
    Cast,
    Exists,
    Expression,
    Extract,
    GroupId,
    Grouping,
    InputRef,
    InQuery,
    Literal,
    Op,
    OuterRef,
    Parameter,
    Quantified,
    Round,
    ScalarQuery,
    SortKey,
    WindowCall,
    WindowFunction,
)
from algebra.modify import Delete, Insert, Merge, MergeAction, Modify, Update
from algebra.plan import (
    Aggregate,
    Delta,
    Exclude,
    Filter,
    Frame,
    GroupOffset,
    Hop,
    Join,
    Plan,
    Project,
    RangeOffset,
    Reads,
    RowOffset,
    RowsWindow,
    Scan,
    SetOp,
    Sort,
    TimeWindow,
    Unbounded,
    Values,
    Window,
    WindowGroup,
    WindowJoin,
)
from algebra.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    TIME,
    TIMESTAMP,
    VARCHAR,
    Field,
    Kind,
    Type,
    decimal,
    interval,
)
from grammar.tree import JoinKind, SetOperator, TimeUnit

HOUR = Literal(3_600_000, interval(TimeUnit.HOUR))
TRUE = Literal(True, BOOLEAN)
ROWTIME, PRODUCT, UNITS = InputRef(0, TIMESTAMP), InputRef(1, INTEGER), InputRef(2, INTEGER)
COLUMNS = (Column("ROWTIME", TIMESTAMP, Ordering()), Column("P", INTEGER), Column("UNITS", INTEGER))
ORDERS = Scan(Stream(("SALES", "ORDERS"), COLUMNS), Reads.STREAM)
TABLE = Table(("T",), (Column("A", INTEGER), Column("B", VARCHAR)), primary_key=(0,))
PRODUCTS = Scan(TABLE, Reads.TABLE)
ORDERS_LINE = "LogicalTableScan(table=[[SALES, ORDERS]], reads=[stream])"
TABLE_LINE = "LogicalTableScan(table=[[T]], reads=[table])"
FLOOR = Round(False, ROWTIME, TimeUnit.HOUR, TIMESTAMP)
COUNT = AggregateCall(AggregateFunction.COUNT, (), BIGINT)
EQUAL = Call(Op.EQUAL, (PRODUCT, InputRef(3, INTEGER)), BOOLEAN)
RUNNING = Frame(Unbounded(), RangeOffset(Literal(0, interval(TimeUnit.SECOND)), False))
SUM = WindowCall(AggregateFunction.SUM, (UNITS,), BIGINT)
LAST = WindowCall(WindowFunction.LAST_VALUE, (UNITS,), INTEGER, ignore_nulls=True)


def integer(value: int) -> Literal:
    return Literal(value, INTEGER)


def window(frame: Frame, call: WindowCall = SUM) -> Window:
    order = (SortKey(ROWTIME, False, False),)
    return Window(ORDERS, (WindowGroup((PRODUCT,), order, frame, (call,)),), ("X",))


PLANS: list[tuple[Plan | Modify, str]] = [
    (
        Delta(
            Project(
                Filter(ORDERS, Call(Op.GREATER, (UNITS, integer(3)), BOOLEAN)),
                (ROWTIME, Call(Op.PLUS, (PRODUCT, integer(2)), INTEGER)),
                ("ROWTIME", "EXPR$1"),
            )
        ),
        f"""\
LogicalDelta
  LogicalProject(ROWTIME=[$0], EXPR$1=[+($1, 2)])
    LogicalFilter(condition=[>($2, 3)])
      {ORDERS_LINE}""",
    ),
    (
        Aggregate(ORDERS, (ROWTIME, PRODUCT), ((0, 1),), (COUNT,), ("R", "P", "C")),
        f"LogicalAggregate(group=[{{0, 1}}], C=[COUNT()])\n  {ORDERS_LINE}",
    ),
    (
        Aggregate(
            ORDERS,
            (FLOOR, PRODUCT),
            ((0, 1), (0,)),
            (
                AggregateCall(
                    AggregateFunction.COUNT,
                    (UNITS,),
                    BIGINT,
                    distinct=True,
                    filter=Call(Op.IS_TRUE, (UNITS,), BOOLEAN),
                ),
                AggregateCall(AggregateFunction.LITERAL_AGG, (Grouping((0, 1)),), BIGINT),
                AggregateCall(AggregateFunction.LITERAL_AGG, (GroupId(),), BIGINT),
            ),
            ("R", "P", "C", "G", "I"),
        ),
        (
            "LogicalAggregate(group=[{FLOOR($0, FLAG(HOUR)), $1}], "
            "groups=[[{FLOOR($0, FLAG(HOUR)), $1}, {FLOOR($0, FLAG(HOUR))}]], "
            "C=[COUNT(DISTINCT $2) FILTER IS TRUE($2)], G=[LITERAL_AGG(GROUPING(0, 1))], "
            f"I=[LITERAL_AGG(GROUP_ID())])\n  {ORDERS_LINE}"
        ),
    ),
    (
        Hop(ORDERS, ROWTIME, HOUR, HOUR, 720_000),
        (
            "LogicalHop(time=[$0], emit=[3600000:INTERVAL HOUR], retain=[3600000:INTERVAL HOUR], "
            f"align=[720000])\n  {ORDERS_LINE}"
        ),
    ),
    (
        window(RUNNING),
        (
            "LogicalWindow(window#0=[partition {$1} order by [$0 ASC] "
            f"between UNBOUNDED PRECEDING and PEERS aggs [SUM($2)]], names=[[X]])\n  {ORDERS_LINE}"
        ),
    ),
    (
        window(Frame(RowOffset(-2), RowOffset(0))),
        (
            "LogicalWindow(window#0=[partition {$1} order by [$0 ASC] "
            "between 2 ROWS PRECEDING and CURRENT ROW aggs [SUM($2)]], names=[[X]])\n"
            f"  {ORDERS_LINE}"
        ),
    ),
    (
        window(Frame(GroupOffset(-1), GroupOffset(2), Exclude.TIES)),
        (
            "LogicalWindow(window#0=[partition {$1} order by [$0 ASC] between 1 GROUPS PRECEDING "
            f"and 2 GROUPS FOLLOWING EXCLUDE TIES aggs [SUM($2)]], names=[[X]])\n  {ORDERS_LINE}"
        ),
    ),
    (
        window(Frame(Unbounded(), GroupOffset(0), Exclude.CURRENT_ROW)),
        (
            "LogicalWindow(window#0=[partition {$1} order by [$0 ASC] between UNBOUNDED PRECEDING "
            f"and PEERS EXCLUDE CURRENT ROW aggs [SUM($2)]], names=[[X]])\n  {ORDERS_LINE}"
        ),
    ),
    (
        Aggregate(
            PRODUCTS,
            (),
            ((),),
            (
                AggregateCall(
                    AggregateFunction.LISTAGG,
                    (InputRef(1, VARCHAR), Literal(", ", VARCHAR)),
                    VARCHAR,
                    distinct=True,
                    filter=TRUE,
                    order=(SortKey(InputRef(1, VARCHAR), True, True),),
                ),
            ),
            ("L",),
        ),
        (
            "LogicalAggregate(group=[{}], L=[LISTAGG(DISTINCT $1, ', ') WITHIN GROUP ([$1 DESC]) "
            f"FILTER true])\n  {TABLE_LINE}"
        ),
    ),
    (
        window(Frame(RangeOffset(HOUR, True), Unbounded()), LAST),
        (
            "LogicalWindow(window#0=[partition {$1} order by [$0 ASC] between "
            "RANGE 3600000:INTERVAL HOUR PRECEDING and UNBOUNDED FOLLOWING "
            f"aggs [LAST_VALUE($2) IGNORE NULLS]], names=[[X]])\n  {ORDERS_LINE}"
        ),
    ),
    (
        Join(ORDERS, PRODUCTS, JoinKind.LEFT, EQUAL),
        f"LogicalJoin(condition=[=($1, $3)], joinType=[left])\n  {ORDERS_LINE}\n  {TABLE_LINE}",
    ),
    (
        WindowJoin(
            ORDERS, ORDERS, JoinKind.INNER, EQUAL, TimeWindow(0, 600_000), RowsWindow(3), 0, 0
        ),
        (
            "LogicalWindowJoin(condition=[=($1, $3)], joinType=[inner], "
            "leftWindow=[RANGE 0 PRECEDING 600000 FOLLOWING], rightWindow=[ROWS 3], "
            f"rowtimes=[[0, 0]])\n  {ORDERS_LINE}\n  {ORDERS_LINE}"
        ),
    ),
    (
        SetOp((PRODUCTS, PRODUCTS), SetOperator.UNION, True),
        f"LogicalUnion(all=[true])\n  {TABLE_LINE}\n  {TABLE_LINE}",
    ),
    (
        SetOp((PRODUCTS, PRODUCTS), SetOperator.INTERSECT, False),
        f"LogicalIntersect(all=[false])\n  {TABLE_LINE}\n  {TABLE_LINE}",
    ),
    (
        SetOp((PRODUCTS, PRODUCTS), SetOperator.EXCEPT, False),
        f"LogicalMinus(all=[false])\n  {TABLE_LINE}\n  {TABLE_LINE}",
    ),
    (
        Sort(
            ORDERS, (SortKey(ROWTIME, False, False), SortKey(UNITS, True, True)), limit=integer(3)
        ),
        f"LogicalSort(sort0=[$0], sort1=[$2], dir0=[ASC], dir1=[DESC], fetch=[3])\n  {ORDERS_LINE}",
    ),
    (
        Sort(ORDERS, (SortKey(UNITS, True, False),), integer(1), integer(2), True),
        (
            "LogicalSort(sort0=[$2], dir0=[DESC-nulls-last], offset=[1], fetch=[2], "
            f"withTies=[true])\n  {ORDERS_LINE}"
        ),
    ),
    (
        Sort(ORDERS, (SortKey(ROWTIME, False, True),), within=HOUR),
        (
            "LogicalSort(sort0=[$0], dir0=[ASC-nulls-first], within=[3600000:INTERVAL HOUR])\n"
            f"  {ORDERS_LINE}"
        ),
    ),
    (
        Values(
            (
                (integer(1), Literal("abc", VARCHAR)),
                (Literal(None, INTEGER), Literal("d", VARCHAR)),
            ),
            (Field("A", INTEGER), Field("B", VARCHAR)),
        ),
        "LogicalValues(tuples=[[{ 1, 'abc' }, { null:INTEGER, 'd' }]])",
    ),
    (
        Insert(TABLE, PRODUCTS, upsert=True),
        f"LogicalTableModify(table=[[T]], operation=[UPSERT])\n  {TABLE_LINE}",
    ),
    (
        Update(TABLE, (integer(1), InputRef(1, VARCHAR)), TRUE),
        "LogicalTableModify(table=[[T]], operation=[UPDATE], row=[[1, $1]], condition=[true])",
    ),
    (
        Delete(TABLE, Call(Op.IS_NULL, (InputRef(1, VARCHAR),), BOOLEAN)),
        "LogicalTableModify(table=[[T]], operation=[DELETE], condition=[IS NULL($1)])",
    ),
    (
        Merge(
            TABLE,
            PRODUCTS,
            EQUAL,
            (
                MergeAction(True, EQUAL, None),
                MergeAction(True, TRUE, (integer(1), InputRef(3, VARCHAR))),
                MergeAction(False, TRUE, (InputRef(2, INTEGER), InputRef(3, VARCHAR))),
            ),
        ),
        (
            "LogicalTableModify(table=[[T]], operation=[MERGE], condition=[=($1, $3)], actions=[["
            "WHEN MATCHED AND =($1, $3) THEN DELETE, WHEN MATCHED THEN UPDATE [1, $3], "
            f"WHEN NOT MATCHED THEN INSERT [$2, $3]]])\n  {TABLE_LINE}"
        ),
    ),
]


@pytest.mark.parametrize(("plan", "text"), PLANS)
def test_a_plan_prints_as_calcite_prints_it(plan: Plan | Modify, text: str) -> None:
    assert explain(plan) == text


BRACES = f"{{\n{TABLE_LINE}\n}}"
EXPRESSIONS: list[tuple[Expression, str]] = [
    (InputRef(3, INTEGER), "$3"),
    (OuterRef(2, 3, INTEGER), "$cor2.$3"),
    (Parameter(0, INTEGER), "?0"),
    (integer(-1), "-1"),
    (Literal(1, BIGINT), "1:BIGINT"),
    (Literal(Decimal("1.50"), decimal(3, 2)), "1.50:DECIMAL(3, 2)"),
    (Literal(1.5, DOUBLE), "1.5:DOUBLE"),
    (Literal(False, BOOLEAN), "false"),
    (Literal(None, TIMESTAMP), "null:TIMESTAMP(3)"),
    (Literal("it's", VARCHAR), "'it''s'"),
    (Literal("a ", Type(Kind.CHAR, precision=2)), "'a ':CHAR(2)"),
    (Literal(b"\x0a\xff", Type(Kind.VARBINARY)), "X'0AFF'"),
    (Literal(16_481, DATE), "2015-02-15"),
    (Literal(37_020_000, TIME), "10:17:00"),
    (Literal(37_020_007, TIME), "10:17:00.007"),
    (Literal(1_423_995_420_000, TIMESTAMP), "2015-02-15 10:17:00"),
    (Literal(1_423_995_420_250, TIMESTAMP), "2015-02-15 10:17:00.250"),
    (Literal(-62_135_596_800_000, TIMESTAMP), "0001-01-01 00:00:00"),
    (Literal(14, interval(TimeUnit.YEAR, TimeUnit.MONTH)), "14:INTERVAL YEAR TO MONTH"),
    (HOUR, "3600000:INTERVAL HOUR"),
    (Cast(PRODUCT, DOUBLE), "CAST($1):DOUBLE"),
    (Call(Op.NEGATE, (UNITS,), INTEGER), "-($2)"),
    (Call(Op.AND, (TRUE, TRUE, TRUE), BOOLEAN), "AND(true, true, true)"),
    (Call(Op.DATETIME_PLUS, (ROWTIME, HOUR), TIMESTAMP), "+($0, 3600000:INTERVAL HOUR)"),
    (
        Call(Op.DATETIME_MINUS, (ROWTIME, ROWTIME), interval(TimeUnit.HOUR)),
        "-($0, $0):INTERVAL HOUR",
    ),
    (Call(Op.CURRENT_TIMESTAMP, (), TIMESTAMP), "CURRENT_TIMESTAMP"),
    (Call(Op.CURRENT_TIMESTAMP, (), DATE), "CURRENT_DATE"),
    (Case(((EQUAL, integer(1)),), integer(2), INTEGER), "CASE(=($1, $3), 1, 2)"),
    (Extract(TimeUnit.YEAR, ROWTIME), "EXTRACT(FLAG(YEAR), $0)"),
    (Round(True, ROWTIME, TimeUnit.DAY, TIMESTAMP), "CEIL($0, FLAG(DAY))"),
    (ScalarQuery(PRODUCTS, INTEGER), f"$SCALAR_QUERY({BRACES})"),
    (Exists(PRODUCTS), f"EXISTS({BRACES})"),
    (InQuery((PRODUCT, UNITS), PRODUCTS), f"IN($1, $2, {BRACES})"),
    (Quantified(Op.LESS, True, PRODUCT, PRODUCTS), f"< ALL($1, {BRACES})"),
    (Quantified(Op.EQUAL, False, PRODUCT, PRODUCTS), f"= SOME($1, {BRACES})"),
]


@pytest.mark.parametrize(("expression", "text"), EXPRESSIONS)
def test_an_expression_prints_as_calcite_prints_it(expression: Expression, text: str) -> None:
    assert explain(Project(ORDERS, (expression,), ("X",))) == (
        f"LogicalProject(X=[{text}])\n  {ORDERS_LINE}"
    )
