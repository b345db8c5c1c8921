"""Every refusal of an expression: its code, the guilty text, and a hint that would pass."""

import pytest

from grammar.codes import Code
from grammar.source import edited
from grammar.suggestion import SuggestingError
from tests.algebra.expression_scope import bind, refusal, refused

T, W = Code.TYPE_MISMATCH, Code.WRONG_ARGUMENTS

#: The text, the code, the text at fault, and the hint that replaces it.
REFUSALS = [
    # arithmetic
    ("i + TRUE", T, "TRUE", "CASE WHEN TRUE THEN 1 ELSE 0 END"),
    ("v * 2", T, "v", "CAST(v AS INTEGER)"),
    ("2 - v", T, "v", "CAST(v AS INTEGER)"),
    ("ts - u", T, "ts - u", "(ts - u) SECOND"),
    ("dt - dt", T, "dt - dt", "(dt - dt) DAY"),
    ("ts + 5", T, "ts + 5", "ts + 5 * INTERVAL '1' DAY"),
    ("ts + u", T, "ts + u", "ts + INTERVAL '1' DAY"),
    ("ts * 2", T, "ts * 2", "ts + INTERVAL '1' DAY"),
    ("5 - ts", T, "5 - ts", "ts + INTERVAL '1' DAY"),
    ("h + 5", T, "h + 5", "h + 5 * INTERVAL '1' SECOND"),
    ("h + mo", T, "h + mo", None),
    ("5 / h", T, "5 / h", None),
    ("h * h", T, "h * h", None),
    ("h % 2", T, "h % 2", None),
    ("tm + mo", T, "tm + mo", "tm + INTERVAL '1' HOUR"),
    ("MOD(f, 2)", T, "f", "CAST(f AS DECIMAL(38, 10))"),
    ("-v", T, "v", "CAST(v AS INTEGER)"),
    ("+ts", T, "ts", None),
    ("(i - j) SECOND", T, "i", None),
    ("(tm - ts) SECOND", T, "(tm - ts) SECOND", "(CAST(tm AS TIME) - CAST(ts AS TIME)) SECOND"),
    ("(tm - tm) MONTH", T, "(tm - tm) MONTH", "(CAST(tm AS TIME) - CAST(tm AS TIME)) SECOND"),
    ("NULL + NULL", T, "NULL", "CAST(NULL AS INTEGER)"),
    ("ts + NULL", T, "NULL", "CAST(NULL AS INTERVAL DAY)"),
    # comparisons
    ("i = v", T, "i = v", None),
    ("i = '1'", T, "i = '1'", None),
    ("dt = '2015-2-5'", T, "dt = '2015-2-5'", None),
    ("b < 1", T, "b < 1", None),
    ("tm = ts", T, "tm = ts", None),
    ("mo = h", T, "mo = h", None),
    ("x = v", T, "x = v", None),
    ("i BETWEEN 1 AND 'a'", T, "i BETWEEN 1 AND 'a'", None),
    ("(i, j) = (1, 2, 3)", T, "(i, j) = (1, 2, 3)", None),
    ("(i, j) = 1", T, "(i, j) = 1", None),
    ("i IN (1, 'a', v)", T, "'a'", "write a number in place of 'a'"),
    ("dt IN (DATE '2015-02-15', '2015-02-16')", T, "'2015-02-16'", "DATE '2015-02-16'"),
    ("(i, j) IN ((1, 2), (3, 4, 5))", T, "(3, 4, 5)", None),
    ("(i, j) + 1", T, "(i, j)", None),
    ("(i, j) AND b", T, "(i, j)", None),
    # logic and tests
    ("i AND b", T, "i", "i <> 0"),
    ("b OR v", T, "v", "v IS NOT NULL"),
    ("NOT ts", T, "ts", "ts IS NOT NULL"),
    ("i IS TRUE", T, "i", "i <> 0"),
    # choice
    ("CASE WHEN i THEN 1 END", T, "i", "i <> 0"),
    ("CASE WHEN b THEN 1 WHEN b THEN 'a' END", T, "'a'", "write a number in place of 'a'"),
    ("CASE i WHEN 'a' THEN 1 END", T, "'a'", "write a number in place of 'a'"),
    ("COALESCE(i, 'none')", T, "'none'", "write a number in place of 'none'"),
    ("NULLIF(i, 'a')", T, "NULLIF(i, 'a')", None),
    ("COALESCE(i)", W, "COALESCE(i)", None),
    ("NULLIF(i, 1, 2)", W, "NULLIF(i, 1, 2)", None),
    # casts
    ("CAST(b AS INTEGER)", Code.CANNOT_CAST, "CAST(b AS INTEGER)",
     "CASE WHEN b THEN 1 ELSE 0 END"),
    ("CAST(i AS BOOLEAN)", Code.CANNOT_CAST, "CAST(i AS BOOLEAN)", "i <> 0"),
    ("CAST(ts AS BIGINT)", Code.CANNOT_CAST, "CAST(ts AS BIGINT)", "EXTRACT(EPOCH FROM ts)"),
    ("CAST(i AS TIMESTAMP)", Code.CANNOT_CAST, "CAST(i AS TIMESTAMP)",
     "TIMESTAMP '1970-01-01 00:00:00' + i * INTERVAL '1' SECOND"),
    ("CAST(i AS DATE)", Code.CANNOT_CAST, "CAST(i AS DATE)",
     "DATE '1970-01-01' + i * INTERVAL '1' DAY"),
    ("CAST(dt AS TIME)", Code.CANNOT_CAST, "CAST(dt AS TIME)", "CAST(dt AS VARCHAR)"),
    ("CAST(mo AS INTEGER)", Code.CANNOT_CAST, "CAST(mo AS INTEGER)", "CAST(mo AS VARCHAR)"),
    ("CAST(x AS VARCHAR)", Code.CANNOT_CAST, "CAST(x AS VARCHAR)", None),
    ("CAST(i AS DECIMAL(40, 2))", Code.NOT_SUPPORTED, "DECIMAL(40, 2)", None),
    # text
    ("v || b", T, "b", "CAST(b AS VARCHAR)"),
    ("v || f", T, "f", "CAST(f AS VARCHAR)"),
    ("ts || v", T, "ts", "CAST(ts AS VARCHAR)"),
    ("i || j", T, "i || j", "CAST(i AS VARCHAR) || j"),
    ("i LIKE 'a'", T, "i", "CAST(i AS VARCHAR)"),
    ("v LIKE 'a!b' ESCAPE '!'", Code.BAD_LITERAL, "'a!b'", None),
    ("v LIKE 'ab!' ESCAPE '!'", Code.BAD_LITERAL, "'ab!'", None),
    ("v LIKE 'ab' ESCAPE '!!'", Code.BAD_LITERAL, "'!!'", None),
    ("v SIMILAR TO 'ab' ESCAPE ''", Code.BAD_LITERAL, "''", None),
    ("SUBSTRING(v FROM 'a')", T, "'a'", "write a number in place of 'a'"),
    ("SUBSTRING(i FROM 1)", T, "i", "CAST(i AS VARCHAR)"),
    ("SUBSTRING(v FROM 1.5)", T, "1.5", "CAST(1.5 AS INTEGER)"),
    ("POSITION(1 IN v)", T, "1", "CAST(1 AS VARCHAR)"),
    ("TRIM('ab' FROM v)", Code.BAD_LITERAL, "'ab'", "' '"),
    # datetimes
    ("EXTRACT(HOUR FROM dt)", T, "EXTRACT(HOUR FROM dt)",
     "EXTRACT(HOUR FROM CAST(dt AS TIMESTAMP(3)))"),
    ("EXTRACT(YEAR FROM tm)", T, "EXTRACT(YEAR FROM tm)", "EXTRACT(HOUR FROM tm)"),
    ("EXTRACT(MINUTE FROM h)", T, "EXTRACT(MINUTE FROM h)", "EXTRACT(HOUR FROM h)"),
    ("EXTRACT(YEAR FROM i)", T, "i", None),
    ("FLOOR(ts)", T, "FLOOR(ts)", "FLOOR(ts TO HOUR)"),
    ("FLOOR(i TO HOUR)", T, "FLOOR(i TO HOUR)", "FLOOR(i)"),
    ("CEIL(dt TO HOUR)", T, "CEIL(dt TO HOUR)", "CEIL(CAST(dt AS TIMESTAMP(3)) TO HOUR)"),
    ("FLOOR(tm TO DAY)", T, "FLOOR(tm TO DAY)", "FLOOR(tm TO HOUR)"),
    ("FLOOR(ts TO DOW)", T, "FLOOR(ts TO DOW)", "FLOOR(ts TO HOUR)"),
    ("FLOOR(v)", T, "v", "CAST(v AS INTEGER)"),
    ("STEP(ts BY 5)", T, "STEP(ts BY 5)", "STEP(ts BY INTERVAL '1' DAY)"),
    ("STEP(i BY h)", T, "STEP(i BY h)", "STEP(i BY 1)"),
    ("STEP(dt BY h)", T, "STEP(dt BY h)", "STEP(dt BY INTERVAL '1' DAY)"),
    ("STEP(tm BY mo)", T, "STEP(tm BY mo)", "STEP(tm BY INTERVAL '1' HOUR)"),
    ("STEP(f BY 1)", T, "f", "CAST(f AS BIGINT)"),
    ("STEP(ts BY NULL)", T, "NULL", "INTERVAL '1' DAY"),
    ("CURRENT_TIMESTAMP(6)", Code.NOT_SUPPORTED, "CURRENT_TIMESTAMP(6)", "CURRENT_TIMESTAMP"),
    # functions
    ("ABS(v)", T, "v", "CAST(v AS INTEGER)"),
    ("ABS(1, 2)", W, "ABS(1, 2)", "write it as in ABS(a)"),
    ("UPPER(i)", T, "i", "CAST(i AS VARCHAR)"),
    ("SQRT(ts)", T, "ts", None),
    ("SIGN(v)", T, "v", "CAST(v AS INTEGER)"),
    ("SIGN(h)", T, "h", "CAST(h AS INTEGER)"),
    ("ROUND(i, 1.5)", T, "1.5", "CAST(1.5 AS INTEGER)"),
    ("ROUND(i, 1, 2)", W, "ROUND(i, 1, 2)", "write it as in ROUND(a)"),
    ("ROUND(?)", T, "?", "CAST(? AS INTEGER)"),
    ("TRUNCATE()", W, "TRUNCATE()", "write it as in TRUNCATE(a)"),
    ("RAND(1)", W, "RAND(1)", "RAND()"),
    ("GREATEST(i)", W, "GREATEST(i)", "write it as in GREATEST(a, b)"),
    ("GREATEST(i, v)", T, "v", "CAST(v AS INTEGER)"),
    ("REPLACE(v, 'a')", W, "REPLACE(v, 'a')", "write it as in REPLACE(a, b, c)"),
    ("LPAD(i, 2)", T, "i", "CAST(i AS VARCHAR)"),
    ("RPAD(v, 2.5)", T, "2.5", "CAST(2.5 AS INTEGER)"),
    ("RPAD(v)", W, "RPAD(v)", "write it as in RPAD(a, b)"),
    ("LAST_DAY(tm)", T, "tm", "CAST(tm AS TIMESTAMP(3))"),
    ("LAST_DAY(?)", T, "?", "CAST(? AS INTEGER)"),
    ("TIMESTAMPADD(DAY, 1.5, ts)", T, "1.5", "CAST(1.5 AS INTEGER)"),
    ("TIMESTAMPADD(DAY, 1, i)", T, "i", None),
    ("TIMESTAMPADD(MONTH, 1, tm)", T, "TIMESTAMPADD(MONTH, 1, tm)", "tm + INTERVAL '1' HOUR"),
    ("TIMESTAMPDIFF(DAY, v, ts)", T, "v", "CAST(v AS TIMESTAMP(3))"),
    ("TIMESTAMPDIFF(DAY, tm, ts)", T, "TIMESTAMPDIFF(DAY, tm, ts)", None),
    ("LENGTH(v)", Code.UNKNOWN_FUNCTION, "LENGTH", None),
    ("UPER(v)", Code.UNKNOWN_FUNCTION, "UPER", None),
    ("a.UPPER(v)", Code.UNKNOWN_FUNCTION, "a.UPPER", None),
    ("UPPER(v) OVER (ORDER BY i)", Code.OVER_NOT_ALLOWED, "(ORDER BY i)", None),
    ("ABS(i) FILTER (WHERE b)", W, "b", None),
    ("ABS(DISTINCT i)", W, "ABS(DISTINCT i)", None),
    ("SUM(i)", Code.AGGREGATE_MISPLACED, "SUM(i)", None),
    ("SUM(i) OVER (ORDER BY i)", Code.WINDOW_MISPLACED, "SUM(i) OVER (ORDER BY i)", None),
    ("RANK()", Code.OVER_REQUIRED, "RANK()", None),
    ("TUMBLE(ts, h)", Code.GROUP_WINDOW_MISPLACED, "TUMBLE(ts, h)", None),
    ("HOP_END(ts, h, h)", Code.GROUP_WINDOW_MISPLACED, "HOP_END(ts, h, h)", None),
    # sub-queries
    ("(SELECT 1, 2) = 1", Code.SUBQUERY_COLUMNS, "SELECT 1, 2", None),
    ("i IN (SELECT 1, 2)", Code.SUBQUERY_COLUMNS, "SELECT 1, 2", None),
    ("(i, j) IN (SELECT 1)", Code.SUBQUERY_COLUMNS, "SELECT 1", None),
    ("i > ALL (SELECT 1, 2)", Code.SUBQUERY_COLUMNS, "SELECT 1, 2", None),
    ("v IN (SELECT 1)", T, "v", "CAST(v AS BIGINT)"),
    ("v > ANY (SELECT 1)", T, "v", "CAST(v AS BIGINT)"),
    # parameters
    ("?", T, "?", "CAST(? AS INTEGER)"),
    ("? + ?", T, "?", "CAST(? AS INTEGER)"),
    ("? = ?", T, "?", "CAST(? AS INTEGER)"),
    ("ABS(?)", T, "?", "CAST(? AS INTEGER)"),
    ("? IS NULL", T, "?", "CAST(? AS INTEGER)"),
    ("COALESCE(?, NULL)", T, "?", "CAST(? AS INTEGER)"),
    ("ts + ?", T, "?", "CAST(? AS INTERVAL DAY)"),
    ("MONOTONIC(?)", T, "?", "CAST(? AS INTEGER)"),
    # the first fault in the text, a leaf before its operator (S-801)
    ("nowhere + TRUE", Code.UNKNOWN_COLUMN, "nowhere", None),
    ("TRUE + nowhere", Code.UNKNOWN_COLUMN, "nowhere", None),
    ("ABS(nowhere, v)", Code.UNKNOWN_COLUMN, "nowhere", None),
    ("(i + v) * (j + TRUE)", T, "v", "CAST(v AS INTEGER)"),
    ("i AND nowhere", T, "i", "i <> 0"),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "code", "guilty", "hint"), REFUSALS)
def test_a_wrong_expression_is_refused_at_its_smallest_fault(
    sql: str, code: Code, guilty: str, hint: str | None
) -> None:
    found = refusal(sql)
    assert found[:2] == (code, guilty)
    if hint is not None:
        assert found[2] == hint


#: Two faults, of which the hint mends one.
_NOT_WHOLE = {"? + ?", "(i + v) * (j + TRUE)", "i AND nowhere", "LAST_DAY(?)"}
_WHOLE = [
    (q, guilty, hint)
    for q, _, guilty, hint in REFUSALS
    if hint and not hint.startswith("write") and q not in _NOT_WHOLE
]


@pytest.mark.parametrize(("sql", "guilty", "hint"), _WHOLE)
def test_the_hint_in_the_place_of_the_fault_passes(sql: str, guilty: str, hint: str) -> None:
    at = refused(sql).at
    assert sql[at.start : at.end] == guilty
    bind(sql[: at.start] + hint + sql[at.end :])


@pytest.mark.parametrize(
    ("sql", "hint"),
    [
        ("i = '1'", "CAST('1' AS INTEGER)"),
        ("dt = '2015-2-5'", "DATE '2015-02-05'"),
        ("'10:17' < tm", "TIME '10:17:00'"),
        ("ts > DATE '2015-02-15' AND '2015-02-15' < ts", "TIMESTAMP '2015-02-15 00:00:00'"),
        ("i = 'one'", "write a number in place of 'one'"),
    ],
)
def test_a_hint_says_what_was_probably_meant(sql: str, hint: str) -> None:
    assert refusal(sql)[2] == hint


@pytest.mark.parametrize(
    ("sql", "advice", "meant"),
    [
        ("LENGTH(v)", "did you mean CHAR_LENGTH?", "CHAR_LENGTH(v)"),
        ("UPER(v)", "did you mean UPPER?", "UPPER(v)"),
        ("COALESC(i, j)", "did you mean COALESCE?", "COALESCE(i, j)"),
        ("DATE_TRUNC('hour', ts)", "write FLOOR(ts TO HOUR)", "FLOOR(ts TO HOUR)"),
        (
            "TIME_BUCKET('10 minutes', ts)",
            "write STEP(ts BY INTERVAL '10' MINUTE)",
            "STEP(ts BY INTERVAL '10' MINUTE)",
        ),
        (
            "DATE_BIN(INTERVAL '1' HOUR, ts, ts)",
            "write STEP(ts BY INTERVAL '1' HOUR)",
            "STEP(ts BY INTERVAL '1' HOUR)",
        ),
        ("CONCAT(v, w)", "write v || w", "v || w"),
        ("IF(b, i, j)", "write CASE WHEN b THEN i ELSE j END", "CASE WHEN b THEN i ELSE j END"),
        ("UPPER(v) OVER (ORDER BY i)", "leave OVER out", "UPPER(v)"),
        ("i = '1'", "CAST('1' AS INTEGER)", "i = CAST('1' AS INTEGER)"),
    ],
)
def test_the_first_suggestion_is_what_was_probably_meant(sql: str, advice: str, meant: str) -> None:
    error = refused(sql)
    assert isinstance(error, SuggestingError)
    first = next(iter(error.suggestions()))
    assert (first.advice, edited(sql, first.edits)) == (advice, meant)
    bind(meant)


@pytest.mark.parametrize("call", ["JSON_VALUE(v, '$.a')", "CURRENT_WATERMARK(ts)", "FOO(i)"])
def test_a_function_without_an_equivalent_has_no_hint(call: str) -> None:
    error = refused(call)
    assert isinstance(error, SuggestingError)
    assert (error.hint, list(error.suggestions())) == ("", [])
