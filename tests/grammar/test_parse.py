"""Texts and the trees they stand for."""

import subprocess
import sys

import pytest
from hypothesis import given

from grammar.parse import parse_expression, parse_query, parse_script, parse_statement
from grammar.source import Span
from grammar.statement import (
    ColumnOrder,
    CreatePump,
    CreateStream,
    CreateTable,
    Direction,
    Disorder,
    Insert,
    Merge,
    SetOption,
    Statement,
)
from grammar.tree import (
    Between,
    Binary,
    BinaryOperator,
    ColumnRef,
    CurrentTime,
    DatetimeMinus,
    Exclusion,
    ExplicitTable,
    Expression,
    FunctionCall,
    GroupExpression,
    GroupTuple,
    Identifier,
    InQuery,
    IntervalLiteral,
    IntervalQualifier,
    Join,
    JoinKind,
    Limit,
    Literal,
    LiteralKind,
    Name,
    Nulls,
    Parameter,
    Quantified,
    Query,
    Row,
    ScalarQuery,
    Select,
    SelectItem,
    SetOperation,
    SetOperator,
    Star,
    TableFunction,
    TableRef,
    TimestampAdd,
    TimestampDiff,
    TimeUnit,
    Unary,
    UnaryOperator,
    Values,
    WindowSpec,
)
from grammar.unparse import unparse
from tests.queries_of_the_pages import STATEMENTS
from tests.strategies_grammar import HERE, nodes_of, statements

#: Words that are names, though some have a meaning elsewhere.
NOT_RESERVED = """
rowtime product c units name value year hour second step first last within history level message
position count rank tumble hop row rows range partition floor ceil extract trim limit offset set
filter escape period check key start stop schema stream_ unbounded current preceding minus emit
qualify session grouping cube rollup options
"""


def column(*names: str) -> ColumnRef:
    return ColumnRef(Name(tuple(Identifier(each, False, HERE) for each in names), HERE), HERE)


def number(text: str) -> Literal:
    return Literal(LiteralKind.NUMBER, text, HERE)


def interval(text: str, unit: str) -> IntervalLiteral:
    qualifier = IntervalQualifier(TimeUnit(unit), None, None, None, HERE)
    return IntervalLiteral(text, False, qualifier, HERE)


def select(sql: str) -> Select:
    body = parse_query(sql).body
    assert isinstance(body, Select)
    return body


# --- whole texts ------------------------------------------------------------------------------


@pytest.mark.parametrize("sql", STATEMENTS)
def test_a_statement_of_the_pages_is_read_and_printed(sql: str) -> None:
    tree = parse_statement(sql)
    assert parse_statement(unparse(tree)) == tree


def test_a_script_is_its_statements_with_places_in_the_whole_text() -> None:
    sql = "-- first\nCOMMIT;; /* ; */ SET a = ';';\nSELECT ?, ? FROM t WHERE b = ?;"
    places = [sql[each.span.start : each.span.end] for each in parse_script(sql)]
    assert places == ["COMMIT", "SET a = ';'", "SELECT ?, ? FROM t WHERE b = ?"]


@pytest.mark.parametrize("sql", ["", " \n\t", "-- nothing", "/* nothing */", ";", ";;"])
def test_an_empty_script_has_no_statements(sql: str) -> None:
    assert parse_script(sql) == ()


def test_parameters_are_counted_in_each_statement_in_the_order_of_its_text() -> None:
    script = parse_script("SELECT ? FROM t WHERE ? = a ORDER BY ?; SELECT ?")
    indexes = [
        sorted((n.span.start, n.index) for n in nodes_of(each) if isinstance(n, Parameter))
        for each in script
    ]
    assert [[index for _, index in each] for each in indexes] == [[0, 1, 2], [0]]


def test_the_tables_of_the_parser_are_unpacked_by_the_first_parse_not_by_the_import() -> None:
    names = (parse_query.__module__, unparse.__module__)
    program = f"import sys, {', '.join(names)}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded = done.stdout.split()
    assert set(names) <= set(loaded)
    assert not any(each.startswith("antlr4") for each in loaded)


# --- places -----------------------------------------------------------------------------------


@given(statements())
def test_the_text_at_the_place_of_a_node_is_the_text_of_that_node(tree: Statement) -> None:
    sql = unparse(tree)
    for node in nodes_of(parse_statement(sql)):
        if any(isinstance(each, Parameter | Star) for each in nodes_of(node)):
            continue
        match node:
            case Query():
                assert parse_query(sql[node.span.start : node.span.end]) == node
            case Identifier("SOME", False):
                continue  # a function's name, and no other's
            case Identifier():
                read = parse_expression(sql[node.span.start : node.span.end])
                assert read == ColumnRef(Name((node,), HERE), HERE)
            case Binary() | Unary() | Literal() | IntervalLiteral() | ColumnRef() | FunctionCall():
                assert parse_expression(sql[node.span.start : node.span.end]) == node
            case _:
                pass


def test_places_count_code_points() -> None:
    sql = "SELECT '\U0001f600\U0001f600', \"\U0001f600\" + b FROM t"
    second = select(sql).items[1].expression
    assert isinstance(second, Binary)
    assert second.span == Span(13, 20)
    assert sql[second.right.span.start : second.right.span.end] == "b"


def test_the_place_of_an_operation_holds_the_brackets_of_its_operands_not_its_own() -> None:
    sql = "((a + b) * (c - d))"
    times = parse_expression(sql)
    assert isinstance(times, Binary)
    assert sql[times.span.start : times.span.end] == "(a + b) * (c - d)"
    assert sql[times.left.span.start : times.left.span.end] == "a + b"


def test_the_words_that_errors_point_at_have_places() -> None:
    sql = "SELECT STREAM a FROM t GROUP BY a ORDER BY a DESC"
    query = parse_query(sql)
    body = query.body
    assert isinstance(body, Select)
    assert body.stream_span == Span(7, 13)
    assert body.group_by is not None
    assert sql[body.group_by.span.start : body.group_by.span.end] == "GROUP BY a"
    assert sql[query.order_by[0].span.start : query.order_by[0].span.end] == "a DESC"


# --- names ------------------------------------------------------------------------------------


def test_names_fold_to_upper_case_unless_quoted() -> None:
    assert parse_expression("o.rowTime") == column("O", "ROWTIME")
    quoted = parse_expression('"o"."say ""hi"""')
    assert isinstance(quoted, ColumnRef)
    assert [(each.name, each.quoted) for each in quoted.name.parts] == [
        ("o", True),
        ('say "hi"', True),
    ]


@pytest.mark.parametrize(
    "word",
    NOT_RESERVED.split(),
)
def test_a_word_that_is_not_reserved_names_columns_tables_and_aliases(word: str) -> None:
    name = Identifier(word.upper(), False, HERE)
    tree = select(
        f"SELECT {word}, t.{word} AS {word}, {word} + 1 FROM {word} AS {word} WHERE {word} = 1"
    )
    assert tree.items[0].expression == column(word.upper())
    assert tree.items[1] == SelectItem(column("T", word.upper()), name, HERE)
    assert isinstance(tree.from_, TableRef)
    assert tree.from_.name.parts == (name,)


# --- operators --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sql", "bracketed"),
    [
        ("a OR b AND NOT c = d + e * -f", "a OR (b AND (NOT (c = (d + (e * (-f))))))"),
        ("a - b - c", "(a - b) - c"),
        ("a || b || c", "(a || b) || c"),
        ("a || b + c", "(a || b) + c"),
        ("a = b = c", "(a = b) = c"),
        ("a < b IS NOT TRUE", "(a < b) IS NOT TRUE"),
        ("NOT a IS NULL", "NOT (a IS NULL)"),
        ("a BETWEEN b AND c AND d", "(a BETWEEN b AND c) AND d"),
        ("a NOT IN (b) OR c", "(a NOT IN (b)) OR c"),
        ("a + b LIKE c || d", "(a + b) LIKE (c || d)"),
        ("- a * b", "(- a) * b"),
        ("a % b / c", "(a % b) / c"),
    ],
)
def test_operators_bind_as_in_the_standard(sql: str, bracketed: str) -> None:
    assert parse_expression(sql) == parse_expression(bracketed)


def test_both_spellings_of_not_equal_read_alike() -> None:
    assert parse_expression("a != b") == parse_expression("a <> b")


def test_an_interval_is_signed_inside_and_outside_its_quotes() -> None:
    assert parse_expression("INTERVAL -'1:30' HOUR(3) TO MINUTE") == IntervalLiteral(
        "1:30", True, IntervalQualifier(TimeUnit.HOUR, TimeUnit.MINUTE, 3, None, HERE), HERE
    )
    inside = parse_expression("INTERVAL '-1.5' SECOND(2, 3)")
    assert inside == IntervalLiteral(
        "-1.5", False, IntervalQualifier(TimeUnit.SECOND, None, 2, 3, HERE), HERE
    )
    assert parse_expression("INTERVAL 10 MINUTE") == parse_expression("INTERVAL '10' MINUTE")


def test_a_difference_of_times_has_a_qualifier() -> None:
    assert parse_expression("(a - b) DAY TO SECOND(3)") == DatetimeMinus(
        column("A"),
        column("B"),
        IntervalQualifier(TimeUnit.DAY, TimeUnit.SECOND, None, 3, HERE),
        HERE,
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SUBSTRING(a, 1, 2)", "SUBSTRING(a FROM 1 FOR 2)"),
        ("TRIM(a)", "TRIM(BOTH FROM a)"),
        ("TRIM('x' FROM a)", "TRIM(BOTH 'x' FROM a)"),
        ("CEILING(a TO DAY)", "CEIL(a TO DAY)"),
        ("CAST(a AS INT)", "CAST(a AS INTEGER)"),
        ("CAST(a AS CHARACTER VARYING(3))", "CAST(a AS VARCHAR(3))"),
        ("CAST(a AS NUMERIC(5, 2))", "CAST(a AS DEC(5, 2))"),
        ("CAST(a AS DOUBLE PRECISION)", "CAST(a AS FLOAT)"),
        ("CAST(a AS TIMESTAMP(3) WITHOUT TIME ZONE)", "CAST(a AS TIMESTAMP(3))"),
        ("a = SOME (SELECT b FROM t)", "a = ANY (SELECT b FROM t)"),
        ("a BETWEEN ASYMMETRIC b AND c", "a BETWEEN b AND c"),
        ("ROW(a, b)", "(a, b)"),
        ("count(ALL a)", "COUNT(a)"),
        ("SUM(a) OVER w (ROWS 2 PRECEDING)", "SUM(a) OVER (w ROWS 2 PRECEDING)"),
        ("SUM(a) OVER (w)", "SUM(a) OVER w"),
        (
            "SUM(a) OVER (ORDER BY b PARTITION BY c ROWS 2 PRECEDING)",
            "SUM(a) OVER (PARTITION BY c ORDER BY b ROWS 2 PRECEDING)",
        ),
        (
            "SUM(a) OVER (RANGE 10 MINUTE PRECEDING)",
            "SUM(a) OVER (RANGE INTERVAL '10' MINUTE PRECEDING)",
        ),
    ],
)
def test_two_spellings_of_one_thing_read_alike(one: str, other: str) -> None:
    assert parse_expression(one) == parse_expression(other)


@pytest.mark.parametrize("spelling", ["HOUR", "hour", "SQL_TSI_HOUR", "sql_tsi_hour"])
def test_a_unit_has_two_spellings(spelling: str) -> None:
    added = parse_expression(f"TIMESTAMPADD({spelling}, 1, t)")
    assert added == TimestampAdd(TimeUnit.HOUR, number("1"), column("T"), HERE)
    distance = parse_expression(f"TIMESTAMPDIFF({spelling}, s, t)")
    assert distance == TimestampDiff(TimeUnit.HOUR, column("S"), column("T"), HERE)


@pytest.mark.parametrize("name", ["TIMESTAMPADD", "TIMESTAMPDIFF", "GROUPS", "EXCLUDE", "NO"])
def test_a_word_of_one_place_is_a_name_elsewhere(name: str) -> None:
    assert parse_expression(f"{name} + 1") == parse_expression(f"{name.lower()} + 1")
    assert isinstance(parse_expression(name), ColumnRef)


@pytest.mark.parametrize(
    ("frame", "exclude"),
    [
        ("GROUPS 1 PRECEDING", None),
        ("GROUPS BETWEEN 1 PRECEDING AND 2 FOLLOWING EXCLUDE CURRENT ROW", Exclusion.CURRENT_ROW),
        ("ROWS 1 PRECEDING EXCLUDE GROUP", Exclusion.GROUP),
        ("RANGE UNBOUNDED PRECEDING EXCLUDE TIES", Exclusion.TIES),
        ("GROUPS CURRENT ROW EXCLUDE NO OTHERS", Exclusion.NO_OTHERS),
    ],
)
def test_a_frame_may_exclude_rows(frame: str, exclude: Exclusion | None) -> None:
    call = parse_expression(f"SUM(a) OVER (ORDER BY b {frame})")
    assert isinstance(call, FunctionCall)
    assert call.over is not None
    assert call.over.frame is not None
    assert (call.over.frame.unit, call.over.frame.exclude) == (frame.split()[0], exclude)


def test_the_order_of_a_list_has_two_places() -> None:
    inside = parse_expression("STRING_AGG(DISTINCT a, ',' ORDER BY b DESC)")
    assert inside == parse_expression("STRING_AGG(DISTINCT a, ',') WITHIN GROUP (ORDER BY b DESC)")


def test_some_is_an_aggregate_but_behind_a_comparison() -> None:
    call = parse_expression("SOME(a > 1)")
    assert isinstance(call, FunctionCall)
    assert call.name.parts == (Identifier("SOME", False, HERE),)
    assert isinstance(parse_expression("a = SOME (SELECT 1)"), Quantified)
    assert isinstance(parse_expression("a = SOME ((SELECT 1))"), Quantified)


def test_a_call_takes_all_that_may_follow_it() -> None:
    call = parse_expression(
        "f(DISTINCT a) WITHIN GROUP (ORDER BY b) FILTER (WHERE c) IGNORE NULLS OVER w"
    )
    assert isinstance(call, FunctionCall)
    assert call.distinct
    assert call.within_group[0].expression == column("B")
    assert call.filter == column("C")
    assert call.nulls is Nulls.IGNORE
    assert call.over == WindowSpec(Identifier("W", False, HERE), (), (), None, HERE)


def test_the_current_time_has_a_precision() -> None:
    assert parse_expression("localtimestamp(3)") == CurrentTime("LOCALTIMESTAMP", 3, HERE)


@pytest.mark.parametrize(
    ("sql", "kind", "text"),
    [
        ("1E3", LiteralKind.NUMBER, "1E3"),
        (".5", LiteralKind.NUMBER, ".5"),
        ("'it''s'", LiteralKind.STRING, "it's"),
        ("x'0aF'", LiteralKind.BINARY, "0aF"),
        ("true", LiteralKind.BOOLEAN, "TRUE"),
        ("null", LiteralKind.NULL, "NULL"),
        ("DATE '2024-02-30'", LiteralKind.DATE, "2024-02-30"),
        ("timestamp '2024-01-01 00:00:00'", LiteralKind.TIMESTAMP, "2024-01-01 00:00:00"),
    ],
)
def test_a_literal_keeps_its_text(sql: str, kind: LiteralKind, text: str) -> None:
    assert parse_expression(sql) == Literal(kind, text, HERE)


# --- queries ----------------------------------------------------------------------------------


def test_stream_follows_select() -> None:
    assert select("SELECT STREAM DISTINCT a FROM t").stream
    assert select("SELECT STREAM DISTINCT a FROM t").distinct
    assert not select("SELECT ALL a FROM t").stream


def test_intersect_binds_tighter_than_union() -> None:
    body = parse_query("TABLE a UNION ALL TABLE b INTERSECT TABLE c MINUS TABLE d").body
    assert isinstance(body, SetOperation)
    assert (body.operator, body.all) == (SetOperator.EXCEPT, False)
    assert isinstance(body.left, SetOperation)
    assert (body.left.operator, body.left.all) == (SetOperator.UNION, True)
    assert isinstance(body.left.right, SetOperation)
    assert body.left.right.operator is SetOperator.INTERSECT


def test_a_comma_binds_looser_than_a_join() -> None:
    tree = select("SELECT * FROM a, b JOIN c ON x").from_
    assert isinstance(tree, Join)
    assert (tree.kind, tree.comma) == (JoinKind.CROSS, True)
    assert isinstance(tree.right, Join)
    assert tree.right.on == column("X")


@pytest.mark.parametrize(
    "item",
    [
        "Trades OVER (RANGE INTERVAL '10' MINUTE FOLLOWING) AS t",
        "Trades AS t OVER (RANGE INTERVAL '10' MINUTE FOLLOWING)",
        "Trades t OVER (RANGE 10 MINUTE FOLLOWING)",
    ],
)
def test_the_window_of_a_from_item_is_on_either_side_of_its_alias(item: str) -> None:
    tree = select(f"SELECT * FROM {item}").from_
    assert tree == select("SELECT * FROM Trades OVER (RANGE 10 MINUTE FOLLOWING) AS t").from_
    assert isinstance(tree, TableRef)
    assert tree.over is not None
    assert tree.over.frame is not None
    assert tree.over.frame.start.offset == interval("10", "MINUTE")


@pytest.mark.parametrize("sql", ["TABLE(f(1, a)) AS t", "TABLE f(1, a) AS t"])
def test_a_table_function_is_called_in_two_spellings(sql: str) -> None:
    tree = select(f"SELECT * FROM {sql}").from_
    assert isinstance(tree, TableFunction)
    assert [each.value for each in tree.call.arguments] == [number("1"), column("A")]


@pytest.mark.parametrize(
    "sql",
    [
        "TABLE(f(DATA => TABLE t PARTITION BY (k, l) ORDER BY m, C => DESCRIPTOR(c)))",
        "f(DATA => TABLE t PARTITION BY (k, l) ORDER BY m, C => DESCRIPTOR(c))",
    ],
)
def test_a_table_argument_has_a_name_and_partition_keys(sql: str) -> None:
    tree = select(f"SELECT * FROM {sql}").from_
    assert isinstance(tree, TableFunction)
    data, time = tree.call.arguments
    assert (data.name, time.name) == (Identifier("DATA", False, HERE), Identifier("C", False, HERE))
    assert isinstance(data.value, ExplicitTable)
    assert data.partition == (column("K"), column("L"))
    assert [each.expression for each in data.order] == [column("M")]


@pytest.mark.parametrize("data", ["(SELECT 1 FROM t)", "TABLE (SELECT 1 FROM t)"])
def test_a_query_in_brackets_is_an_argument_itself(data: str) -> None:
    tree = select(f"SELECT * FROM f({data}, 2)").from_
    assert isinstance(tree, TableFunction)
    assert isinstance(tree.call.arguments[0].value, Query)


@pytest.mark.parametrize("sql", ["VALUES 1, 2", "VALUES (1), (2)", "VALUES ROW(1), (2)"])
def test_rows_of_one_column_need_no_brackets(sql: str) -> None:
    assert parse_query(sql).body == Values(((number("1"),), (number("2"),)), HERE)


def test_a_row_of_values_may_hold_a_row() -> None:
    inner = Row((number("1"), number("2")), HERE)
    assert parse_query("VALUES ((1, 2))").body == Values(((inner,),), HERE)
    assert parse_query("VALUES (1, 2)").body == Values(((number("1"), number("2")),), HERE)


def test_a_bracketed_list_of_keys_is_one_grouping_set() -> None:
    group_by = select("SELECT 1 FROM t GROUP BY (), (a, b), (a), (a + b) * c").group_by
    assert group_by is not None
    none, pair, single, product = group_by.items
    assert none == GroupTuple((), HERE)
    assert isinstance(pair, GroupTuple)
    assert single == GroupExpression(column("A"), None, HERE)
    assert isinstance(product, GroupExpression)
    assert isinstance(product.expression, Binary)


def test_within_makes_a_t_sort() -> None:
    for sql in (
        "ORDER BY a WITHIN INTERVAL '1' HOUR DESC",
        "ORDER BY a DESC WITHIN INTERVAL '1' HOUR",
    ):
        (item,) = parse_query(f"SELECT a FROM t {sql}").order_by
        assert item.within == interval("1", "HOUR")
        assert item.descending
    group_by = select("SELECT 1 FROM t GROUP BY FLOOR(a TO DAY) WITHIN INTERVAL '1' HOUR").group_by
    assert group_by is not None
    assert isinstance(group_by.items[0], GroupExpression)
    assert group_by.items[0].within == interval("1", "HOUR")


@pytest.mark.parametrize(
    ("sql", "limit"),
    [
        ("LIMIT 3", Limit(None, number("3"), False, HERE)),
        ("LIMIT 3 OFFSET 2", Limit(number("2"), number("3"), False, HERE)),
        ("LIMIT 2, 3", Limit(number("2"), number("3"), False, HERE)),
        ("OFFSET 2 LIMIT 3", Limit(number("2"), number("3"), False, HERE)),
        ("LIMIT ALL", Limit(None, None, False, HERE)),
        ("LIMIT ALL OFFSET 2 ROWS", Limit(number("2"), None, False, HERE)),
        ("OFFSET 2 ROWS", Limit(number("2"), None, False, HERE)),
        ("FETCH NEXT ROW ONLY", Limit(None, number("1"), False, HERE)),
        ("OFFSET 2 ROWS FETCH FIRST 3 ROWS ONLY", Limit(number("2"), number("3"), False, HERE)),
        ("FETCH FIRST ? ROWS WITH TIES", Limit(None, Parameter(0, HERE), True, HERE)),
    ],
)
def test_a_limit_has_many_spellings(sql: str, limit: Limit) -> None:
    assert parse_query(f"SELECT a FROM t {sql}").limit == limit


def test_a_bracketed_query_is_a_query_again() -> None:
    inner = parse_query("SELECT 1")
    assert parse_query("(SELECT 1)") == Query(None, inner, (), None, HERE)
    assert parse_expression("(SELECT 1)") == ScalarQuery(inner, HERE)
    assert parse_expression("a IN ((SELECT 1))") == InQuery(
        column("A"), Query(None, inner, (), None, HERE), False, HERE
    )


def test_a_bracketed_query_may_begin_an_expression() -> None:
    tree = parse_expression("((SELECT 1) + 1)")
    assert isinstance(tree, Binary)
    assert isinstance(tree.left, ScalarQuery)


# --- statements -------------------------------------------------------------------------------


def test_a_stream_declares_orders_checks_and_history() -> None:
    tree = parse_statement(
        "CREATE OR REPLACE STREAM s.Orders ("
        " a TIMESTAMP(3) NOT NULL ASCENDING WITHIN INTERVAL '10' SECOND,"
        " b INTEGER DESCENDING STRICT DEFAULT 1 + 1,"
        " c INTEGER ASCENDING WITHIN 5 ROWS,"
        " d DATE ASCENDING PUNCTUATED PRIMARY KEY,"
        " e INTEGER CHECK (e BETWEEN 1 AND 9),"
        " PRIMARY KEY (a, b), CHECK (b > 0)) WITH HISTORY"
    )
    assert isinstance(tree, CreateStream)
    assert tree.replace
    assert (tree.history, tree.history_length) == (True, None)
    up = Direction.ASCENDING
    assert [each.order for each in tree.columns] == [
        ColumnOrder(up, False, Disorder(interval("10", "SECOND"), None, False, HERE), HERE),
        ColumnOrder(Direction.DESCENDING, True, None, HERE),
        ColumnOrder(up, False, Disorder(None, 5, False, HERE), HERE),
        ColumnOrder(up, False, Disorder(None, None, True, HERE), HERE),
        None,
    ]
    assert [each.not_null for each in tree.columns] == [True, False, False, False, False]
    assert [each.primary_key for each in tree.columns] == [False, False, False, True, False]
    assert isinstance(tree.columns[1].default, Binary)
    assert isinstance(tree.columns[4].check, Between)
    key, check = tree.constraints
    assert [each.name for each in key.primary_key] == ["A", "B"]
    assert check.check is not None


def test_a_foreign_stream_has_options() -> None:
    tree = parse_statement("CREATE FOREIGN STREAM f (a INTEGER) OPTIONS (path '/tmp', skip 1)")
    assert isinstance(tree, CreateStream)
    assert tree.foreign
    assert [each.name.name for each in tree.options] == ["PATH", "SKIP"]


@pytest.mark.parametrize("sql", ["PERIOD (a, b)", "PERIOD FOR SYSTEM_TIME (a, b)"])
def test_a_table_declares_its_period(sql: str) -> None:
    tree = parse_statement(f"CREATE TABLE t (a TIMESTAMP, b TIMESTAMP, {sql})")
    assert isinstance(tree, CreateTable)
    assert [each.name for each in tree.constraints[0].period] == ["A", "B"]


def test_a_pump_is_stopped_unless_started() -> None:
    stopped = parse_statement("CREATE PUMP p AS INSERT INTO t SELECT STREAM * FROM s")
    started = parse_statement("CREATE PUMP p STARTED AS INSERT INTO t SELECT STREAM * FROM s")
    assert isinstance(stopped, CreatePump)
    assert isinstance(started, CreatePump)
    assert (stopped.started, started.started) == (False, True)


def test_an_insert_is_expedited_or_an_upsert() -> None:
    expedited = parse_statement("INSERT EXPEDITED INTO t (a) VALUES (1)")
    upsert = parse_statement("UPSERT INTO t VALUES (1)")
    assert isinstance(expedited, Insert)
    assert isinstance(upsert, Insert)
    assert (expedited.expedited, expedited.upsert) == (True, False)
    assert (upsert.expedited, upsert.upsert) == (False, True)


def test_a_merge_has_its_clauses_in_order() -> None:
    tree = parse_statement(
        "MERGE INTO t AS x USING (SELECT a FROM s) AS y ON x.a = y.a"
        " WHEN MATCHED AND y.a > 0 THEN UPDATE SET a = 1, b = 2"
        " WHEN MATCHED THEN DELETE"
        " WHEN NOT MATCHED THEN INSERT (a) VALUES (y.a)"
    )
    assert isinstance(tree, Merge)
    assert [(each.matched, len(each.assignments), len(each.values)) for each in tree.clauses] == [
        (True, 2, 0),
        (True, 0, 0),
        (False, 0, 1),
    ]


@pytest.mark.parametrize("sql", ["SET SCHEMA 's'", "SET SCHEMA = 's'"])
def test_an_option_is_set_with_or_without_a_sign(sql: str) -> None:
    tree = parse_statement(sql)
    assert isinstance(tree, SetOption)
    assert tree.value == Literal(LiteralKind.STRING, "s", HERE)


def test_a_chain_of_operators_gathers_to_the_left() -> None:
    tree: Expression = parse_expression("a" + " + a" * 100)
    for _ in range(100):
        assert isinstance(tree, Binary)
        assert tree.operator is BinaryOperator.PLUS
        assert tree.right == column("A")
        tree = tree.left
    assert tree == column("A")


def test_signs_and_negations_pile_up() -> None:
    tree = parse_expression("NOT NOT a = - - 1")
    assert isinstance(tree, Unary)
    assert isinstance(tree.operand, Unary)
    assert tree.operand.operator is UnaryOperator.NOT
