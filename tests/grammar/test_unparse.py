"""What `unparse` prints, `parse` reads back."""

import pytest
from hypothesis import given

from grammar.parse import parse_expression, parse_query, parse_statement
from grammar.statement import Statement
from grammar.tree import Expression, Query
from grammar.unparse import unparse
from tests.strategies_grammar import expressions, numbered, queries, statements


@given(expressions(3).map(numbered))
def test_an_expression_is_read_back_as_it_was(tree: Expression) -> None:
    assert parse_expression(unparse(tree)) == tree


@given(queries(2).map(numbered))
def test_a_query_is_read_back_as_it_was(tree: Query) -> None:
    assert parse_query(unparse(tree)) == tree


@given(statements())
def test_a_statement_is_read_back_as_it_was(tree: Statement) -> None:
    assert parse_statement(unparse(tree)) == tree


@pytest.mark.parametrize(
    "text",
    [
        "A + B + C",
        "A + (B + C)",
        "(A + B) * C",
        "A * B || C",
        "A - -B",
        "- -A",
        "-(A + B)",
        "NOT A AND B",
        "NOT (A AND B)",
        "NOT NOT A",
        "A = B IS TRUE",
        "A = (B IS TRUE)",
        "(A OR B) AND C",
        "A BETWEEN B AND C AND D",
        "A BETWEEN B AND (C AND D)",
        "A NOT LIKE 'x' ESCAPE '!'",
        "(A, B) IN ((1, 2), (3, 4))",
        "A = ANY (SELECT B FROM T)",
        "(A - B) DAY TO SECOND(3)",
        "FLOOR((A - INTERVAL '1' DAY) TO HOUR)",
        "FLOOR((A - INTERVAL '90' SECOND) TO MINUTE)",
        "FLOOR(A - INTERVAL '1 2' DAY TO HOUR)",
        "FLOOR(A - INTERVAL '1 2' DAY TO HOUR TO DAY)",
        "FLOOR(A - INTERVAL '1' DAY(2) TO HOUR)",
        "SUM(\"a\" + A) FILTER (WHERE A > 0) OVER (W ORDER BY B RANGE INTERVAL '1' HOUR PRECEDING)",
        "COUNT(*) OVER W",
        "COUNT(*) OVER ()",
        "LAG(A) IGNORE NULLS OVER (PARTITION BY B ORDER BY C DESC NULLS LAST)",
        "LISTAGG(A, ',') WITHIN GROUP (ORDER BY B)",
        "CASE A WHEN 1 THEN 'x' ELSE 'y' END",
        "SOME(A > 1) = B",
        "A = SOME(B > 1)",
        "A = (SOME((SELECT B FROM T)))",
        "A < (SOME((SELECT B FROM T)) + 1)",
        "SOME((SELECT B FROM T)) = A",
        "A + SOME((SELECT B FROM T))",
        "A IS DISTINCT FROM (SOME((SELECT B FROM T)))",
    ],
)
def test_brackets_stand_only_where_the_tree_needs_them(text: str) -> None:
    assert unparse(parse_expression(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "SELECT A FROM T UNION SELECT B FROM T INTERSECT SELECT C FROM T",
        "(SELECT A FROM T UNION SELECT B FROM T) INTERSECT SELECT C FROM T",
        "SELECT A FROM T EXCEPT (SELECT B FROM T EXCEPT SELECT C FROM T)",
        "(SELECT A FROM T ORDER BY A) UNION ALL SELECT B FROM T ORDER BY B",
        "SELECT * FROM A JOIN B ON X JOIN C USING (Y), D",
        "SELECT * FROM A JOIN (B JOIN C USING (Y)) ON X",
        "SELECT * FROM (A, B) NATURAL LEFT JOIN C",
        "SELECT * FROM T FOR SYSTEM_TIME AS OF ROWTIME OVER (ROWS 2 PRECEDING) AS U (A, B)",
        "SELECT A FROM T GROUP BY (), (A, B), ROLLUP (A, (B, C)), GROUPING SETS ((), A)",
        "SELECT A FROM T ORDER BY A WITHIN INTERVAL '1' HOUR DESC",
        "SELECT A FROM T OFFSET 5 ROWS FETCH FIRST 3 ROWS WITH TIES",
        "WITH RECURSIVE T (A) AS (VALUES (1), (2)) TABLE T",
        "SELECT * FROM TABLE(S.F(1, 2)) AS T",
    ],
)
def test_a_query_that_is_printed_already_prints_the_same(text: str) -> None:
    assert unparse(parse_query(text)) == text
