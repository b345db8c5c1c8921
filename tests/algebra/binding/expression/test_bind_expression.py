"""What expressions become: operators, casts, types, NULL."""

import pytest

from algebra.binding.expression.bind_expression import bind_condition, bind_expression
from algebra.expression import (
    Call,
    Expression,
    InputRef,
    InQuery,
    Literal,
    Op,
    Parameter,
    Quantified,
)
from algebra.plan import Project
from algebra.types import BIGINT, BOOLEAN, DATE, INTEGER, NULL
from grammar import tree
from grammar.codes import Code
from grammar.parse import parse_expression
from grammar.source import SqlError
from tests.algebra.expression_scope import ColumnsScope, bind, bound, shown, typed

#: What is written, what it becomes, and its type.
MEANINGS = [
    # logic
    ("b AND b AND b", "AND(B, B, B)", "BOOLEAN"),
    ("b AND (b AND b)", "AND(B, B, B)", "BOOLEAN"),
    ("b OR b AND b OR b", "OR(B, AND(B, B), B)", "BOOLEAN"),
    ("NOT b", "NOT(B)", "BOOLEAN"),
    ("NULL AND b", "AND(NULL, B)", "BOOLEAN"),
    ("b IS TRUE", "IS TRUE(B)", "BOOLEAN NOT NULL"),
    ("b IS NOT FALSE", "IS NOT FALSE(B)", "BOOLEAN NOT NULL"),
    ("b IS UNKNOWN", "IS NULL(B)", "BOOLEAN NOT NULL"),
    ("j IS NOT NULL", "IS NOT NULL(J)", "BOOLEAN NOT NULL"),
    ("(i, j) IS NULL", "AND(IS NULL(I), IS NULL(J))", "BOOLEAN NOT NULL"),
    # comparisons
    ("i = 1", "=(I, 1)", "BOOLEAN NOT NULL"),
    ("i = l", "=(I:BIGINT, L)", "BOOLEAN"),
    ("i < d", "<(I:DECIMAL(12, 2), D:DECIMAL(12, 2))", "BOOLEAN"),
    ("i >= f", ">=(I:DOUBLE, F)", "BOOLEAN"),
    ("dt = ts", "=(DT:TIMESTAMP(3), TS)", "BOOLEAN"),
    ("j = NULL", "=(J, NULL)", "BOOLEAN"),
    ("NULL = NULL", "=(NULL, NULL)", "BOOLEAN"),
    ("c = v", "=(C:VARCHAR(8), V)", "BOOLEAN"),
    ("c = 'ab'", "=(C, 'ab':CHAR(5))", "BOOLEAN"),
    ("'abcdefg' = c", "=('abcdefg':CHAR(7), C:CHAR(7))", "BOOLEAN"),
    ("h < m", "<(H:INTERVAL HOUR TO MINUTE, M:INTERVAL HOUR TO MINUTE)", "BOOLEAN"),
    ("j IS DISTINCT FROM l", "IS DISTINCT FROM(J:BIGINT, L)", "BOOLEAN NOT NULL"),
    ("j IS NOT DISTINCT FROM NULL", "IS NOT DISTINCT FROM(J, NULL)", "BOOLEAN NOT NULL"),
    ("(i, j) = (1, 2)", "AND(=(I, 1), =(J, 2))", "BOOLEAN"),
    ("(i, j) <> (1, 2)", "OR(<>(I, 1), <>(J, 2))", "BOOLEAN"),
    ("(i, j) < (1, 2)", "OR(<(I, 1), AND(=(I, 1), <(J, 2)))", "BOOLEAN"),
    ("(i, j) >= (1, 2)", "OR(>(I, 1), AND(=(I, 1), >=(J, 2)))", "BOOLEAN"),
    ("(i, j) IS DISTINCT FROM (1, 2)",
     "OR(IS DISTINCT FROM(I, 1), IS DISTINCT FROM(J, 2))", "BOOLEAN NOT NULL"),
    ("i BETWEEN 1 AND 2", "AND(>=(I, 1), <=(I, 2))", "BOOLEAN NOT NULL"),
    ("i NOT BETWEEN 1 AND l", "OR(<(I, 1), >(I:BIGINT, L))", "BOOLEAN"),
    ("i BETWEEN SYMMETRIC 2 AND 1",
     "OR(AND(>=(I, 2), <=(I, 1)), AND(>=(I, 1), <=(I, 2)))", "BOOLEAN NOT NULL"),
    ("i NOT BETWEEN SYMMETRIC 2 AND 1",
     "AND(OR(<(I, 2), >(I, 1)), OR(<(I, 1), >(I, 2)))", "BOOLEAN NOT NULL"),
    ("i IN (1, 2)", "IN(I, 1, 2)", "BOOLEAN NOT NULL"),
    ("i NOT IN (1, NULL)", "NOT(IN(I, 1, NULL))", "BOOLEAN"),
    ("i IN (l, 2)", "IN(I:BIGINT, L, 2:BIGINT)", "BOOLEAN"),
    ("c IN ('a', 'abcdef')", "IN(C:CHAR(6), 'a':CHAR(6), 'abcdef':CHAR(6))", "BOOLEAN"),
    ("(i, j) IN ((1, 2), (3, 4))",
     "OR(AND(=(I, 1), =(J, 2)), AND(=(I, 3), =(J, 4)))", "BOOLEAN"),
    # arithmetic
    ("i + 1", "+(I, 1)", "INTEGER NOT NULL"),
    ("i + s", "+(I, S)", "INTEGER"),
    ("i * d", "*(I, D)", "DECIMAL(15, 2)"),
    ("i / d", "/(I, D)", "DECIMAL(18, 6)"),
    ("i % l", "MOD(I, L)", "BIGINT"),
    ("MOD(l, i)", "MOD(L, I)", "INTEGER"),
    ("i - f", "-(I:DOUBLE, F)", "DOUBLE"),
    ("r * r", "*(R, R)", "REAL"),
    ("r * d", "*(R:DOUBLE, D:DOUBLE)", "DOUBLE"),
    ("-j", "NEGATE(J)", "INTEGER"),
    ("+j", "J", "INTEGER"),
    ("- -1", "NEGATE(-1)", "INTEGER NOT NULL"),
    ("j + NULL", "+(J, NULL)", "INTEGER"),
    # datetimes and intervals
    ("ts + INTERVAL '1' HOUR",
     "DATETIME_PLUS(TS, INTERVAL '1' HOUR)", "TIMESTAMP(3) NOT NULL"),
    ("INTERVAL '1' HOUR + ts",
     "DATETIME_PLUS(TS, INTERVAL '1' HOUR)", "TIMESTAMP(3) NOT NULL"),
    ("ts - INTERVAL '1' HOUR",
     "DATETIME_PLUS(TS, INTERVAL '-1' HOUR)", "TIMESTAMP(3) NOT NULL"),
    ("ts - h", "DATETIME_PLUS(TS, NEGATE(H))", "TIMESTAMP(3)"),
    ("dt + INTERVAL '1' DAY", "DATETIME_PLUS(DT, INTERVAL '1' DAY)", "DATE"),
    ("dt + mo", "DATETIME_PLUS(DT, MO)", "DATE"),
    ("dt - INTERVAL '1' HOUR",
     "DATETIME_PLUS(DT:TIMESTAMP(3), INTERVAL '-1' HOUR)", "TIMESTAMP(3)"),
    ("dt + INTERVAL '1 00' DAY TO HOUR",
     "DATETIME_PLUS(DT:TIMESTAMP(3), INTERVAL '1 00' DAY TO HOUR)", "TIMESTAMP(3)"),
    ("tm + h", "DATETIME_PLUS(TM, H)", "TIME(3)"),
    ("(ts - u) HOUR", "DATETIME_MINUS(TS, U)", "INTERVAL HOUR"),
    ("(ts - dt) MONTH", "DATETIME_MINUS(TS, DT:TIMESTAMP(3))", "INTERVAL MONTH"),
    ("(tm - tm) SECOND", "DATETIME_MINUS(TM, TM)", "INTERVAL SECOND"),
    ("(ts - u) SECOND / INTERVAL '1' HOUR",
     "/(DATETIME_MINUS(TS, U), INTERVAL '1' HOUR)", "DOUBLE"),  # E-15
    ("h + m", "+(H, M)", "INTERVAL HOUR TO MINUTE"),
    ("h * 2", "*(H, 2)", "INTERVAL HOUR"),
    ("d * h", "*(H, D)", "INTERVAL HOUR"),
    ("mo / 2", "/(MO, 2)", "INTERVAL YEAR TO MONTH"),
    ("ABS(h)", "ABS(H)", "INTERVAL HOUR"),
    ("-h", "NEGATE(H)", "INTERVAL HOUR"),
    ("FLOOR(ts TO HOUR)", "FLOOR HOUR(TS)", "TIMESTAMP(3) NOT NULL"),
    ("CEIL(dt TO WEEK)", "CEIL WEEK(DT)", "DATE"),
    ("FLOOR(tm TO MINUTE)", "FLOOR MINUTE(TM)", "TIME(3)"),
    ("FLOOR(d)", "FLOOR(D)", "DECIMAL(5, 0)"),
    ("CEIL(i)", "CEIL(I)", "INTEGER NOT NULL"),
    ("FLOOR(f)", "FLOOR(F)", "DOUBLE"),
    ("STEP(ts BY INTERVAL '5' MINUTE)",
     "STEP(TS, INTERVAL '5' MINUTE)", "TIMESTAMP(3) NOT NULL"),
    ("STEP(i BY l)", "STEP(I:BIGINT, L)", "BIGINT"),
    ("STEP(dt BY INTERVAL '2' DAY)", "STEP(DT, INTERVAL '2' DAY)", "DATE"),
    ("EXTRACT(YEAR FROM ts)", "EXTRACT YEAR(TS)", "BIGINT NOT NULL"),
    ("EXTRACT(MILLISECOND FROM tm)", "EXTRACT MILLISECOND(TM)", "BIGINT"),
    ("EXTRACT(DOW FROM dt)", "EXTRACT DOW(DT)", "BIGINT"),
    ("EXTRACT(MONTH FROM mo)", "EXTRACT MONTH(MO)", "BIGINT"),
    ("EXTRACT(EPOCH FROM h)", "EXTRACT EPOCH(H)", "BIGINT"),
    ("CURRENT_TIMESTAMP", "CURRENT_TIMESTAMP()", "TIMESTAMP(3) NOT NULL"),
    ("LOCALTIMESTAMP(3)", "CURRENT_TIMESTAMP()", "TIMESTAMP(3) NOT NULL"),
    ("CURRENT_DATE", "CURRENT_TIMESTAMP()", "DATE NOT NULL"),
    ("LOCALTIME", "CURRENT_TIMESTAMP()", "TIME(3) NOT NULL"),
    ("MONOTONIC(j)", "MONOTONIC(J)", "INTEGER"),
    ("TIMESTAMPADD(HOUR, 2, ts)",
     "DATETIME_PLUS(TS, *(INTERVAL '1' HOUR, 2))", "TIMESTAMP(3) NOT NULL"),
    ("TIMESTAMPADD(QUARTER, j, ts)",
     "DATETIME_PLUS(TS, *(INTERVAL '3' MONTH, J))", "TIMESTAMP(3)"),
    ("TIMESTAMPADD(SQL_TSI_WEEK, 1, dt)",
     "DATETIME_PLUS(DT, *(INTERVAL '7' DAY, 1))", "DATE"),
    ("TIMESTAMPADD(HOUR, 1, dt)",
     "DATETIME_PLUS(DT:TIMESTAMP(3), *(INTERVAL '1' HOUR, 1))", "TIMESTAMP(3)"),
    ("TIMESTAMPADD(MINUTE, -1, tm)", "DATETIME_PLUS(TM, *(INTERVAL '1' MINUTE, -1))", "TIME(3)"),
    ("TIMESTAMPDIFF(HOUR, u, ts)", "DATETIME_MINUS(TS, U):INTEGER", "INTEGER"),
    ("TIMESTAMPDIFF(QUARTER, dt, ts)",
     "/(DATETIME_MINUS(TS, DT:TIMESTAMP(3)):INTEGER, 3)", "INTEGER"),
    ("TIMESTAMPDIFF(WEEK, ts, ts)", "/(DATETIME_MINUS(TS, TS):INTEGER, 7)", "INTEGER NOT NULL"),
    # seconds have fractions, which a cast would round
    ("TIMESTAMPDIFF(SECOND, ts, u)",
     "TRUNCATE(DATETIME_MINUS(U, TS):DECIMAL(15, 3)):INTEGER", "INTEGER"),
    ("LAST_DAY(ts)", "LAST_DAY(TS)", "DATE NOT NULL"),
    ("LAST_DAY(NULL)", "LAST_DAY(NULL)", "DATE"),
    ("CAST(tm AS TIMESTAMP)",
     "DATETIME_PLUS(CURRENT_TIMESTAMP():TIMESTAMP(3), DATETIME_MINUS(TM, TIME '00:00:00'))",
     "TIMESTAMP(3)"),
    # more functions of numbers
    ("SIGN(i)", "SIGN(I)", "INTEGER NOT NULL"),
    ("SIGN(d)", "SIGN(D)", "DECIMAL(5, 2)"),
    ("SIGN(0.25)", "SIGN(0.25)", "DECIMAL(3, 2) NOT NULL"),
    ("ROUND(d)", "ROUND(D)", "DECIMAL(6, 2)"),
    ("ROUND(CAST(d AS DECIMAL(38, 2)))", "ROUND(D:DECIMAL(38, 2))", "DECIMAL(38, 2)"),
    ("ROUND(f, -1)", "ROUND(F, -1)", "DOUBLE"),
    ("ROUND(i, NULL)", "ROUND(I, NULL)", "INTEGER"),
    ("TRUNCATE(d, i)", "TRUNCATE(D, I)", "DECIMAL(5, 2)"),
    ("TRUNCATE(s)", "TRUNCATE(S)", "SMALLINT"),
    ("LOG10(i)", "LOG10(I:DOUBLE)", "DOUBLE NOT NULL"),
    ("POWER(i, f)", "POWER(I:DOUBLE, F)", "DOUBLE"),
    ("RAND()", "RAND()", "DOUBLE NOT NULL"),
    ("GREATEST(i, l, 2.5)",
     "GREATEST(I:DECIMAL(20, 1), L:DECIMAL(20, 1), 2.5:DECIMAL(20, 1))", "DECIMAL(20, 1)"),
    ("LEAST(dt, ts)", "LEAST(DT:TIMESTAMP(3), TS)", "TIMESTAMP(3)"),
    ("LEAST(c, 'ab')", "LEAST(C, 'ab':CHAR(5))", "CHAR(5)"),
    ("GREATEST(i, 1)", "GREATEST(I, 1)", "INTEGER NOT NULL"),
    ("INITCAP(v)", "INITCAP(V)", "VARCHAR(8)"),
    ("REPLACE(v, 'a', w)", "REPLACE(V, 'a', W)", "VARCHAR"),
    ("LPAD(v, 5)", "LPAD(V, 5, ' ')", "VARCHAR"),
    ("RPAD(w, i, '*')", "RPAD(W, I, '*')", "VARCHAR NOT NULL"),
    ("LPAD(?, ?)", "LPAD(?0:VARCHAR, ?1:INTEGER, ' ')", "VARCHAR"),
    # text
    ("'x' || i", "||('x', I:VARCHAR)", "VARCHAR NOT NULL"),  # E-03
    ("d || 'x'", "||(D:VARCHAR, 'x')", "VARCHAR"),
    ("c || v", "||(C:VARCHAR(5), V)", "VARCHAR(13)"),
    ("v || NULL", "||(V, NULL)", "VARCHAR"),
    ("v LIKE 'a!%' ESCAPE '!'", "LIKE(V, 'a!%', '!')", "BOOLEAN"),
    ("w NOT LIKE 'a%'", "NOT(LIKE(W, 'a%'))", "BOOLEAN NOT NULL"),
    ("c SIMILAR TO 'a|b'", "SIMILAR TO(C:VARCHAR(5), 'a|b')", "BOOLEAN"),
    ("SUBSTRING(v FROM 0 FOR l)", "SUBSTRING(V, 0, L)", "VARCHAR(8)"),
    ("SUBSTRING(w, 2)", "SUBSTRING(W, 2)", "VARCHAR NOT NULL"),
    ("POSITION('a' IN v)", "POSITION('a', V)", "INTEGER"),
    ("TRIM(c)", "TRIM BOTH(' ', C:VARCHAR(5))", "VARCHAR(5)"),
    ("TRIM(LEADING '0' FROM v)", "TRIM LEADING('0', V)", "VARCHAR(8)"),
    ("OVERLAY(v PLACING c FROM 2 FOR 1)", "OVERLAY(V, C:VARCHAR(5), 2, 1)", "VARCHAR(13)"),
    ("UPPER(c)", "UPPER(C:VARCHAR(5))", "VARCHAR(5)"),
    ("CHARACTER_LENGTH(w)", "CHAR_LENGTH(W)", "INTEGER NOT NULL"),
    # functions
    ("ABS(i)", "ABS(I)", "INTEGER NOT NULL"),
    ("SQRT(i)", "SQRT(I:DOUBLE)", "DOUBLE NOT NULL"),
    ("POWER(f, 2)", "POWER(F, 2:DOUBLE)", "DOUBLE"),
    ("LN(NULL)", "LN(NULL)", "DOUBLE"),
    # choice
    ("COALESCE(j, i)", "COALESCE(J, I)", "INTEGER NOT NULL"),
    ("COALESCE(j, l)", "COALESCE(J:BIGINT, L)", "BIGINT"),
    ("COALESCE(NULL, 1.5)", "COALESCE(NULL, 1.5)", "DECIMAL(2, 1) NOT NULL"),
    ("NULLIF(i, 0)", "CASE(=(I, 0) -> NULL; I)", "INTEGER"),
    ("CASE WHEN b THEN i ELSE 2.5 END",
     "CASE(B -> I:DECIMAL(11, 1); 2.5:DECIMAL(11, 1))", "DECIMAL(11, 1) NOT NULL"),
    ("CASE WHEN b THEN 1 END", "CASE(B -> 1; NULL)", "INTEGER"),
    ("CASE j WHEN 1 THEN 'a' WHEN l THEN 'abc' ELSE w END",
     "CASE(=(J, 1) -> 'a'; =(J:BIGINT, L) -> 'abc'; W)", "VARCHAR NOT NULL"),
    ("CASE WHEN b THEN c ELSE 'abcdefg' END",
     "CASE(B -> C:VARCHAR; 'abcdefg')", "VARCHAR"),
    # casts
    ("CAST(i AS VARCHAR(3))", "I:VARCHAR(3)", "VARCHAR(3) NOT NULL"),
    ("CAST(i AS INTEGER)", "I", "INTEGER NOT NULL"),
    ("CAST(NULL AS DATE)", "NULL", "DATE"),
    ("CAST(h AS BIGINT)", "H:BIGINT", "BIGINT"),
    # sub-queries
    ("(SELECT 1)", "ScalarQuery", "BIGINT"),
    ("EXISTS (SELECT 1)", "Exists", "BOOLEAN NOT NULL"),
    ("i IN (SELECT 1)", "(I:BIGINT) IN QUERY", "BOOLEAN"),
    ("i NOT IN (SELECT 1)", "NOT((I:BIGINT) IN QUERY)", "BOOLEAN"),
    ("(i, dt) IN (SELECT 1, 2)", "(I:BIGINT, DT) IN QUERY", "BOOLEAN"),
    ("i > ALL (SELECT 1)", "I:BIGINT > ALL QUERY", "BOOLEAN"),
    ("l = SOME (SELECT 1)", "L = ANY QUERY", "BOOLEAN"),
    # parameters
    ("i = ?", "=(I, ?0:INTEGER)", "BOOLEAN"),
    ("? < ts", "<(?0:TIMESTAMP(3), TS)", "BOOLEAN"),
    ("i BETWEEN ? AND ?", "AND(>=(I, ?0:INTEGER), <=(I, ?1:INTEGER))", "BOOLEAN"),
    ("d + ?", "+(D, ?0:DECIMAL(5, 2))", "DECIMAL(6, 2)"),
    ("h * ?", "*(H, ?0:INTEGER)", "INTERVAL HOUR"),
    ("? AND b", "AND(?0:BOOLEAN, B)", "BOOLEAN"),
    ("v LIKE ?", "LIKE(V, ?0:VARCHAR)", "BOOLEAN"),
    ("v || ?", "||(V, ?0:VARCHAR)", "VARCHAR"),
    ("COALESCE(?, i)", "COALESCE(?0:INTEGER, I)", "INTEGER NOT NULL"),
    ("CASE WHEN b THEN ? ELSE w END", "CASE(B -> ?0:VARCHAR; W)", "VARCHAR"),
    ("CAST(? AS DATE)", "?0:DATE", "DATE"),
    ("SUBSTRING(v FROM ?)", "SUBSTRING(V, ?0:INTEGER)", "VARCHAR(8)"),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "meaning", "type"), MEANINGS)
def test_an_expression_becomes_what_the_table_says(sql: str, meaning: str, type: str) -> None:
    assert bound(sql) == meaning
    assert typed(sql) == type


def test_a_chain_as_long_as_the_language_takes_is_bound() -> None:
    """Chains are gathered to the left, without a call for every operator."""
    sql = " + ".join(["i"] * 200)
    assert shown(bind(sql)).count("I") == 200


def test_subquery_columns_are_cast_by_a_project_on_top() -> None:
    """The columns of the operand's query have the common type, too (S-512)."""
    found = bind("d IN (SELECT 1)")
    assert isinstance(found, InQuery)
    assert isinstance(found.plan, Project)
    assert [str(each.type) for each in found.plan.expressions] == ["DECIMAL(21, 2)"]
    assert str(found.operands[0].type) == "DECIMAL(21, 2)"


def test_a_subquery_of_the_operands_type_is_left_alone() -> None:
    found = bind("l > ANY (SELECT 1)")
    assert isinstance(found, Quantified)
    assert not isinstance(found.plan, Project)
    assert found.op is Op.GREATER


def test_a_whole_expression_takes_the_type_expected_of_it() -> None:
    scope = ColumnsScope("?")
    assert bind_expression(parse_expression("?"), scope, DATE) == Parameter(0, DATE)
    assert bind_expression(parse_expression("NULL"), scope, DATE) == Literal(None, DATE)


def test_nothing_but_null_and_parameters_takes_the_type_expected() -> None:
    found = bind_expression(parse_expression("1"), ColumnsScope("1"), BIGINT)
    assert found == Literal(1, INTEGER.as_nullable(False))


def test_a_bare_null_is_of_kind_null() -> None:
    assert bind("NULL") == Literal(None, NULL)


def test_null_is_a_condition() -> None:
    assert bind_condition(parse_expression("NULL"), ColumnsScope("NULL")) == Literal(None, BOOLEAN)


def test_a_number_is_no_condition() -> None:
    with pytest.raises(SqlError) as caught:
        bind_condition(parse_expression("j"), ColumnsScope("j"))
    assert (caught.value.code, caught.value.hint) == (Code.TYPE_MISMATCH, "j <> 0")


def test_what_is_special_is_tried_before_all_else() -> None:
    """A scope may take an operator in the middle of a chain for a column of its own."""
    key = parse_expression("i + 1")

    class Grouped(ColumnsScope):
        def special(self, node: tree.Expression) -> Expression | None:
            return InputRef(4, BIGINT) if node == key else None

    found = bind_expression(parse_expression("i + 1 + j"), Grouped("i + 1 + j"))
    assert found == Call(Op.PLUS, (InputRef(4, BIGINT), InputRef(3, INTEGER)), BIGINT)
