"""Texts that are refused: with which code, at which place, with which advice."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.codes import Code
from grammar.parse import parse_query, parse_script, parse_statement
from grammar.source import Span, SqlError
from tests.queries_of_the_pages import STATEMENTS

S, N = Code.SYNTAX_ERROR, Code.NOT_SUPPORTED

#: Text, code, guilty text, and a word of the hint.  The guilty text of the end is empty.
REFUSED = [
    # SELECT and its clauses
    ("SELECT a STREAM FROM t", S, "STREAM", "right after SELECT"),
    ("SELECT DISTINCT STREAM a FROM t", S, "STREAM", "right after SELECT"),
    ("SELECT STREAM FROM t", S, "FROM", "SELECT STREAM *"),
    ("SELECT * Orders", S, "Orders", "FROM"),
    ("SELECT a b c FROM t", S, "c", "comma"),
    ("SELECT a WHERE b = 1", S, "WHERE", "FROM is missing"),
    ("SELECT a, FROM t", S, "FROM", "comma too many"),
    ("SELECT * FROM", S, "", ""),
    ("SELECT * FROM t JOIN s WHERE a = b", S, "WHERE", "ON"),
    ("SELECT * FROM t GROUP a", S, "a", ""),
    ("SELECT a FROM t ORDER BY", S, "", ""),
    ("SELECT * FROM a SELECT * FROM b", S, "SELECT", "semicolon"),
    ("COMMIT; COMMIT", S, "COMMIT", "one statement"),
    ("", S, "", ""),
    ("FOO", S, "FOO", ""),
    # files
    ("SELECT * FROM 'a.csv'", S, "'a.csv'", "rowtime run \"SELECT … FROM 'a.csv'\""),
    ("SELECT * FROM t, 'in/*'", S, "'in/*'", ".import in/* NAME"),
    ("SELECT * FROM t JOIN 'it''s.csv' ON a", S, "'it''s.csv'", ".import it's.csv NAME"),
    ("SELECT * FROM 'Orders'", S, "'Orders'", "a name is, for example, Orders"),
    ("COPY t FROM 'a.csv'", N, "COPY", ".import FILE NAME"),
    ("COPY (SELECT a FROM t) TO 'a.csv'", N, "COPY", "-o FILE"),
    ("COMMIT; COPY t FROM 'a.csv'", N, "COPY", ".import"),
    ("CREATE TABLE t AS SELECT a FROM s", N, "AS SELECT", "INSERT INTO name SELECT"),
    ('CREATE OR REPLACE TABLE "t" AS (VALUES (1))', N, "AS (VALUES", "CREATE TABLE name (columns)"),
    # brackets
    ("SELECT (a + b FROM t", S, "FROM", ") is missing"),
    ("SELECT (a", S, "", ") is missing"),
    ("SELECT a + b) FROM t", S, ")", "closes no"),
    ("SELECT a FROM t WHERE a IN ()", S, ")", ""),
    ("SELECT CASE WHEN a THEN b FROM t", S, "FROM", ""),
    # names
    ("SELECT date FROM t", S, "FROM", '"DATE"'),
    ("SELECT a AS order FROM t", S, "order", '"ORDER"'),
    ("SELECT a year FROM t", S, "year", "AS YEAR"),
    ("INSERT INTO Logger(timestamp) VALUES (?)", S, "timestamp", '"TIMESTAMP"'),
    ('SELECT "" FROM t', S, '""', ""),
    ("SELECT 1abc FROM t", S, "1abc", '"1abc"'),
    # literals
    ("SELECT INTERVAL '3' FROM t", S, "FROM", "INTERVAL '3' HOUR"),
    ("SELECT HOP(t, INTERVAL '1' HOUR, INTERVAL '3')", S, ")", "INTERVAL '3' HOUR"),
    ("SELECT INTERVAL -'3' FROM t", S, "FROM", "INTERVAL '3' HOUR"),
    ("SELECT INTERVAL '3' HOURS FROM t", S, "HOURS", "HOUR"),
    ("SELECT INTERVAL '1' DAY TO YEAR", S, "DAY TO YEAR", "DAY TO SECOND"),
    ("SELECT INTERVAL '1' MINUTE TO HOUR", S, "MINUTE TO HOUR", "HOUR TO MINUTE"),
    ("SELECT INTERVAL '1' SECOND TO SECOND", S, "SECOND TO SECOND", "SECOND"),
    ("SELECT FLOOR(CAST(a AS INTERVAL SECOND TO HOUR))", S, "SECOND TO HOUR", "HOUR TO SECOND"),
    ("SELECT INTERVAL '1' DAY(2, 3)", S, "DAY(2, 3)", "DAY(2)"),
    ("SELECT INTERVAL '1' DAY TO HOUR(3)", S, "DAY TO HOUR(3)", "DAY TO HOUR"),
    ("SELECT (a + b) SECOND FROM t", S, "SECOND", "(a - b) SECOND"),
    ("SELECT FLOOR(a TO b) FROM t", S, "b", "HOUR"),
    ("SELECT a FROM t WHERE a = 'it's'", S, "s", "''"),
    ("SELECT 'abc FROM t", S, "'abc FROM t", "'"),
    ("SELECT 'abc'' FROM t", S, "'abc'' FROM t", "'"),
    ('SELECT "abc FROM t', S, '"abc FROM t', '"'),
    ("SELECT /* abc FROM t", S, "/* abc FROM t", "*/"),
    # signs
    ("SELECT a == b FROM t", S, "==", "="),
    ("SELECT \u2018a\u2019 FROM t", S, "\u2018", "straight"),
    ("# A relation\nSELECT 1", S, "#", "--"),
    ("SELECT `a` FROM t", S, "`", '"name"'),
    ("SELECT a::int FROM t", S, ":", "CAST"),
    # types and declarations
    ("SELECT CAST(a AS TEXT) FROM t", S, "TEXT", "VARCHAR"),
    ("SELECT CAST(a AS INTEGER(3)) FROM t", S, "INTEGER(3)", "INTEGER"),
    ("SELECT CAST(a AS CLOB) FROM t", N, "CLOB", "VARCHAR"),
    ("SELECT CAST(a AS TIMESTAMP WITH TIME ZONE)", N, "TIMESTAMP WITH TIME ZONE", "TIMESTAMP"),
    ("CREATE STREAM s (a, b)", S, ",", "x INTEGER"),
    ("CREATE STREAM s", S, "CREATE STREAM s", "CREATE STREAM"),
    ("CREATE TABLE t (a INTEGER NOT NULL NOT NULL)", S, "NOT NULL", ""),
    ("CREATE STREAM s (a DATE) WITH HISTORY WITH HISTORY", S, "WITH HISTORY", ""),
    # windows
    ("SELECT SUM(a) OVER (ORDER BY b ROWS 3) FROM t", S, ")", ""),
    ("SELECT SUM(a) OVER v (w ROWS 3 PRECEDING) FROM t", S, "w", "OVER (V"),
    ("SELECT * FROM a OVER w AS b OVER w", S, "OVER w", ""),
    ("SELECT LAG(a) RESPECT NULLS IGNORE NULLS OVER w FROM t", S, "IGNORE NULLS", ""),
    ("SELECT a FROM t ORDER BY a WITHIN b WITHIN c", S, "WITHIN c", ""),
    # changes
    ("UPDATE t SET a == 1", S, "==", "="),
    ("INSERT t VALUES (1)", S, "t", ""),
    ("MERGE INTO t USING s ON a WHEN MATCHED THEN INSERT VALUES (1)", S, "INSERT VALUES (1)", ""),
    ("MERGE INTO t USING s ON a WHEN NOT MATCHED THEN DELETE", S, "DELETE", ""),
    # S-702
    ("SELECT * FROM t, LATERAL (SELECT 1) AS x", N, "LATERAL", "GROUP BY"),
    ("SELECT * FROM t LEFT JOIN LATERAL (SELECT 1) x ON TRUE", N, "LATERAL", "GROUP BY"),
    ("SELECT * FROM t, LATERAL TABLE (f(t.x)) AS x", N, "LATERAL", "GROUP BY"),
    ("SELECT * FROM t CROSS JOIN LATERAL unnest(t.a) AS x (y)", N, "LATERAL", "GROUP BY"),
    ("SELECT * FROM t EMIT FINAL", N, "EMIT", ""),
    ("SELECT * FROM t EMIT ON WINDOW CLOSE", N, "EMIT", ""),
    ("SELECT * FROM t EMIT AFTER DELAY INTERVAL '1' MINUTE", N, "EMIT AFTER DELAY", ""),
    ("SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY a)", N, "MATCH_RECOGNIZE", "LAG"),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "code", "guilty", "advice"), REFUSED)
def test_a_wrong_text_is_refused_at_its_first_fault(
    sql: str, code: Code, guilty: str, advice: str
) -> None:
    with pytest.raises(SqlError) as refused:
        parse_statement(sql)
    error = refused.value
    assert (error.code, sql[error.at.start : error.at.end]) == (code, guilty)
    assert advice in error.hint


@pytest.mark.parametrize("sql", ["SELECT a FROM t; SELECT b FRM t y", "COMMIT;\nSELECT b FRM t y"])
def test_the_place_of_an_error_counts_in_the_whole_script(sql: str) -> None:
    with pytest.raises(SqlError) as refused:
        parse_script(sql)
    assert refused.value.at == Span(sql.index(" t y") + 1, sql.index(" t y") + 2)


def test_the_end_of_a_text_is_behind_its_last_word() -> None:
    with pytest.raises(SqlError) as refused:
        parse_query("SELECT a +  -- no more\n\n")
    assert refused.value.at == Span(10, 10)
    assert "an expression" in refused.value.message


def test_a_message_names_few_of_the_words_that_could_stand_there() -> None:
    for sql, _, _, _ in REFUSED:
        with pytest.raises(SqlError) as refused:
            parse_statement(sql)
        assert len(refused.value.message) < 120, refused.value.message
        assert "<" not in refused.value.message.replace("'<", ""), refused.value.message


def _refusal(sql: str) -> SqlError | None:
    """Why ``sql`` is refused, if it is."""
    try:
        parse_script(sql)
    except SqlError as error:
        return error
    return None


@given(st.sampled_from(STATEMENTS), st.data())
def test_a_text_that_lost_a_piece_is_read_or_refused_within_itself(
    sql: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(sql)))
    end = data.draw(st.integers(start, len(sql)))
    text = sql[:start] + data.draw(st.text(max_size=3)) + sql[end:]
    error = _refusal(text)
    if error is not None:
        assert error.sql == text
        assert 0 <= error.at.start <= error.at.end <= len(text)
        assert str(error)


WORDS = """
SELECT STREAM ( ) , FROM t a AS 'x' 1 = OVER ROWS INTERVAL HOUR GROUP BY JOIN ON VALUES CASE
WHEN END NOT IN UNION ; ? *
"""


@given(st.lists(st.sampled_from(WORDS.split())))
def test_any_train_of_words_is_read_or_refused(words: list[str]) -> None:
    error = _refusal(" ".join(words))
    assert error is None or error.code in {Code.SYNTAX_ERROR, Code.NOT_SUPPORTED}


def test_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    for sql, _, _, _ in REFUSED:
        with pytest.raises(SqlError):
            parse_statement(sql)
    assert capfd.readouterr() == ("", "")
