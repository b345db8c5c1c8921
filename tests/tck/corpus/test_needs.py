"""The capabilities that a case needs follow from its text, its steps and its expectations."""

import re
from pathlib import Path

import pytest

from tck.corpus.load import kit_corpus
from tck.corpus.needs import LISTED, implied_needs, needs_of, needs_of_event
from tck.protocol import End
from tests.tck.corpora import load_case

FORMAT = Path(__file__).parents[3] / "docs" / "case-format.md"
ANY = "rows: []"


def needs(folder: Path, sql: str, *, ddl: str = "", expects: str = ANY) -> set[str]:
    """The implied needs of a case over the stream ``Orders``, which has no text of its own."""
    given = "given: []\n" + (f"ddl: |\n  {ddl}\n" if ddl else "")
    query = f"sql: |\n  {sql}\n" if sql else ""
    return set(implied_needs(load_case(folder, f"id: a\ncites: [S-1]\n{given}{query}{expects}")))


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("SELECT a FROM t", set[str]()),
        ("select\n    stream * from t", {"streaming"}),
        ("SELECT a FROM t GROUP BY TUMBLE(a, INTERVAL '1' DAY)", {"tumble", "intervals"}),
        ("SELECT a FROM t GROUP BY HOP (a, b, c)", {"hop"}),
        (
            "SELECT a FROM HOP(TABLE t, DESCRIPTOR(b), c, d) QUALIFY SUM(a) OVER (ORDER BY b) > 1",
            {"hop", "window-table-functions", "qualify", "over"},
        ),
        (
            "SELECT a FROM CUMULATE((SELECT a FROM t), DESCRIPTOR(b), c, d, e)",
            {"cumulate", "window-table-functions", "subqueries"},
        ),
        ("SELECT qualify AS a FROM t AS qualify", set[str]()),
        ("SELECT SESSION_END(a, b) FROM t GROUP BY c, SESSION(a, b)", {"session"}),
        (
            "SELECT a FROM SESSION(TABLE t, DESCRIPTOR(b), c)",
            {"session", "window-table-functions"},
        ),
        ("SELECT session FROM t GROUP BY b", {"plain-groups"}),
        ("SELECT SUM(a) OVER (ORDER BY b) FROM t", {"over"}),
        ("SELECT SUM(a) FROM t WINDOW w AS (ORDER BY b)", {"over", "named-windows"}),
        ("SELECT a FROM t ORDER BY b", {"order-by"}),
        ("SELECT a FROM t ORDER BY b LIMIT 1", {"order-by", "limit"}),
        (
            "SELECT a FROM t ORDER BY b FETCH FIRST 1 ROW WITH TIES",
            {"order-by", "limit", "fetch-first", "with-ties"},
        ),
        ("SELECT SUM(a) OVER (ORDER BY b GROUPS 2 PRECEDING) FROM t", {"over", "groups-frames"}),
        (
            "SELECT SUM(a) OVER (ORDER BY b GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t",
            {"over", "groups-frames"},
        ),
        ("SELECT SUM(a) OVER (ORDER BY b GROUPS CURRENT ROW) FROM t", {"over", "groups-frames"}),
        (
            "SELECT SUM(a) OVER (ORDER BY b ROWS 1 PRECEDING EXCLUDE TIES) FROM t",
            {"over", "frame-exclusion"},
        ),
        ("SELECT groups FROM t", set[str]()),
        ("SELECT groups, exclude FROM t GROUP BY groups, exclude", {"plain-groups"}),
        ("SELECT SUM(a) IGNORE NULLS OVER (ORDER BY b) FROM t", {"over", "ignore-nulls"}),
        ("SELECT LISTAGG(a) WITHIN GROUP (ORDER BY b) FROM t", {"within-group", "listagg"}),
        (
            "SELECT a FROM t ORDER BY LISTAGG(a) WITHIN GROUP (ORDER BY b)",
            {"order-by", "within-group", "listagg"},
        ),
        ("SELECT a NOT SIMILAR  TO 'x' FROM t", {"similar-to"}),
        ("SELECT a FROM t GROUP BY ROLLUP(a)", {"grouping-sets", "plain-groups"}),
        (
            "SELECT a FROM t GROUP BY GROUPING  SETS ((a), ())",
            {"grouping-sets", "plain-groups"},
        ),
        ("SELECT a FROM t UNION ALL SELECT b FROM t", {"set-operations"}),
        ("SELECT a FROM t LEFT JOIN u ON a = b", {"joins"}),
        ("SELECT a FROM t LEFT ASOF JOIN u ON a = b", {"joins", "asof-joins"}),
        ("SELECT asof FROM t JOIN u ON asof = b", {"joins"}),
        ("SELECT a FROM t, u WHERE a = b", {"joins"}),
        ("SELECT a FROM (SELECT b, c FROM t) AS t, u", {"joins", "subqueries"}),
        ("SELECT a FROM (SELECT a FROM t, u)", {"joins", "subqueries"}),
        ("SELECT EXTRACT(YEAR FROM a), b FROM t GROUP BY a, b", {"extract", "plain-groups"}),
        ("SELECT a IS DISTINCT FROM b, c FROM t ORDER BY a, b", {"distinct-predicate", "order-by"}),
        ("SELECT a FROM t AS u (a, b)", set[str]()),
        ("SELECT a FROM t LIMIT 1, 2", {"limit", "limit-comma"}),
        ("SELECT a FROM t WHERE a IN (SELECT b FROM u)", {"subqueries", "in-subqueries"}),
        ("SELECT a FROM t FOR SYSTEM_TIME AS OF b", {"versioned-tables"}),
        ("SELECT DATE '2015-02-15' FROM t", {"datetime-literals", "date-type"}),
        ("SELECT a FROM t GROUP BY b, TUMBLE(a, INTERVAL '1' DAY)", {"tumble", "intervals"}),
        ("SELECT a FROM t GROUP BY ROLLUP(FLOOR(a TO DAY))", {"grouping-sets", "floor-to-unit"}),
        ("SELECT a FROM t GROUP BY window_start HAVING b", set[str]()),
        ("SELECT a FROM t GROUP BY (b) HAVING FLOOR(a) > 1", {"plain-groups"}),
        (
            "SELECT b FROM (SELECT b FROM t GROUP BY b) GROUP BY STEP(b BY 2)",
            {"subqueries", "plain-groups", "step"},
        ),
        ("SELECT MIN(a), MAX (b) FROM t", {"min-max"}),
        ("SELECT min, max FROM t", set[str]()),
        ("SELECT a FROM t UNION SELECT b FROM t", {"set-operations", "plain-union"}),
        ("SELECT a FROM t UNION DISTINCT SELECT b FROM t", {"set-operations", "union-distinct"}),
        ("SELECT CAST(a AS DATE) FROM t", {"date-type"}),
        ("SELECT CAST(a AS DECIMAL(4, 2)) FROM t", {"decimal-type"}),
        ("SELECT a * 0.5, .5 FROM t", {"decimal-type"}),
        ("SELECT a * 0.5E0, t.a, 1E3 FROM t", set[str]()),
        ("SELECT a + INTERVAL '1' DAY FROM t", {"intervals", "datetime-plus-interval"}),
        ("SELECT INTERVAL '1' DAY + a FROM t", {"intervals", "datetime-plus-interval"}),
        ("SELECT a FROM t WHERE b > -INTERVAL '1' DAY", {"intervals"}),
        ("SELECT FLOOR(CAST(a AS TIMESTAMP(3)) TO HOUR) FROM t", {"floor-to-unit"}),
        ("SELECT FLOOR(a), b FROM t", set[str]()),
        ("SELECT EXTRACT(YEAR FROM a), STEP(a BY 3) FROM t", {"extract", "step"}),
        ("VALUES (1)", {"values"}),
        ("SELECT a FROM (VALUES (1)) AS t (a)", {"values", "column-lists"}),
        ("SELECT CAST(ABS(a) AS VARCHAR(3)) FROM t", set[str]()),
        ("WITH u AS (SELECT a FROM t) SELECT * FROM u", {"with", "subqueries"}),
        ("SELECT STREAM a FROM t ORDER BY a WITHIN 3 ROWS", {"streaming", "order-by", "t-sort"}),
        ("SELECT a FROM t ORDER BY ABS(ABS(a)) WITHIN 3", {"order-by", "t-sort"}),
    ],
)
def test_what_the_query_says_it_needs(sql: str, found: set[str], tmp_path: Path) -> None:
    assert needs(tmp_path, sql) - {"relational"} == found


@pytest.mark.parametrize("text", ["'SELECT STREAM'", '"SELECT STREAM"', "/* SELECT STREAM */ 1"])
def test_what_is_no_syntax_needs_nothing(text: str, tmp_path: Path) -> None:
    assert needs(tmp_path, f"SELECT {text} FROM t -- SELECT STREAM") == {"relational"}


@pytest.mark.parametrize(
    ("ddl", "found"),
    [
        ("CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1)", {"dml"}),
        ("CREATE STREAM s (a INTEGER ASCENDING WITHIN 5 ROWS)", {"disorder"}),
        ("CREATE STREAM s (a INTEGER ASCENDING STRICT)", {"strict-order"}),
        ("CREATE STREAM s (a INTEGER DESCENDING STRICT)", {"strict-order", "descending-order"}),
        ("CREATE TABLE t (a INTEGER CHECK (a > 0))", {"check-clauses"}),
        ("CREATE VIEW v AS SELECT a FROM t", {"views"}),
        ("CREATE PUMP p STOPPED AS INSERT INTO s SELECT STREAM a FROM t", {"pumps", "streaming"}),
    ],
)
def test_what_the_script_says_it_needs(ddl: str, found: set[str], tmp_path: Path) -> None:
    assert needs(tmp_path, "SELECT 1 FROM t", ddl=ddl) - {"relational"} == found


STREAM = "CREATE STREAM s (a INTEGER) WITH HISTORY; CREATE TABLE t (a INTEGER);"


@pytest.mark.parametrize(
    ("sql", "ddl", "found"),
    [
        ("SELECT a FROM s", "", {"relational", "history"}),
        ("SELECT a FROM t", "", {"relational"}),
        ("SELECT a FROM v", "CREATE VIEW v AS SELECT a FROM s", {"relational", "history", "views"}),
        ("SELECT STREAM a FROM s", "", {"streaming"}),
        ("SELECT STREAM a FROM s JOIN s AS r ON a = a", "", {"streaming", "joins"}),
        ("SELECT STREAM a FROM s JOIN t ON a = a", "", {"streaming", "joins", "stream-table-join"}),
        ("SELECT STREAM a FROM s, t", "", {"streaming", "joins", "stream-table-join"}),
        (
            "SELECT a FROM (SELECT STREAM a FROM s)",
            "",
            {"streaming", "subqueries", "relational", "history"},
        ),
        (
            "SELECT a FROM v",
            "CREATE VIEW v AS SELECT STREAM a FROM s",
            {"streaming", "views", "relational", "history"},
        ),
    ],
)
def test_what_a_query_reads_it_needs(sql: str, ddl: str, found: set[str], tmp_path: Path) -> None:
    assert needs(tmp_path, sql, ddl=STREAM + ddl) == found


@pytest.mark.parametrize(
    ("expects", "need"),
    [
        ("schema: [A INTEGER]", "schema"),
        ("error: {code: TYPE_MISMATCH, at: SELECT}", "refusals"),
        ("steps: [{end: true, error: {code: OVERFLOW}}]", "failures"),
        ("error: {code: OVERFLOW, at: SELECT}", "failures"),
    ],
)
def test_what_is_expected_is_needed(expects: str, need: str, tmp_path: Path) -> None:
    assert needs(tmp_path, "SELECT a FROM t", expects=expects) == {"relational", need}


def test_a_script_alone_needs_scripts(tmp_path: Path) -> None:
    ddl = "CREATE TABLE t (a INTEGER)"
    assert needs(tmp_path, "", ddl=ddl, expects="accepted: true") == {"scripts"}


def test_bounds_in_a_step_are_needed(tmp_path: Path) -> None:
    case = """
    id: a
    cites: [S-1]
    sql: SELECT STREAM * FROM Orders
    steps: [{bound: {Orders: '10:00'}}, {end: true}]
    rows: []
    """
    assert "bounds" in set(implied_needs(load_case(tmp_path, case)))


ENDS = """
id: a
cites: [S-1]
given: []
ddl: |
  CREATE STREAM A (t TIMESTAMP(3) ASCENDING);
  {more}
sql: SELECT STREAM t FROM A
steps:
- feed: {{A: [['2015-02-15 10:00:00']]}}
- bound: {{A: '2015-02-15 11:00:00'}}
- end: A
- end: true
rows: [['2015-02-15 10:00:00']]
"""


@pytest.mark.parametrize(("more", "needed"), [("", False), ("CREATE STREAM B (v INTEGER);", True)])
def test_the_end_of_one_of_several_streams_is_needed(
    more: str, needed: bool, tmp_path: Path
) -> None:
    case = load_case(tmp_path, ENDS.format(more=more))
    assert ("end-of-one-input" in needs_of(case)) is needed
    rows, bound, end, all_ends = (step.events[0] for step in case.steps)
    assert needs_of_event(case, rows) == ()
    assert needs_of_event(case, bound) == ("bounds",)
    assert needs_of_event(case, end) == (("end-of-one-input",) if needed else ())
    assert all_ends == End()


def test_every_capability_that_a_case_of_the_kit_needs_is_in_the_docs() -> None:
    cases = kit_corpus().cases
    used = {need for case in cases for need in needs_of(case)}
    section = FORMAT.read_text("utf-8").partition("## Capabilities")[2].partition("\n## ")[0]
    assert used <= set(re.findall(r"`([a-z-]+)`", section))


def test_what_cases_of_the_kit_list_no_text_shows() -> None:
    listed = {need for case in kit_corpus().cases for need in case.needs}
    assert listed == LISTED
    needless = {c.id for c in kit_corpus().cases if set(c.needs) & set(implied_needs(c))}
    assert not needless


@pytest.mark.parametrize(
    ("equal_to", "found"),
    [
        ("SELECT STREAM a FROM s", {"streaming"}),
        ("SELECT a FROM t", {"streaming", "relational"}),
        ("SELECT a FROM s", {"streaming", "relational", "history"}),
        ("SELECT STREAM a FROM s, t", {"streaming", "joins", "stream-table-join"}),
        ("SELECT a FROM t, t AS u", {"streaming", "joins", "relational"}),
    ],
)
def test_the_other_query_needs_what_it_reads(
    equal_to: str, found: set[str], tmp_path: Path
) -> None:
    expects = f"equal_to: {equal_to}"
    assert needs(tmp_path, "SELECT STREAM a FROM s", ddl=STREAM, expects=expects) == found
